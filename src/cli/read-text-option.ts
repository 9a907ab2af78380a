/** The text of `--message`: as given, or all of stdin for `-`. */
import { UsageError } from "../base/errors.ts";
import type { CliIo } from "./io.ts";

/** The same as a channel takes. */
const maxBytes = 1024 * 1024;

/** Throws `MESSAGE_EMPTY` (unless `mayBeEmpty`) and `MESSAGE_TOO_LONG`. */
export async function readTextOption(io: CliIo, given: string, { mayBeEmpty = false } = {}): Promise<string> {
  const text = given === "-" ? await readAll(io) : given;
  if (Buffer.byteLength(text) > maxBytes) throw tooLong();
  if (!mayBeEmpty && text.trim() === "") {
    throw new UsageError("MESSAGE_EMPTY", "The message is empty.", {
      hint: 'Give a text: --message "hello", or --message - to read it from stdin.',
    });
  }
  return text;
}

async function readAll({ stdin }: CliIo): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong();
  }
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

function tooLong(): UsageError {
  return new UsageError("MESSAGE_TOO_LONG", `The message is longer than ${maxBytes} bytes.`, {
    hint: "Put the text into a file and attach it: mom agent --message ... --attach <file>",
  });
}
