/**
 * Reads one file of the memory. Agents and their programs write there, so a name may be a link to the host's secrets, a pipe
 * that never ends, ten gigabytes, or gone a moment later: only a regular file that really lies where it is looked for is read.
 */
import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../base/errors.ts";
import { isOpenAt } from "../../base/open-folder.ts";
import type { Source } from "./source.ts";

export type SourceRead =
  | { type: "text"; text: string; stamp: string; changedAtMs: number }
  | { type: "absent" }
  /** `reason`: a sentence about it. `stamp` absent: it could not be looked at. */
  | { type: "unusable"; reason: string; stamp?: string };

const maxNoteBytes = 2 * 1024 * 1024;
/** They only grow, and are text of many messages. */
const maxTranscriptBytes = 16 * 1024 * 1024;

/** Never throws. */
export async function readSource({ root, file, type }: Source): Promise<SourceRead> {
  let handle: FileHandle | undefined;
  try {
    const path = join(await realpath(root), file);
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const info = await handle.stat({ bigint: true });
    if (!info.isFile()) return { type: "unusable", reason: "it is not a regular file" };
    const stamp = toStamp(info);
    if (!(await isOpenAt(handle, path))) return { type: "unusable", reason: "it is reached through a link" };
    const maxBytes = type === "note" ? maxNoteBytes : maxTranscriptBytes;
    if (info.size > maxBytes) {
      return { type: "unusable", reason: `it is larger than ${maxBytes / 1024 / 1024} MB`, stamp };
    }
    const bytes = await readBytes(handle, Number(info.size));
    if (bytes.includes(0)) return { type: "unusable", reason: "it is not text (it has NUL bytes)", stamp };
    // What is no UTF-8 is replaced: the rest of the file is as good as before.
    const text = new TextDecoder("utf-8").decode(bytes).replaceAll(/\r\n?/g, "\n");
    return { type: "text", text, stamp, changedAtMs: Number(info.mtimeMs) };
  } catch (error) {
    return toFailure(error);
  } finally {
    await handle?.close().catch(() => undefined);
  }
}

/** What tells one state of a file from another; content cannot change without its change time, which nobody can set. */
export const toStamp = (info: { ino: bigint; size: bigint; mtimeNs: bigint; ctimeNs: bigint }): string =>
  `${info.ino}:${info.size}:${info.mtimeNs}:${info.ctimeNs}`;

async function readBytes(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(buffer, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

function toFailure(error: unknown): SourceRead {
  const code = systemCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") return { type: "absent" };
  if (code === "ELOOP" || code === "EMLINK") return { type: "unusable", reason: "it is a link" };
  if (code === "ENXIO") return { type: "unusable", reason: "it is not a regular file" };
  return { type: "unusable", reason: `it cannot be read (${code ?? "unknown"})` };
}
