/** Every regular file of a folder that is to be copied, in memory and bounded. A link anywhere in it refuses the whole. */
import { constants, type Dirent } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../base/errors.ts";
import { listFolder } from "./list-folder.ts";

export interface CollectedFile {
  /** Relative, with `/`. */
  path: string;
  bytes: Uint8Array;
  isExecutable: boolean;
}

/** `problem` completes "this skill …". */
export type Collected = { type: "files"; files: CollectedFile[] } | { type: "refused"; problem: string };

const maxFiles = 200;
const maxFileBytes = 1024 * 1024;
const maxTotalBytes = 10 * 1024 * 1024;
const maxDepth = 6;

class Refusal extends Error {}

/** `root`: real. Hidden files and node_modules are left out. Never throws. */
export async function collectFiles(root: string): Promise<Collected> {
  const files: CollectedFile[] = [];
  try {
    await collectInto(files, root, "", 0);
    return { type: "files", files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) };
  } catch (error) {
    if (error instanceof Refusal) return { type: "refused", problem: error.message };
    return { type: "refused", problem: `has a file that cannot be read (${systemCode(error) ?? "unknown"})` };
  }
}

async function collectInto(files: CollectedFile[], root: string, folder: string, depth: number): Promise<void> {
  if (depth > maxDepth) throw new Refusal(`has folders over ${maxDepth} deep: ${folder}`);
  const listed = await listFolder(join(root, folder), 1000);
  if (listed.type === "unusable") throw new Refusal(`has the folder ${folder || "."}, which ${listed.reason}`);
  if (listed.isCut) throw new Refusal(`has a folder with over 1000 entries: ${folder || "."}`);
  for (const entry of listed.entries) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) await collectInto(files, root, path, depth + 1);
    else await collectFile(files, root, path, entry);
  }
}

async function collectFile(files: CollectedFile[], root: string, path: string, entry: Dirent): Promise<void> {
  if (entry.isSymbolicLink()) throw new Refusal(`has a link, ${path}: put the file itself in its place`);
  if (!entry.isFile()) throw new Refusal(`has ${path}, which is no regular file`);
  if (files.length === maxFiles) throw new Refusal(`has over ${maxFiles} files`);
  const file = await readOne(join(root, path), path);
  files.push({ path, ...file });
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  if (totalBytes > maxTotalBytes) throw new Refusal(`has over ${maxTotalBytes / 1024 / 1024} MB in all`);
}

async function readOne(absolute: string, path: string): Promise<Omit<CollectedFile, "path">> {
  const file = await open(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const info = await file.stat();
    const now = await lstat(absolute);
    // The folder may belong to the agent, who could put a link on the way while it is being read.
    const isSame = (await realpath(absolute)) === absolute && now.ino === info.ino && now.dev === info.dev;
    if (!info.isFile() || !isSame) throw new Refusal(`has ${path}, which is no regular file`);
    if (info.size > maxFileBytes) throw new Refusal(`has ${path}, which is over ${maxFileBytes / 1024 / 1024} MB`);
    const buffer = Buffer.alloc(info.size);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return { bytes: buffer.subarray(0, bytesRead), isExecutable: (info.mode & 0o100) !== 0 };
  } finally {
    await file.close();
  }
}
