/** Reads a whole file that is to be changed, if it may be: a regular one, not too large. */
import { ToolError } from "../../base/errors.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import { formatBytes } from "../kit/format-bytes.ts";

/** A file is held several times over while it is changed. */
const maxFileBytes = 32 * 1024 * 1024;

/** Undefined when there is none. */
export async function loadFile(operations: Operations, path: string): Promise<Uint8Array | undefined> {
  const found = await operations.stat(path);
  if (found === undefined) return undefined;
  if (found.type !== "file") {
    throw new ToolError(
      "FILE_NOT_REGULAR",
      `"${path}" is ${found.type === "folder" ? "a folder" : "no regular file"}`,
      {
        hint: "Name a file; use ls to see what is in a folder.",
      },
    );
  }
  // The file may grow between the two questions.
  const bytes =
    found.size <= maxFileBytes
      ? await operations.readFile(path, { offset: 0, maxBytes: maxFileBytes + 1 })
      : new Uint8Array();
  const size = Math.max(found.size, bytes.length);
  if (size <= maxFileBytes) return bytes;
  throw new ToolError(
    "FILE_TOO_BIG",
    `"${path}" has ${formatBytes(size)}; files up to ${formatBytes(maxFileBytes)} can be changed`,
    { hint: "Change it with a program instead." },
  );
}
