/** Files without a name, through which mom tells bubblewrap something and hears from it. Nothing is left of them at the end. */
import { randomBytes } from "node:crypto";
import { constants, open, unlink, writeFile } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ToolError } from "../base/errors.ts";
import { closeDescriptors } from "./spawn-child.ts";

/** Two descriptors of one file, each with a position of its own. Both are the caller's to close. */
export interface UnnamedFile {
  writer: number;
  reader: number;
}

// Descriptors, not handles: they are given away, and a handle would close them a second time.
const openDescriptor = promisify(open);
const removeName = promisify(unlink);
const writeAll = promisify(writeFile);
const asNew = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Throws `SANDBOX_FAILED` where no file can be made. */
export async function openUnnamed(bytes: Buffer = Buffer.alloc(0)): Promise<UnnamedFile> {
  const path = join(tmpdir(), `mom-${randomBytes(12).toString("hex")}`);
  const opened: number[] = [];
  try {
    const writer = await openDescriptor(path, asNew, 0o600);
    opened.push(writer);
    const reader = await openDescriptor(path, constants.O_RDONLY | constants.O_NOFOLLOW).finally(() =>
      removeName(path),
    );
    opened.push(reader);
    if (bytes.length > 0) await writeAll(writer, bytes);
    return { writer, reader };
  } catch (cause) {
    closeDescriptors(opened);
    throw new ToolError("SANDBOX_FAILED", `The sandbox could not be built: no file can be made in ${tmpdir()}`, {
      hint: "Free space there, or set TMPDIR to a folder that mom may write to.",
      cause,
    });
  }
}

/** A descriptor that gives the bytes from the start; the caller's to close. */
export async function openWithBytes(bytes: Buffer): Promise<number> {
  const { writer, reader } = await openUnnamed(bytes);
  closeDescriptors([writer]);
  return reader;
}
