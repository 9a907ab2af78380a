/**
 * A wrapper that starts a program elsewhere (in a container) first says on standard error that it is there. Everything
 * before that line comes from the wrapper's own machinery, everything after it from the program.
 */
export interface Greeting {
  /** How the line begins. Not to be guessed by whatever may write before it. */
  prefix: string;
  /** Gets the rest of the line. What it throws is thrown to whoever asked for the start. */
  hear(rest: string): void;
  /** The error to throw when the wrapper ended without a greeting; `noise` is what came instead. */
  toError(noise: string): Error;
}

const maxNoiseBytes = 65_536;

/** `take` gives what belongs to the program, perhaps nothing; `giveUp` makes `heard` reject when nothing was heard. */
export function splitGreeting(greeting: Greeting) {
  let waiting: Buffer | undefined = Buffer.alloc(0);
  const { promise: heard, resolve, reject } = Promise.withResolvers<void>();
  // Nobody may be waiting any more when it fails.
  heard.catch(() => undefined);

  const take = (chunk: Uint8Array): Uint8Array => {
    if (waiting === undefined) return chunk;
    waiting = Buffer.concat([waiting, chunk]);
    const found = findLine(waiting, greeting.prefix);
    if (found === undefined) {
      if (waiting.length > maxNoiseBytes) waiting = waiting.subarray(-maxNoiseBytes);
      return new Uint8Array();
    }
    waiting = undefined;
    try {
      greeting.hear(found.rest);
      resolve();
    } catch (error) {
      reject(error);
    }
    return found.after;
  };
  const giveUp = () => {
    if (waiting !== undefined) reject(greeting.toError(waiting.toString().trim()));
  };
  return { take, heard, giveUp };
}

function findLine(bytes: Buffer, prefix: string): { rest: string; after: Buffer } | undefined {
  for (let start = 0; ; ) {
    const end = bytes.indexOf("\n", start);
    if (end === -1) return undefined;
    const line = bytes.toString("utf8", start, end);
    if (line.startsWith(prefix)) return { rest: line.slice(prefix.length), after: bytes.subarray(end + 1) };
    start = end + 1;
  }
}
