/**
 * Opens files that clients may see: of the workspace, which is hostile ground (no link is followed, regular files with one name only), and
 * those that mom has posted.
 */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, isAbsolute, normalize, sep } from "node:path";
import { StoreError, systemCode } from "../../base/errors.ts";
import { imageHeaderBytes, pickImageType } from "../../base/image-type.ts";
import { isOpenAt } from "../../base/open-folder.ts";
import { openWithin, useFolder } from "../../base/open-within.ts";
import type { DeliveryBody } from "../../contracts/store.ts";

export interface OpenFile {
  file: FileHandle;
  size: number;
  /** By its first bytes, where it is an image that may be shown in place. */
  imageType?: string;
}

/** Waits for nobody, as a pipe would. */
const asPlainFile = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** `path`: relative to `root`. Undefined: there is no such file. */
export async function openBelow(root: string, path: string): Promise<OpenFile | undefined> {
  const way = normalize(path);
  if (isAbsolute(way) || way.includes("\0") || way.split(sep).includes("..")) return undefined;
  return orNothing(async () => {
    const folder = await openWithin(root, dirname(way));
    return folder && useFolder(folder, async ({ entry }) => look(await open(entry(basename(way)), asPlainFile)));
  });
}

/** Whether it may be seen was decided when it was posted; it must only still be that file. */
export async function openPosted(body: Extract<DeliveryBody, { type: "file" }>): Promise<OpenFile | undefined> {
  return orNothing(async () => {
    const found = await look(await open(body.path, asPlainFile));
    if (!found || !body.isReal || (await isOpenAt(found.file, body.path))) return found;
    await found.file.close();
    return undefined;
  });
}

async function look(file: FileHandle): Promise<OpenFile | undefined> {
  try {
    const info = await file.stat();
    // Another name of it may lie where nobody should see it from here.
    if (info.isFile() && info.nlink <= 1) {
      const imageType = await readImageType(file);
      return { file, size: info.size, ...(imageType !== undefined && { imageType }) };
    }
    await file.close();
    return undefined;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readImageType(file: FileHandle): Promise<string | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(imageHeaderBytes), { position: 0 });
  const header = buffer.subarray(0, bytesRead);
  const isAvif = header.toString("latin1", 4, 12) === "ftypavif";
  return isAvif ? "image/avif" : pickImageType(header);
}

const isMissing = ["ENOENT", "ENOTDIR", "ELOOP", "EMLINK", "EISDIR", "EACCES", "EPERM", "ENXIO", "ENAMETOOLONG"];

async function orNothing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isMissing.includes(systemCode(error) ?? "") || error instanceof StoreError) return undefined;
    throw error;
  }
}
