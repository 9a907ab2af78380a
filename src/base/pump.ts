/**
 * Takes work as long as there is room for it and some is to be had, runs it side by side, and looks again whenever it is
 * woken or a piece of work ends. What the work is, and where it comes from, is the caller's.
 */
export interface Pump {
  /** Something may be there to do. Cheap, may be called at any time. */
  wake(): void;
  /** Pieces of work that run now. */
  readonly active: number;
  readonly draining: boolean;
  /** Takes no more; resolves when what runs has ended. */
  drain(): Promise<void>;
}

interface PumpParts {
  /** The next piece of work, already claimed; undefined when there is none. Its promise never rejects. */
  take(): Promise<(() => Promise<void>) | undefined>;
  maxActive(): number;
  /** Called when a look has found no more. */
  afterLook?(): Promise<void>;
  /** Looking itself failed; the caller decides when to wake again. */
  onFailure(error: unknown): void;
}

export function createPump({ take, maxActive, afterLook, onFailure }: PumpParts): Pump {
  const active = new Set<Promise<void>>();
  let draining = false;
  let looking: Promise<void> | undefined;
  let wokenMeanwhile = false;

  const start = (work: () => Promise<void>) => {
    const task = work().finally(() => {
      active.delete(task);
      wake();
    });
    active.add(task);
  };
  const look = async () => {
    try {
      do {
        wokenMeanwhile = false;
        while (!draining && active.size < maxActive()) {
          const work = await take();
          if (!work) break;
          start(work);
        }
      } while (wokenMeanwhile && !draining);
      if (!draining) await afterLook?.();
    } catch (error) {
      onFailure(error);
    } finally {
      looking = undefined;
      // Woken between the last look and here.
      if (wokenMeanwhile) wake();
    }
  };
  const wake = () => {
    if (draining) return;
    if (looking) wokenMeanwhile = true;
    else looking = look();
  };

  return {
    wake,
    get active() {
      return active.size;
    },
    get draining() {
      return draining;
    },
    async drain() {
      draining = true;
      // What a look has just claimed is work like any other.
      await looking;
      while (active.size > 0) await Promise.all(active);
    },
  };
}
