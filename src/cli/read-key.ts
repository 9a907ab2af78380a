/** A key for `mom auth add`: from a file, from a pipe, or typed without being shown. Never from the command line. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { systemCode, UsageError } from "../base/errors.ts";
import type { CliIo } from "./io.ts";
import { createPrompter } from "./prompter.ts";

const maxBytes = 64 * 1024;

/** Throws `AUTH_KEY_UNREADABLE` and `AUTH_KEY_INVALID`. */
export async function readKey(io: CliIo, provider: string, keyFile: string | undefined): Promise<string> {
  const text = keyFile === undefined ? await readTyped(io, provider) : await readKeyFile(resolve(io.cwd, keyFile));
  const key = text.trim();
  if (key === "") throw buildInvalid("is empty");
  if (!/^[\x21-\x7e]+$/.test(key)) throw buildInvalid("has spaces, line breaks or other characters that no key has");
  return key;
}

async function readTyped(io: CliIo, provider: string): Promise<string> {
  if (io.stdin.isTTY !== true) return readPiped(io);
  const prompter = createPrompter(io);
  try {
    return await prompter.ask(`API key for ${provider} (it is not shown):`, { isSecret: true });
  } finally {
    prompter.close();
  }
}

async function readPiped({ stdin }: CliIo): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw buildInvalid(`is longer than ${maxBytes} bytes`);
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function readKeyFile(path: string): Promise<string> {
  const fail = (why: string, cause?: unknown) =>
    new UsageError("AUTH_KEY_UNREADABLE", `${path} cannot be read as a key file: ${why}.`, {
      hint: "Name a small text file that has the key and nothing else.",
      cause,
    });
  // A path like /dev/stdin or a pipe would be waited for; a file never is.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw fail(systemCode(error) ?? "unknown", error);
  });
  try {
    const found = await file.stat();
    if (!found.isFile()) throw fail("it is not a file");
    if (found.size > maxBytes) throw fail(`it has more than ${maxBytes} bytes`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function buildInvalid(why: string): UsageError {
  return new UsageError("AUTH_KEY_INVALID", `The key ${why}.`, {
    hint: "Give the key alone: at the prompt, from a pipe, or with --key-file <file>.",
  });
}
