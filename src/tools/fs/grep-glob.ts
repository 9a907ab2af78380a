/**
 * Limits a search to the files that a glob names. It is not given to ripgrep as `--glob`, which would search ignored files
 * too: what a glob says of a file's name goes there as a file type, and what it says of folders is held against a list of
 * the files that match.
 */
import { join } from "node:path";
import type { Operations } from "../../contracts/sandbox.ts";

export interface GlobLimit {
  /** For ripgrep: no file that is meant is left out by them, others may be searched. */
  options: string[];
  /** `path`: as ripgrep names it. */
  isMeant(path: string): boolean;
  /** False: there are more such files than are looked through. */
  isComplete: boolean;
}

const maxListed = 50_000;

/** `root`: the real path of the folder to be searched. Rejects as `Operations.glob` does. */
export async function limitToGlob(
  operations: Operations,
  glob: string,
  { root, signal }: { root: string; signal: AbortSignal },
): Promise<GlobLimit> {
  const all = { isMeant: () => true, isComplete: true };
  // One that only takes away does not override anything.
  if (glob.startsWith("!")) return { options: [`--glob=${glob}`], ...all };
  const options = [`--type-add=wanted:${toNameGlob(glob)}`, "--type=wanted"];
  if (nameGlob.test(glob)) return { options, ...all };
  const found = await operations.glob(glob, { root, limit: maxListed, signal });
  const files = new Set(found.map((name) => join(root, name)));
  return { options, isMeant: (path) => files.has(path), isComplete: found.length < maxListed };
}

/** Globs that speak of names alone, and mean the same to ripgrep as to `find`. */
const nameGlob = /^(?:[^/\\[\]{}:]|\{[^/\\[\]{}:,]+(?:,[^/\\[\]{}:,]+)*\})+$/;

/** A glob for names alone that fits every file the whole one fits; what may be read in two ways becomes a star. */
function toNameGlob(glob: string): string {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  const plain = nameGlob.test(name) ? name : name.replace(/^.*[\\[\]{}:]/s, "*");
  return plain.replace(/\*+/g, "*") || "*";
}
