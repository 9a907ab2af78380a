/**
 * Files of the data directory for custom tools. Programs can write in parts of it: links are followed as long as they stay
 * inside, then the real place is entered folder by folder, so that nothing swapped meanwhile leads elsewhere; only regular
 * files are opened.
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { systemCode, ToolError } from "../../base/errors.ts";
import { makeFolderIn, type OpenFolder, openFolder } from "../../base/open-folder.ts";
import { openWithin, useFolder } from "../../base/open-within.ts";
import type { ToolAPI } from "./sdk.ts";

const maxReadBytes = 10 * 1024 * 1024;
// Without NONBLOCK, opening a pipe would wait for a writer for ever.
const toRead = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export function createDataFiles(
  dataDir: string,
  closedPaths: readonly string[],
): Pick<ToolAPI, "readFile" | "writeFile"> {
  /** The real place, below the real data directory. */
  const confine = async (path: string): Promise<{ home: string; way: string; name: string }> => {
    const home = await realpath(dataDir);
    const real = await toReal(resolve(dataDir, path));
    const closed = await Promise.all(closedPaths.map(toReal));
    const isBelow = (folder: string) => real === folder || real.startsWith(folder + sep);
    if (real === home) throw notRegular(path);
    if (isBelow(home) && !closed.some(isBelow)) {
      return { home, way: relative(home, dirname(real)), name: basename(real) };
    }
    throw new ToolError("HOST_TOOL_PATH", `"${path}" is closed to custom tools`, {
      hint: "They may use the data directory, less config.json, auth.json and state/.",
    });
  };
  return {
    async readFile(path) {
      const { home, way, name } = await confine(path);
      const folder = await openWithin(home, way);
      if (!folder) throw missing(path);
      return useFolder(folder, async () => {
        const file = await open(folder.entry(name), toRead).catch((error: unknown) => {
          // A link that came since, a socket, a pipe.
          throw ["ELOOP", "EMLINK", "ENXIO"].includes(systemCode(error) ?? "") ? notRegular(path) : error;
        });
        return readText(file, path);
      });
    },
    async writeFile(path, data) {
      const { home, way, name } = await confine(path);
      await useFolder(await ensureFolder(home, way), async (folder) => {
        const entry = folder.entry(name);
        const before = await lstat(entry).catch(() => undefined);
        if (before && !before.isFile()) throw notRegular(path);
        await writeFileAtomic(entry, data, before ? { mode: before.mode & 0o777 } : {});
      });
    },
  };
}

async function readText(file: FileHandle, path: string): Promise<string> {
  try {
    if (!(await file.stat()).isFile()) throw notRegular(path);
    const chunks: Buffer[] = [];
    // One byte more than is allowed tells that there is more, also in a file that grows meanwhile.
    const stream = file.createReadStream({ start: 0, end: maxReadBytes, autoClose: false });
    for await (const chunk of stream) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (bytes.length > maxReadBytes) throw tooLarge(path);
    return bytes.toString("utf8");
  } finally {
    await file.close();
  }
}

/** Missing ones are made, each in the one above it. Throws `ENOTDIR` where something else has the name. */
async function ensureFolder(home: string, way: string): Promise<OpenFolder> {
  const there = await openWithin(home, way);
  if (there) return there;
  const parent = await ensureFolder(home, way.includes(sep) ? dirname(way) : "");
  return useFolder(parent, async () => {
    await makeFolderIn(parent, basename(way));
    return openFolder(parent.entry(basename(way)));
  });
}

/** Links followed as far as the path exists. */
async function toReal(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (systemCode(error) !== "ENOENT" || parent === path) throw error;
    return join(await toReal(parent), basename(path));
  }
}

const notRegular = (path: string) => new ToolError("HOST_TOOL_FILE", `"${path}" is not a regular file`);

const tooLarge = (path: string) =>
  new ToolError("HOST_TOOL_FILE", `"${path}" is larger than ${maxReadBytes / 1024 / 1024} MB`, {
    hint: "A tool that needs more of it can open it with node:fs.",
  });

const missing = (path: string) => Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: "ENOENT" });
