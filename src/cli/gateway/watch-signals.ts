/** Tells when somebody wants this process to end: Ctrl-C, a service manager, a terminal that is closed. */
import type { Clock } from "../../contracts/clock.ts";
import type { CliIo } from "../io.ts";

export interface SignalWatch {
  /** Resolves at the first one. */
  first: Promise<NodeJS.Signals>;
  /** Signals do again what they usually do. */
  stop(): void;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** One request can come twice: to the whole process group, and passed on by the launcher. */
const echoMs = 300;

/** A second request ends the process at once. */
export function watchSignals({ io, clock }: { io: Pick<CliIo, "exit">; clock: Clock }): SignalWatch {
  const first = Promise.withResolvers<NodeJS.Signals>();
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (firstAt !== undefined && clock.monotonic() - firstAt > echoMs) io.exit(1);
    firstAt ??= clock.monotonic();
    first.resolve(signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    first: first.promise,
    stop() {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
