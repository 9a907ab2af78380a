/** One connection, from the first hello (and the challenge of a device) to its end. It tells its end once and nothing after it. */
import {
  closeCodes,
  type EventFrame,
  type HelloOk,
  helloWithinMs,
  type ProtocolError,
  protocolVersion,
  type Response,
  signedText,
} from "../protocol/index.ts";
import type { Auth, ClientClock, ClientOptions } from "./client-types.ts";
import { parseFrame, type ServerFrame } from "./parse-frame.ts";

export type LinkEnd =
  /** The server said why it does not let us in. */
  | { type: "refused"; error: ProtocolError }
  /** It was let in and is not any more. */
  | { type: "revoked" }
  | { type: "lost"; reason: string };

export interface Link {
  send(text: string): void;
  /** Ends it; `onEnd` is not called any more. */
  close(): void;
}

export interface LinkOptions extends Pick<ClientOptions, "url" | "hello"> {
  WebSocket: typeof globalThis.WebSocket;
  clock: ClientClock;
  onHello(hello: HelloOk): void;
  onFrame(frame: Response | EventFrame): void;
  onEnd(end: LinkEnd): void;
  onProblem(problem: string): void;
}

/** The server hangs up on slow hellos itself; this is for one that never says anything. */
const openWithinMs = helloWithinMs + 5_000;

export function openLink(options: LinkOptions): Link {
  let phase: "hello" | "challenged" | "open" | "over" = "hello";
  let socket: WebSocket | undefined;
  let auth: Auth | undefined;
  const cancelTimer = options.clock.after(openWithinMs, () => end({ type: "lost", reason: "It does not answer." }));

  const close = () => {
    if (phase === "over") return;
    phase = "over";
    cancelTimer();
    socket?.close();
  };
  const end = (how: LinkEnd) => {
    if (phase === "over") return;
    close();
    options.onEnd(how);
  };
  const sayHello = async (nonce?: string) => {
    const { client, caps } = options.hello;
    const hello = {
      type: "hello",
      minProtocol: protocolVersion,
      maxProtocol: protocolVersion,
      client,
      ...(caps && { caps }),
      ...(auth && { auth: await toCredentials(auth, nonce) }),
    };
    if (phase !== "over") socket?.send(JSON.stringify(hello));
  };
  const attempt = (work: Promise<void>) =>
    void work.catch((error: unknown) => end({ type: "lost", reason: error instanceof Error ? error.message : "" }));

  const onFrame = (frame: ServerFrame) => {
    if (phase === "open") {
      if (frame.type === "response" || frame.type === "event") return options.onFrame(frame);
    } else if (frame.type === "hello-error") {
      return end({ type: "refused", error: frame.error });
    } else if (frame.type === "challenge" && phase === "hello") {
      phase = "challenged";
      return attempt(sayHello(frame.nonce));
    } else if (frame.type === "hello-ok") {
      phase = "open";
      cancelTimer();
      return options.onHello(frame);
    }
    options.onProblem(`a ${frame.type} frame out of place`);
  };
  const connect = async () => {
    const url = typeof options.url === "string" ? options.url : await options.url();
    auth = await options.hello.getAuth();
    if (phase === "over") return;
    socket = new options.WebSocket(url);
    socket.addEventListener("open", () => attempt(sayHello()));
    socket.addEventListener("message", ({ data }) => {
      if (phase === "over") return;
      const parsed = parseFrame(data);
      if (parsed.type === "frame") onFrame(parsed.frame);
      else options.onProblem(parsed.problem);
    });
    socket.addEventListener("close", ({ code }) => {
      const wasOpen = phase === "open";
      if (code === closeCodes.revoked) return end({ type: "revoked" });
      end({ type: "lost", reason: wasOpen ? "The connection was lost." : "It cannot be reached." });
    });
  };
  attempt(connect());
  return { send: (text) => socket?.send(text), close };
}

async function toCredentials(auth: Auth, nonce: string | undefined): Promise<object> {
  if (!("device" in auth)) return auth;
  const { sign, ...device } = auth.device;
  return { device: nonce === undefined ? device : { ...device, signature: await sign(signedText(nonce, device)) } };
}
