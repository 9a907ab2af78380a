/** Gathers what comes between two frames of the screen. Where drawing is slow, it waits as long as drawing takes: the page stays usable. */
export interface FrameQueue<Value> {
  push(value: Value): void;
  /** Held back until it is let go. */
  hold(): void;
  release(): void;
  clear(): void;
}

const hiddenMs = 500;

export function createFrameQueue<Value>(take: (values: Value[]) => void): FrameQueue<Value> {
  let waiting: Value[] = [];
  let isHeld = false;
  let isPlanned = false;
  let costMs = 0;
  const flush = () => {
    isPlanned = false;
    if (isHeld || waiting.length === 0) return;
    const values = waiting;
    waiting = [];
    const started = performance.now();
    take(values);
    // Behind the drawing that this has led to.
    requestAnimationFrame(() =>
      setTimeout(() => {
        costMs = performance.now() - started;
      }),
    );
  };
  const plan = () => {
    if (isPlanned || isHeld) return;
    isPlanned = true;
    // A hidden page gets no frames.
    if (document.hidden) setTimeout(flush, hiddenMs);
    else if (costMs > 50) setTimeout(flush, Math.min(1_000, costMs));
    else requestAnimationFrame(flush);
  };
  return {
    push: (value) => {
      waiting.push(value);
      plan();
    },
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      plan();
    },
    clear: () => {
      waiting = [];
    },
  };
}
