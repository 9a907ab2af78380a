/** Events on their way from one producer to one reader, who may come late, read slowly, or not at all. */
export interface EventQueue<T> extends AsyncIterable<T> {
  /** Nothing happens after `end`. */
  push(event: T): void;
  end(): void;
}

export function createEventQueue<T>(): EventQueue<T> {
  let waiting: T[] = [];
  let ended = false;
  let wake: () => void = () => undefined;
  return {
    push(event) {
      if (ended) return;
      waiting.push(event);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        // Taken in batches: shifting one by one from a long array would cost more with every event.
        const batch = waiting;
        waiting = [];
        yield* batch;
        if (waiting.length > 0) continue;
        if (ended) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
