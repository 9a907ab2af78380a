/** Shows the end of a running program's output, not more often than people can read. */
import type { Clock } from "../../contracts/clock.ts";

const tailBytes = 2048;
const intervalMs = 500;

export interface LiveTail {
  push(chunk: Uint8Array): void;
  /** Nothing is shown afterwards. */
  stop(): void;
}

export function createLiveTail(clock: Clock, show: (text: string) => void): LiveTail {
  let tail: Uint8Array = new Uint8Array();
  let lastShownAt = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  const showNow = () => {
    cancel = undefined;
    lastShownAt = clock.monotonic();
    // Characters cut in two by the window's edge show as replacement marks; they are not worth showing.
    show(new TextDecoder().decode(tail).replace(/^\ufffd+/, ""));
  };
  return {
    push(chunk) {
      tail = Buffer.concat([tail, chunk.subarray(-tailBytes)]).subarray(-tailBytes);
      if (cancel !== undefined) return;
      const waitMs = lastShownAt + intervalMs - clock.monotonic();
      if (waitMs <= 0) showNow();
      else cancel = clock.after(waitMs, showNow);
    },
    stop() {
      cancel?.();
    },
  };
}
