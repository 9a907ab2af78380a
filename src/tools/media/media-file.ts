/** Where pictures and speech are put when the call names no place: the scratch folder, under a name of their own. */
import { randomBytes } from "node:crypto";
import { extname, join } from "node:path";
import type { Clock } from "../../contracts/clock.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import { keepNewest } from "../kit/keep-newest.ts";

export interface Scratch {
  clock: Clock;
  /** Relative to the working folder or absolute. */
  scratchFolder: string;
}

export interface MediaFile {
  /** What the name begins with. */
  stem: string;
  /** Without the dot. */
  extension: string;
  bytes: Uint8Array;
}

const maxStemLength = 60;
/** Of pictures, and of sounds, each. */
const maxFiles = 50;

/** Gives the path. Where there are many such files already, the oldest goes. */
export async function saveInScratch(operations: Operations, scratch: Scratch, file: MediaFile): Promise<string> {
  const path = buildScratchPath(scratch, file);
  await operations.writeFile(path, file.bytes);
  const kind = kindOf(path);
  const isOwn = (name: string) => ownName.test(name) && kindOf(name) === kind;
  await keepNewest(operations, { folder: scratch.scratchFolder, isOwn, maxFiles, written: path });
  return path;
}

const ownName = /-\d{8}-\d{6}-[0-9a-f]{4}\.[a-z0-9]+$/;

/** `scratch/speech-20261116-094512-1f3a.wav`: sorts by age, and two calls never share one. */
function buildScratchPath({ clock, scratchFolder }: Scratch, { stem, extension }: MediaFile): string {
  const [day, time] = new Date(clock.now()).toISOString().replace(/[-:]/g, "").split(/[T.]/);
  const safeStem = stem.replace(/[^\p{L}\p{N}_-]+/gu, "_").slice(0, maxStemLength);
  return join(scratchFolder, `${safeStem}-${day}-${time}-${randomBytes(2).toString("hex")}.${extension}`);
}

const pictures = new Set([".png", ".jpg", ".gif", ".webp"]);
const kindOf = (name: string) => (pictures.has(extname(name)) ? "picture" : "sound");
