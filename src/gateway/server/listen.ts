/**
 * Gets the port: the one that is asked for or none; where none is asked for the one that it had before, else the usual one, else
 * any that is free. A browser's key belongs to an address: one that changes with every start would let nobody back in.
 */
import type { Server } from "node:http";
import { isIPv6 } from "node:net";
import { ConfigError, systemCode } from "../../base/errors.ts";

const usualPort = 18_800;

/** Gives the address that people and programs on this machine use. */
export async function listen(
  server: Server,
  host: string,
  port: number | undefined,
  earlierPort?: number,
): Promise<{ url: string; port: number }> {
  const choices = port === undefined ? [...new Set([earlierPort ?? usualPort, usualPort, 0])] : [port];
  for (const [at, choice] of choices.entries()) {
    try {
      await tryPort(server, host, choice);
      break;
    } catch (error) {
      if (at === choices.length - 1 || systemCode(error) !== "EADDRINUSE") throw toError(error, host, choice);
    }
  }
  const address = server.address();
  const got = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://${toReachable(host)}:${got}`, port: got };
}

function tryPort(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => reject(error);
    server.once("error", onError);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", onError);
      resolve();
    });
  });
}

/** "Every network" is no address to go to. */
function toReachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIPv6(host) ? `[${host}]` : host;
}

function toError(error: unknown, host: string, port: number): ConfigError {
  if (systemCode(error) === "EADDRINUSE") {
    return new ConfigError("GATEWAY_PORT_TAKEN", `Port ${port} of ${host} is used by another program`, {
      hint: "End that program, choose another gateway.port, or leave gateway.port out: mom then takes a free one.",
      cause: error,
    });
  }
  const why = systemCode(error) ?? "unknown";
  return new ConfigError("GATEWAY_CANNOT_LISTEN", `mom cannot listen on ${host}, port ${port} (${why})`, {
    hint: "Set gateway.host to an address of this machine, and gateway.port above 1023.",
    cause: error,
  });
}
