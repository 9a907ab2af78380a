/** Keeps the last bytes of a stream in bounded memory, for the result of a run. */
export interface OutputTail {
  push(chunk: Uint8Array): void;
  /** What was kept, as text. A character that the cut went through is left out. */
  text(): string;
}

export function createOutputTail(maxBytes: number): OutputTail {
  let chunks: Uint8Array[] = [];
  let keptBytes = 0;
  let wasCut = false;

  const compact = () => {
    const whole = Buffer.concat(chunks);
    const kept = whole.length > maxBytes ? Buffer.from(whole.subarray(whole.length - maxBytes)) : whole;
    wasCut ||= kept.length < whole.length;
    chunks = [kept];
    keptBytes = kept.length;
    return kept;
  };
  return {
    push(chunk) {
      chunks.push(chunk);
      keptBytes += chunk.length;
      // Compacting only at twice the size makes the copying cost per byte constant.
      if (keptBytes > 2 * maxBytes + 65_536) compact();
    },
    text() {
      const kept = compact();
      return new TextDecoder().decode(wasCut ? kept.subarray(firstWholeCharacter(kept)) : kept);
    },
  };
}

/** Continuation bytes at the front belong to a character whose beginning is gone; there are three at most. */
function firstWholeCharacter(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return start;
}
