/** Writes something down a little after it has changed, once for many changes: what is on disk is never ahead, only behind. */
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";

export interface WriteBehind {
  /** It has changed. */
  touch(): void;
  /** Writes now what has changed, and waits for it. Never rejects. */
  flush(): Promise<void>;
  /** The same, and nothing is written after it. */
  end(): Promise<void>;
}

/** `what`: for the log. */
export function createWriteBehind(
  { clock, log }: { clock: Clock; log: Log },
  { what, delayMs }: { what: string; delayMs: number },
  write: () => Promise<void>,
): WriteBehind {
  let cancel: (() => void) | undefined;
  let writing = Promise.resolve();
  let isOver = false;

  function run(): Promise<void> {
    cancel?.();
    cancel = undefined;
    writing = writing.then(write).catch((error: unknown) => {
      log.warn(`${what} could not be written down; trying again`, { error });
      touch();
    });
    return writing;
  }
  function touch(): void {
    if (!isOver) cancel ??= clock.after(delayMs, () => void run());
  }
  return {
    touch,
    flush: () => (cancel ? run() : writing),
    async end() {
      await (cancel ? run() : writing);
      isOver = true;
      cancel?.();
    },
  };
}
