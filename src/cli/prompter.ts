/** Asking the person at the terminal: a line of text, or a secret that is not shown while it is typed. */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { UsageError } from "../base/errors.ts";
import { toPrintable } from "../base/printable.ts";
import type { CliIo } from "./io.ts";

export interface Prompter {
  /** The line that was typed, without its end. Rejects with `PROMPT_CANCELLED` (Ctrl-C, end of input) or as `signal` aborts. */
  ask(question: string, options?: { isSecret?: boolean; signal?: AbortSignal }): Promise<string>;
  /** Stdin is let go of. */
  close(): void;
}

/** Questions go to stderr, so that stdout has only results. Also reads lines that were piped in. */
export function createPrompter({ stdin, stderr }: Pick<CliIo, "stdin" | "stderr">): Prompter {
  let isHidden = false;
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) stderr.write(chunk);
      done();
    },
  });
  const terminal = stdin.isTTY === true;
  const lines = createInterface({ input: stdin, output: echo, terminal });
  const typed: string[] = [];
  let waiting: { take(line: string): void; end(): void } | undefined;
  let isOver = false;
  lines.on("line", (line) => (waiting ? waiting.take(line) : typed.push(line)));
  lines.on("SIGINT", () => lines.close());
  lines.on("close", () => {
    isOver = true;
    waiting?.end();
  });

  const nextLine = (signal: AbortSignal | undefined) =>
    new Promise<string>((resolve, reject) => {
      const known = typed.shift();
      if (known !== undefined) return resolve(known);
      if (isOver) return reject(buildCancelled());
      const onAbort = () => {
        waiting = undefined;
        reject(signal?.reason);
      };
      const settle = (finish: () => void) => {
        waiting = undefined;
        signal?.removeEventListener("abort", onAbort);
        finish();
      };
      waiting = {
        take: (line) => settle(() => resolve(line)),
        end: () => settle(() => reject(buildCancelled())),
      };
      if (signal?.aborted) return onAbort();
      signal?.addEventListener("abort", onAbort, { once: true });
    });

  return {
    async ask(question, { isSecret = false, signal } = {}) {
      const text = `${toPrintable(question)} `;
      lines.setPrompt(isSecret ? "" : text);
      // Readline writes the question anew when the line is edited; behind a secret it may write nothing.
      if (terminal && !isSecret && !isOver) lines.prompt();
      else stderr.write(text);
      isHidden = isSecret;
      try {
        return await nextLine(signal);
      } finally {
        isHidden = false;
        if (isSecret && terminal) stderr.write("\n");
      }
    },
    close: () => lines.close(),
  };
}

const buildCancelled = () =>
  new UsageError("PROMPT_CANCELLED", "Cancelled: there was no answer.", {
    hint: "Run it again in a terminal and answer the question.",
  });
