/**
 * One download from its first byte to its end: held to a size while it comes in, then read from the browser's folder with
 * care (the browser, and so perhaps a page, wrote it) and taken into the workspace by the call that reports it.
 */
import { constants } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Download } from "playwright-core";
import type { Clock } from "../../contracts/clock.ts";
import { formatBytes } from "../kit/format-bytes.ts";

const maxBytes = 50 * 1024 * 1024;
const pollMs = 200;

export interface DownloadWatch {
  /** As the page calls it; made safe for a file name. */
  readonly name: string;
  /** Resolves when it is over: with the data, or why there is none. Never rejects. Reads it once. */
  readonly ended: Promise<{ type: "data"; data: Uint8Array } | { type: "failed"; reason: string }>;
  isOver(): boolean;
  /** Ends it and removes what came. */
  cancel(): Promise<void>;
}

export function watchDownload(download: Download, folder: string, clock: Clock): DownloadWatch {
  let isOver = false;
  let isTooBig = false;
  const tooBig = `it is larger than ${formatBytes(maxBytes)}`;
  const look = async () => {
    if (isOver) return;
    // All that comes in counts together: many small ones fill a disk as well.
    isTooBig = (await sumSizes(folder)) > maxBytes;
    if (isTooBig) await download.cancel();
    else clock.after(pollMs, () => void look());
  };
  const finish = async () => {
    try {
      const failure = await download.failure();
      if (isTooBig) return { type: "failed" as const, reason: tooBig };
      if (failure !== null) return { type: "failed" as const, reason: "it broke off" };
      const data = await readDownloaded(await download.path(), folder);
      if (data !== undefined) return { type: "data" as const, data };
      return { type: "failed" as const, reason: "it is not where it should be" };
    } catch {
      return { type: "failed" as const, reason: isTooBig ? tooBig : "it could not be read" };
    } finally {
      isOver = true;
      await download.delete().catch(() => undefined);
    }
  };
  void look();
  return {
    name: toFileName(download.suggestedFilename()),
    ended: finish(),
    isOver: () => isOver,
    cancel: () => download.cancel().catch(() => undefined),
  };
}

async function sumSizes(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The path comes from the browser: it must lie in its folder, and be a plain file, not a link to one of ours. */
async function readDownloaded(path: string, folder: string): Promise<Uint8Array | undefined> {
  if (dirname(path) !== folder) return undefined;
  const file = await open(
    join(folder, basename(path)),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  try {
    const found = await file.stat();
    if (!found.isFile() || found.nlink !== 1 || found.size > maxBytes) return undefined;
    const data = Buffer.alloc(found.size);
    let filled = 0;
    while (filled < data.length) {
      const { bytesRead } = await file.read(data, filled, data.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return data.subarray(0, filled);
  } finally {
    await file.close();
  }
}

/** No folder, no hidden file, nothing that a shell or a terminal takes for something else. */
export function toFileName(suggested: string): string {
  const name = basename(suggested.replaceAll("\\", "/"))
    .replace(/[^\p{L}\p{N}._-]+/gu, "_")
    .replace(/^[.-]+/, "");
  return [...name].slice(-100).join("") || "download";
}
