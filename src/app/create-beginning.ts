/**
 * The start of what mom does on her own: what a crash left is made good once, then the clock is looked at. A start that fails
 * is tried again by itself, so that one bad moment does not silence every reminder until somebody restarts mom.
 */
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";

interface BeginningParts {
  clock: Pick<Clock, "after">;
  log: Log;
  /** Once, before the first `go`; after a failure again, from its top. */
  begin(): Promise<void>;
  /** At every start. */
  go(): Promise<void>;
}

interface Beginning {
  /** Does not throw: what fails is told to the log and tried again. */
  start(): Promise<void>;
  /** It has been begun, or is being begun now. */
  hasBegun(): boolean;
  /** Nothing is tried again, and nothing goes. Resolves when what is being begun has begun: only then can it be ended. */
  stop(): Promise<void>;
}

const retryMs = 5000;

export function createBeginning({ clock, log, begin, go }: BeginningParts): Beginning {
  let beginning: Promise<void> | undefined;
  let isStopped = false;
  let cancelRetry = () => {};

  const start = async () => {
    if (isStopped) return;
    beginning ??= begin();
    const mine = beginning;
    try {
      await mine;
      if (!isStopped) await go();
    } catch (error) {
      // Of several who wait for the same one, only the first.
      if (isStopped || beginning !== mine) return;
      beginning = undefined;
      log.error("What mom does on her own could not be started; it is tried again", { error, waitMs: retryMs });
      cancelRetry();
      cancelRetry = clock.after(retryMs, () => void start());
    }
  };
  return {
    start,
    hasBegun: () => beginning !== undefined,
    async stop() {
      isStopped = true;
      cancelRetry();
      await beginning?.catch(() => undefined);
    },
  };
}
