/** Runs tasks one after the other per key, different keys in parallel. Keeps nothing for a key that is idle. */
export interface KeyedQueue {
  /** Resolves or rejects as `task` does; a failure does not stop the ones behind it. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Resolves when everything queued so far has ended. */
  idle(): Promise<void>;
}

export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(key, task) {
      const result = (tails.get(key) ?? Promise.resolve()).then(task);
      const tail = result.then(
        () => undefined,
        () => undefined,
      );
      tails.set(key, tail);
      void tail.then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
      return result;
    },
    async idle() {
      await Promise.all(tails.values());
    },
  };
}
