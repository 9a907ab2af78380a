/** Puts pictures, documents and downloads of the browser into the session's scratch folder, in bounded number. */
import { join, parse } from "node:path";
import { ToolError } from "../../base/errors.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import { keepNewest } from "../kit/keep-newest.ts";

const slots = 20;
const maxDownloads = 50;
const maxCopies = 2 * maxDownloads;

/** Into the slot (`page-1.pdf`, `page-2.pdf` …) that is free or was written longest ago. The path, as the model may use it. */
export async function saveInSlot(
  operations: Operations,
  folder: string,
  name: "page" | "screenshot",
  extension: string,
  data: Uint8Array,
): Promise<string> {
  let oldest = { path: "", modifiedAt: Number.POSITIVE_INFINITY };
  for (let n = 1; n <= slots; n++) {
    const path = join(folder, `${name}-${n}.${extension}`);
    const modifiedAt = (await operations.stat(path))?.modifiedAt ?? Number.NEGATIVE_INFINITY;
    if (modifiedAt < oldest.modifiedAt) oldest = { path, modifiedAt };
    if (modifiedAt === Number.NEGATIVE_INFINITY) break;
  }
  await operations.writeFile(oldest.path, data);
  return oldest.path;
}

/** Under its own name, or with a number where that is taken; the oldest downloads make room. The path. */
export async function saveDownload(
  operations: Operations,
  scratchFolder: string,
  name: string,
  data: Uint8Array,
): Promise<string> {
  // A folder of their own: among other files nobody could tell which were downloaded.
  const folder = join(scratchFolder, "downloads");
  const { name: stem, ext } = parse(name);
  for (let n = 1; n <= maxCopies; n++) {
    const path = join(folder, n === 1 ? name : `${stem}-${n}${ext}`);
    if ((await operations.stat(path)) !== undefined) continue;
    await operations.writeFile(path, data);
    await keepNewest(operations, { folder, isOwn: () => true, maxFiles: maxDownloads, written: path });
    return path;
  }
  throw new ToolError("BROWSER_DOWNLOAD", `${folder} has ${maxCopies} files called "${name}" already`, {
    hint: "Remove some of them.",
  });
}
