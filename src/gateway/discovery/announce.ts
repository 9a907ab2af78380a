/**
 * Tells the local network that a mom is here (mDNS, `_mom-gw._tcp`), and where to knock. Nothing else is told: no name of the
 * machine, of a person, or of what runs. Loaded only where the config asks for it and mom listens beyond this machine.
 */
import { randomBytes } from "node:crypto";
import type { EventEmitter } from "node:events";
import { Bonjour } from "bonjour-service";
import type { Log } from "../../contracts/log.ts";
import { protocolVersion } from "../protocol/index.ts";

export interface AnnounceOptions {
  port: number;
  log: Log;
  /** Absent: every network, on the port of mDNS. */
  network?: { interface: string; port: number };
}

/** The result takes it back; may be called twice. Never throws: being found is a convenience. */
export function announce({ port, log, network }: AnnounceOptions): () => void {
  const onError = (error: unknown) => log.warn("The local network cannot be told that mom is here", { error });
  let end = () => {};
  try {
    // What the library passes on to the socket is missing from its types.
    const socketOptions: object = network ? { ...network, bind: "0.0.0.0" } : {};
    const bonjour = new Bonjour(socketOptions, onError);
    emitterOf(bonjour).on("error", onError);
    const id = randomBytes(3).toString("hex");
    bonjour.publish({
      // Nobody is asked whether it is taken: the library would print about that.
      name: `mom ${id}`,
      probe: false,
      type: "mom-gw",
      port,
      // Instead of the machine's own name.
      host: `mom-${id}.local`,
      txt: { protocol: String(protocolVersion) },
    });
    end = () => bonjour.unpublishAll(() => bonjour.destroy());
  } catch (error) {
    onError(error);
  }
  return () => {
    const ending = end;
    end = () => {};
    ending();
  };
}

/** The library lets nobody hear of a port that cannot be had, and an error that nobody hears ends the process. */
function emitterOf(bonjour: Bonjour): EventEmitter {
  return (bonjour as unknown as { server: { mdns: EventEmitter } }).server.mdns;
}
