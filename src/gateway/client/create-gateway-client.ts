/**
 * The typed client of the gateway: one connection that comes back by itself, calls with their answers, events each once and
 * in order. The command line and the browser use the same; nothing here needs Node.
 */
import {
  type EventFrame,
  GatewayFault,
  type HelloOk,
  mayCall,
  type Params,
  type ProtocolError,
  type Response,
} from "../protocol/index.ts";
import { createBackOff } from "./back-off.ts";
import { createCalls } from "./calls.ts";
import type { ClientOptions, ClientState, GatewayClient } from "./client-types.ts";
import { createEventOrder } from "./event-order.ts";
import { type Link, type LinkEnd, openLink } from "./open-link.ts";
import { systemClock } from "./system-clock.ts";
import { createWatchdog } from "./watchdog.ts";

/** A device that waits to be approved asks this often. */
const askAgainMs = 5_000;
/** A connection that held this long was a good one: the next drop is the first again. */
const settledAfterMs = 10_000;

const stoppedError: ProtocolError = { code: "UNAVAILABLE", message: "The client is stopped." };

export function createGatewayClient(options: ClientOptions): GatewayClient {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const onProblem = (problem: string) => options.onProblem?.(problem);
  const calls = createCalls({ clock, onProblem });
  const order = createEventOrder((frame) => options.onEvent(frame));
  const backOff = createBackOff(random);
  const watchdog = createWatchdog({
    clock,
    probe: () => calls.call("health", {}, { timeoutMs: 10_000 }),
    onDead: () => endLink({ type: "lost", reason: "It does not answer any more." }),
  });

  let state: ClientState = { type: "stopped" };
  let link: Link | undefined;
  let cancelTimers: (() => void)[] = [];
  let wanted: Pick<Params<"events.subscribe">, "sessions" | "logs"> | undefined;
  calls.closed(stoppedError);

  const setState = (next: ClientState) => {
    state = next;
    options.onState(next);
  };
  const later = (delayMs: number, run: () => void) => {
    cancelTimers.push(clock.after(delayMs, run));
  };
  const quiet = () => {
    for (const cancel of cancelTimers) cancel();
    cancelTimers = [];
    watchdog.stop();
  };
  const connect = () => {
    quiet();
    // A device that waits to be approved goes on being shown as one that waits.
    if (state.type !== "refused") setState({ type: "connecting" });
    const { url, hello, WebSocket = globalThis.WebSocket } = options;
    link = openLink({ url, hello, WebSocket, clock, onHello, onFrame, onEnd: endLink, onProblem });
  };

  const onHello = (hello: HelloOk) => {
    if (hello.deviceToken !== undefined) options.onDeviceToken?.(hello.deviceToken);
    calls.retrying();
    watchdog.start();
    later(settledAfterMs, () => backOff.reset());
    calls.opened((text) => link?.send(text));
    void catchUp(hello);
    setState({ type: "open", hello });
  };
  const onFrame = (frame: Response | EventFrame) => {
    watchdog.heard();
    if (frame.type === "event") order.take(frame);
    else if (!calls.answer(frame)) onProblem("an answer that nobody waits for");
  };

  const waitAndRetry = (error: ProtocolError) => {
    const delayMs = backOff.nextMs(error.retryAfterMs);
    calls.retrying();
    later(delayMs, connect);
    setState({ type: "waiting", error, retryAt: clock.now() + delayMs });
  };
  const refuse = (error: ProtocolError) => {
    calls.closed(error);
    if (isPending(error)) later(askAgainMs * (0.8 + 0.4 * random()), connect);
    setState({ type: "refused", error });
  };
  function endLink(end: LinkEnd): void {
    link?.close();
    link = undefined;
    quiet();
    calls.dropped();
    const error = toError(end);
    if (error.retryable === true || error.retryAfterMs !== undefined) waitAndRetry(error);
    else refuse(error);
  }

  /** Follows again what was followed, and asks for what came while there was no connection. */
  const catchUp = async (hello: HelloOk) => {
    const isFirst = order.lastId === undefined;
    const after = order.hold(hello.snapshot.lastEventId);
    const { lastEventId } = hello.snapshot;
    if (!mayCall(hello.identity, "read") || (isFirst && !wanted)) {
      order.release(lastEventId);
      if (after !== lastEventId) options.onGap();
      return;
    }
    const current = link;
    try {
      const result = await calls.call("events.subscribe", { ...wanted, after });
      if (link !== current) return;
      order.release(result.lastEventId);
      if (!result.isComplete) options.onGap();
    } catch (error) {
      if (link !== current || current === undefined) return;
      if (error instanceof GatewayFault && error.retryable)
        return endLink({ type: "lost", reason: `It does not tell what was missed: ${error.message}` });
      onProblem(`events cannot be followed: ${error instanceof Error ? error.message : "?"}`);
      order.release(lastEventId);
      options.onGap();
    }
  };

  return {
    get state() {
      return state;
    },
    start: () => {
      if (state.type === "connecting" || state.type === "open") return;
      link?.close();
      calls.retrying();
      state = { type: "stopped" };
      connect();
    },
    stop: () => {
      link?.close();
      link = undefined;
      quiet();
      backOff.reset();
      calls.closed(stoppedError);
      setState({ type: "stopped" });
    },
    call: calls.call,
    follow: (sessions, logs) => {
      wanted = { sessions, ...(logs !== undefined && { logs }) };
      if (state.type !== "open") return;
      const current = link;
      calls.call("events.subscribe", wanted).catch((error: unknown) => {
        if (link === current) onProblem(`events cannot be followed: ${error instanceof Error ? error.message : "?"}`);
      });
    },
  };
}

const isPending = ({ details }: ProtocolError) =>
  typeof details === "object" && details !== null && "requestId" in details && typeof details.requestId === "string";

function toError(end: LinkEnd): ProtocolError {
  if (end.type === "refused") return end.error;
  if (end.type === "revoked") return { code: "NOT_PAIRED", message: "This client's access was revoked." };
  return { code: "UNAVAILABLE", message: end.reason, retryable: true };
}
