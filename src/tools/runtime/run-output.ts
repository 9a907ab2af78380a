/** The output of a background run in bounded memory: the last part of it, and how far the model has read. */
export interface TakenOutput {
  text: string;
  /** Bytes that came and went unread, because there was more than is kept. */
  lostBytes: number;
}

export interface RunOutput {
  push(chunk: Uint8Array): void;
  /** What came since the last time. A character that is not whole yet waits for its rest, unless `isFinal`. */
  take(isFinal: boolean): TakenOutput;
  /** Bytes that wait to be taken. */
  readonly unread: number;
  /** Bytes in all. */
  readonly total: number;
}

export function createRunOutput(maxBytes: number): RunOutput {
  let chunks: Uint8Array[] = [];
  let unread = 0;
  let lost = 0;
  let total = 0;

  const compact = (): Buffer => {
    const whole = Buffer.concat(chunks);
    const start = whole.length > maxBytes ? firstWholeCharacter(whole, whole.length - maxBytes) : 0;
    const kept = Buffer.from(whole.subarray(start));
    lost += start;
    chunks = [kept];
    unread = kept.length;
    return kept;
  };
  return {
    push(chunk) {
      // A copy: the chunk may be a small view of a large buffer.
      chunks.push(Buffer.from(chunk));
      unread += chunk.length;
      total += chunk.length;
      // Compacting only at twice the size makes the copying cost per byte constant.
      if (unread > 2 * maxBytes) compact();
    },
    take(isFinal) {
      const kept = compact();
      const end = isFinal ? kept.length : endOfWholeCharacters(kept);
      const taken = { text: new TextDecoder().decode(kept.subarray(0, end)), lostBytes: lost };
      chunks = [kept.subarray(end)];
      unread = kept.length - end;
      lost = 0;
      return taken;
    },
    get unread() {
      return unread;
    },
    get total() {
      return total;
    },
  };
}

const isContinuation = (byte: number | undefined) => ((byte ?? 0) & 0xc0) === 0x80;

function firstWholeCharacter(bytes: Uint8Array, from: number): number {
  let start = from;
  while (start < from + 3 && isContinuation(bytes[start])) start++;
  return start;
}

/** Leaves out the beginning of a character at the very end whose rest has not come. */
function endOfWholeCharacters(bytes: Uint8Array): number {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--;
  const first = bytes[lead] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return lead >= 0 && lead + length > bytes.length ? lead : bytes.length;
}
