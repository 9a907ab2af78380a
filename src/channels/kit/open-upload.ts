/**
 * Reads a file that is to be uploaded. It lies where programs of the sandbox can write, so at any moment it may be a link to
 * the host's secrets, a pipe that never ends, or huge: what is sent is what was opened and looked at, never a path.
 */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { systemCode } from "../../base/errors.ts";
import { formatBytes } from "../../base/format-values.ts";
import { isOpenAt } from "../../base/open-folder.ts";
import type { OutgoingFile, SendResult } from "../../contracts/channel.ts";

export type OpenedUpload =
  | { type: "open"; bytes: Buffer; size: number }
  /** Can be returned from `uploadFile` as it is. */
  | Extract<SendResult, { type: "rejected" | "retry" }>;

const careful = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** What the file itself says; anything else (no handles left, a disk that does not answer) may be over in a while. */
const lastingCodes = ["ENOENT", "ENOTDIR", "ELOOP", "EMLINK", "EACCES", "EPERM", "ENAMETOOLONG", "EISDIR", "ENXIO"];

/** The path must be without links. Never rejects. */
export async function openUpload({ path, filename }: OutgoingFile, maxBytes: number): Promise<OpenedUpload> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, careful);
    return await readOpen(file, { path, filename }, maxBytes);
  } catch (error) {
    const code = systemCode(error) ?? "unknown";
    if (code === "ELOOP" || code === "EMLINK") return rejected(`${filename} is a link, which is not followed`);
    const reason = `${filename} cannot be read (${code})`;
    return lastingCodes.includes(code) ? rejected(reason) : { type: "retry", reason };
  } finally {
    await file?.close().catch(() => undefined);
  }
}

async function readOpen(
  file: FileHandle,
  { path, filename }: Pick<OutgoingFile, "path" | "filename">,
  maxBytes: number,
): Promise<OpenedUpload> {
  const info = await file.stat();
  if (!info.isFile()) return rejected(`${filename} is no regular file`);
  if (!(await isOpenAt(file, path))) return rejected(`A folder on the way to ${filename} is a link, or has become one`);
  if (info.size > maxBytes) return tooLarge(filename, info.size, maxBytes);
  const chunks: Buffer[] = [];
  // It may grow while it is read. `end` is inclusive: one byte more than allowed tells.
  for await (const chunk of file.createReadStream({ start: 0, end: maxBytes, autoClose: false })) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (bytes.length > maxBytes) return tooLarge(filename, bytes.length, maxBytes);
  return { type: "open", bytes, size: bytes.length };
}

const rejected = (reason: string): OpenedUpload => ({ type: "rejected", reason });
const tooLarge = (filename: string, size: number, maxBytes: number) =>
  rejected(`${filename} has ${formatBytes(size)}, and at most ${formatBytes(maxBytes)} can be uploaded`);
