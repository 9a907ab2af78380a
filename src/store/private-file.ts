/** Reads a file that only its owner may read, and sees to it that this is so. Used for `auth.json`. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { AuthError, systemCode } from "../base/errors.ts";
import type { Log } from "../contracts/log.ts";

const privateMode = 0o600;
/** Far more than keys can take up. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Undefined when there is none. A link, a pipe or a huge file is refused; bits that let others in are taken away and said,
 * or refused where the file is another user's. `forWriting`: another user's is refused in any case, because replacing it
 * would make it ours.
 */
export async function readPrivateFile(
  path: string,
  log: Log,
  { forWriting = false } = {},
): Promise<{ text: string } | undefined> {
  const file = await openFile(path);
  if (file === undefined) return undefined;
  try {
    await ensurePrivate(file, path, log, forWriting);
    return { text: await file.readFile("utf8") };
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") throw buildUnsafe(path, "is a link");
    throw new AuthError("AUTH_FILE_UNREADABLE", `${path} cannot be read (${code ?? "unknown"}).`, {
      hint: "Run mom as the user who owns the data directory.",
      cause: error,
    });
  }
}

async function ensurePrivate(file: FileHandle, path: string, log: Log, forWriting: boolean): Promise<void> {
  const found = await file.stat();
  if (!found.isFile()) throw buildUnsafe(path, "is not a file");
  if (found.size > maxBytes) throw buildUnsafe(path, `has ${found.size} bytes, far more than keys take up`);
  const mode = found.mode & 0o777;
  const isOurs = process.getuid === undefined || process.getuid() === found.uid;
  const isOpen = process.getuid !== undefined && (mode & 0o077) !== 0;
  if (!isOurs && (isOpen || forWriting)) throw buildUnsafe(path, `belongs to another user (${found.uid})`);
  if (!isOpen) return;
  await file.chmod(privateMode);
  const was = mode.toString(8).padStart(4, "0");
  log.warn("auth.json could be read by other users; only its owner may now", { path, was, now: "0600" });
}

function buildUnsafe(path: string, what: string): AuthError {
  return new AuthError("AUTH_FILE_UNSAFE", `${path} ${what}. mom keeps keys only in a plain file of her own.`, {
    hint: "Put a plain file there that belongs to the user who runs mom, or remove it and add the keys again with `mom auth add`.",
  });
}
