/**
 * Calls that wait for a connection or for their answer. One that is made while there is no connection waits a little; one that
 * is under way when the connection drops is sent once more if its idempotency key makes that safe, and fails otherwise.
 */
import {
  check,
  GatewayFault,
  type MethodName,
  maxFrameBytes,
  methodSpecs,
  type Params,
  type ProtocolError,
  type Response,
  type Result,
} from "../protocol/index.ts";
import type { CallOptions, ClientClock } from "./client-types.ts";

export interface Calls {
  call<Name extends MethodName>(method: Name, params: Params<Name>, options?: CallOptions): Promise<Result<Name>>;
  /** There is a connection: what waits is sent. */
  opened(send: (text: string) => void): void;
  /** It is gone; another one will be tried. */
  dropped(): void;
  /** There will be none for now: everything fails, also what comes later, until `retrying`. */
  closed(error: ProtocolError): void;
  retrying(): void;
  /** False: nobody waits for it. */
  answer(response: Response): boolean;
}

interface Pending {
  id: string;
  method: MethodName;
  frame: string;
  mayRepeat: boolean;
  sent: number;
  settle(outcome: { result: unknown } | { error: unknown }): void;
}

const waitForConnectionMs = 5_000;
const defaultTimeoutMs = 60_000;
/** Waiting and under way. */
const mostCalls = 1_000;

export function createCalls(deps: { clock: ClientClock; onProblem(problem: string): void }): Calls {
  const pending = new Map<string, Pending>();
  let send: ((text: string) => void) | undefined;
  let closedWith: ProtocolError | undefined;
  let lastNumber = 0;

  const transmit = (call: Pending) => {
    if (!send) return;
    call.sent += 1;
    send(call.frame);
  };
  const call = <Name extends MethodName>(method: Name, params: Params<Name>, options: CallOptions = {}) =>
    new Promise<Result<Name>>((resolve, reject) => {
      const id = String(++lastNumber);
      const frame = JSON.stringify({ id, type: "request", method, params });
      const refusal = closedWith ? new GatewayFault(closedWith) : (findTooLarge(frame) ?? findTooMany(pending.size));
      if (refusal) return reject(refusal);
      if (options.signal?.aborted) return reject(options.signal.reason);
      const stops: (() => void)[] = [];
      const entry: Pending = {
        id,
        method,
        frame,
        mayRepeat: "idempotencyKey" in params && params.idempotencyKey !== undefined,
        sent: 0,
        settle: (outcome) => {
          if (!pending.delete(id)) return;
          for (const stop of stops) stop();
          // Its schema was held against it in `answer`.
          if ("result" in outcome) resolve(outcome.result as Result<Name>);
          else reject(outcome.error);
        },
      };
      const fail = (message: string) => entry.settle({ error: unavailable(message) });
      const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
      stops.push(deps.clock.after(timeoutMs, () => fail(`${method} was not answered in ${timeoutMs} ms.`)));
      const onAbort = () => entry.settle({ error: options.signal?.reason });
      options.signal?.addEventListener("abort", onAbort);
      stops.push(() => options.signal?.removeEventListener("abort", onAbort));
      pending.set(id, entry);
      transmit(entry);
      if (entry.sent === 0)
        stops.push(deps.clock.after(waitForConnectionMs, () => entry.sent === 0 && fail("There is no connection.")));
    });

  return {
    call,
    opened: (to) => {
      send = to;
      for (const entry of [...pending.values()]) transmit(entry);
    },
    dropped: () => {
      send = undefined;
      for (const entry of [...pending.values()])
        if (entry.sent > 1 || (entry.sent === 1 && !entry.mayRepeat))
          entry.settle({ error: unavailable(`The connection was lost before ${entry.method} was answered.`) });
    },
    closed: (error) => {
      send = undefined;
      closedWith = error;
      for (const entry of [...pending.values()]) entry.settle({ error: new GatewayFault(error) });
    },
    retrying: () => {
      closedWith = undefined;
    },
    answer: (response) => {
      const entry = pending.get(response.id);
      if (!entry) return false;
      if (response.error) {
        entry.settle({ error: new GatewayFault(response.error) });
        return true;
      }
      const checked = check(methodSpecs[entry.method].result, response.result);
      if (checked.type === "ok") entry.settle({ result: response.result });
      else {
        deps.onProblem(`a bad answer to ${entry.method}: ${checked.problems.join("; ")}`);
        entry.settle({ error: new GatewayFault({ code: "UNAVAILABLE", message: badAnswer(entry.method) }) });
      }
      return true;
    },
  };
}

const unavailable = (message: string) => new GatewayFault({ code: "UNAVAILABLE", message, retryable: true });
const badAnswer = (method: string) => `The answer to ${method} is not as agreed. Is mom of another version?`;

function findTooLarge(frame: string): GatewayFault | undefined {
  // A character is three bytes at most; only what may be too long is counted.
  if (frame.length * 3 <= maxFrameBytes || new TextEncoder().encode(frame).length <= maxFrameBytes) return undefined;
  const message = `The message is too long: ${maxFrameBytes / 1024 / 1024} MiB at most. Send it as a file.`;
  return new GatewayFault({ code: "INVALID_REQUEST", message });
}

function findTooMany(waiting: number): GatewayFault | undefined {
  return waiting < mostCalls ? undefined : unavailable("Too many calls wait for an answer.");
}
