/**
 * One Socket Mode connection, through the SDK with its own reconnecting off: that waits five seconds each time. What comes
 * through it goes to `onEnvelope`; when it is over, or about to be, `over` resolves and `connection.ts` has the next one opened.
 */
import { SocketModeClient } from "@slack/socket-mode";
import { within } from "../../base/within.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { SlackClient } from "./client.ts";
import { type SlackFault, toFault } from "./fault.ts";

export interface Envelope {
  type: string;
  body: unknown;
  /** Tells Slack that mom has it; rejects when the connection is gone, and it comes again then. */
  ack(): Promise<void>;
}

/** `asked`: Slack wants another connection to be made. `disabled`: Socket Mode was switched off. */
export type LineEnd = "asked" | "disabled" | "cut";

export interface Line {
  /** Resolves once. */
  over: Promise<LineEnd>;
  /** Resolves when nothing of it is left. May be called twice. */
  close(): Promise<void>;
}

export interface LineDeps {
  clock: Clock;
  client: Pick<SlackClient, "options" | "signal">;
  appToken: string;
  /** May not throw. */
  onEnvelope(envelope: Envelope): void;
}

const openWithinMs = 20_000;
/** A connection that answers no ping for this long is dead. */
const pongWithinMs = 10_000;

export type OpenedLine = { type: "open"; line: Line } | SlackFault;

/** Never rejects. */
export async function openLine({ clock, client, appToken, onEnvelope }: LineDeps): Promise<OpenedLine> {
  const socket = new SocketModeClient({
    appToken,
    autoReconnectEnabled: false,
    clientPingTimeout: pongWithinMs,
    logger: client.options.logger,
    clientOptions: { ...client.options },
  });
  const over = Promise.withResolvers<LineEnd>();
  socket.on("slack_event", onEnvelope);
  socket.on("disconnected", () => over.resolve("cut"));
  socket.on("ws_message", (data: unknown) => {
    const end = parseGoodbye(data);
    if (end) over.resolve(end);
  });
  const close = () => closeSocket(socket);
  const started = socket.start().then(
    (): OpenedLine => ({ type: "open", line: { over: over.promise, close } }),
    (error: unknown): OpenedLine =>
      error === undefined ? { type: "unreached", reason: "Slack closed the new connection" } : toFault(error),
  );
  const stopped = Promise.withResolvers<OpenedLine>();
  const onAbort = () => stopped.resolve({ type: "unreached", reason: "stopped" });
  client.signal.addEventListener("abort", onAbort, { once: true });
  const first = Promise.race([started, stopped.promise]);
  const opened = await within<OpenedLine>(clock, openWithinMs, first, (reason) => ({ type: "unreached", reason }));
  // The signal lives as long as the adapter, and would keep every connection that ever was.
  client.signal.removeEventListener("abort", onAbort);
  if (opened.type !== "open") {
    // What is still on its way must not stay open behind our back.
    void started.then(close);
    await close();
  }
  return opened;
}

/** The first call says goodbye, the second hangs up: whoever waits for an answer may be left with a timer of the SDK's. */
async function closeSocket(socket: SocketModeClient): Promise<void> {
  socket.removeAllListeners("slack_event");
  void socket.disconnect();
  await socket.disconnect();
}

/** The frame that announces the end of a connection. */
function parseGoodbye(data: unknown): LineEnd | undefined {
  if (typeof data !== "string" || data.length > 2_000 || !data.includes('"disconnect"')) return undefined;
  try {
    const { type, reason } = JSON.parse(data) as { type?: unknown; reason?: unknown };
    if (type !== "disconnect") return undefined;
    return reason === "link_disabled" ? "disabled" : "asked";
  } catch {
    return undefined;
  }
}
