/** Writes to a stream that may go away (`mom chat | head -1`) without an error flying loose. */
import type { Writable } from "node:stream";

export interface Writer {
  /** Resolves when the stream has taken it; false when it is closed. */
  write(text: string): Promise<boolean>;
  /** More is waiting than the stream likes; `onDrain` tells when it goes on. */
  readonly isFull: boolean;
  onDrain(handler: () => void): void;
}

/** `onClosed` is called once, when a write fails for good. */
export function createWriter(stream: Writable, onClosed: () => void): Writer {
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    onClosed();
  };
  // Stays for the life of the stream: an error after our last write must not end the process either.
  stream.on("error", close);
  return {
    write: (text) =>
      new Promise((resolve) => {
        if (isClosed || stream.writableEnded || stream.destroyed) return resolve(false);
        stream.write(text, (error) => {
          if (error) close();
          resolve(!error);
        });
      }),
    get isFull() {
      return stream.writableNeedDrain;
    },
    onDrain: (handler) => void stream.once("drain", handler),
  };
}
