/**
 * Opens what a sandbox is to show and programs could swap for a link meanwhile: from a folder that they cannot swap down,
 * step by step, never through a link. A descriptor stays what it is, whatever its name means by the time of the mount.
 */
import { constants, fstat, open } from "node:fs";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import { errorText, ToolError } from "../base/errors.ts";
import { type OpenFolder, openFolder } from "../base/open-folder.ts";
import type { Pin } from "./bwrap-args.ts";
import { closeDescriptors } from "./spawn-child.ts";

/** Linux: names a file without opening it, so that a pipe cannot hang it nor a missing right refuse it. */
const asName = 0o10_000_000 | constants.O_NOFOLLOW;
const openDescriptor = promisify(open);
const look = promisify(fstat);

/** One descriptor per pin, the caller's to close. Throws `SANDBOX_FAILED` when one is not what it was planned to be. */
export async function openPins(pins: readonly Pin[]): Promise<number[]> {
  const folders = createFolderChain();
  const opened: number[] = [];
  try {
    for (const { source, below } of pins) {
      const folder = await folders.enter(dirname(source), below);
      const fd = await openDescriptor(folder.entry(basename(source)), asName);
      opened.push(fd);
      const info = await look(fd);
      if (!info.isDirectory() && !info.isFile()) throw new Error("it is neither a folder nor a file");
    }
    return opened;
  } catch (cause) {
    closeDescriptors(opened);
    throw swappedError(cause);
  } finally {
    await folders.close();
  }
}

/** Every folder is entered through the one above it, once. */
function createFolderChain() {
  const open = new Map<string, OpenFolder>();
  const enter = async (path: string, below: string): Promise<OpenFolder> => {
    const known = open.get(path);
    if (known !== undefined) return known;
    const folder = await openFolder(path === below ? path : (await enter(dirname(path), below)).entry(basename(path)));
    open.set(path, folder);
    return folder;
  };
  return {
    enter,
    close: () => Promise.all([...open.values()].map((folder) => folder.close())),
  };
}

export function swappedError(cause: unknown): ToolError {
  return new ToolError("SANDBOX_FAILED", `A folder changed while the sandbox was built: ${errorText(cause)}`, {
    hint: "Call again. If it goes on, end the program that renames folders or lays links there.",
    retryable: true,
    cause,
  });
}
