/**
 * Removes a name from an open folder, with all that is below it. Programs may be at work in there: nothing is reached by a
 * path, no link is followed, and neither depth nor number can exhaust anything. For what the store removes
 * in a workspace.
 */
import { randomBytes } from "node:crypto";
import type { Dirent } from "node:fs";
import { opendir, rename, rmdir, unlink } from "node:fs/promises";
import { errorText, StoreError, systemCode } from "../base/errors.ts";
import { type OpenFolder, openFolder } from "../base/open-folder.ts";
import { isNoFolder, useFolder } from "../base/open-within.ts";

/** How the names begin that are given to what is about to go; a crash may leave some behind. */
export const removedPrefix = ".removed-";
export const newRemovedName = (): string => removedPrefix + randomBytes(8).toString("hex");

const atOnce = 256;
/** Somebody who makes things as fast as they are removed must not keep mom busy for ever. */
const mostRounds = 1_000_000;
const mostRefills = 100;

/**
 * Nothing of that name: nothing happens. A folder that is deeper down is moved up before it is emptied, so that only two are
 * ever open. Throws `STORE_FILE_REFUSED` when something cannot be removed.
 */
export async function removeWithin(folder: OpenFolder, name: string): Promise<void> {
  const waiting = [name];
  let refills = 0;
  try {
    for (let rounds = 0; rounds < mostRounds && refills < mostRefills; rounds++) {
      const next = waiting.at(-1);
      if (next === undefined) return;
      const left = await reduce(folder, next);
      if (left.type === "gone") waiting.pop();
      else if (left.type === "below") waiting.push(left.name);
      else if (left.type === "refilled") refills++;
    }
  } catch (error) {
    throw error instanceof StoreError ? error : refused(name, error);
  }
  throw refused(name);
}

/**
 * `below`: a folder that was in it, by its new name in `folder`; it must go first. `refilled`: it was empty, and something
 * has come into it since.
 */
type Left = { type: "gone" | "some" | "refilled" } | { type: "below"; name: string };

async function reduce(folder: OpenFolder, name: string): Promise<Left> {
  const inner = await openInner(folder, name);
  if (!inner) return { type: "gone" };
  const left = await useFolder(inner, async ({ entry }): Promise<Left> => {
    const items = await readSome(entry("."));
    for (const item of items) {
      if (!item.isDirectory() && (await unlinkName(entry(item.name)))) continue;
      const moved = newRemovedName();
      if (await moveName(entry(item.name), folder.entry(moved))) return { type: "below", name: moved };
    }
    return { type: items.length > 0 ? "some" : "gone" };
  });
  if (left.type !== "gone") return left;
  return (await removeEmpty(folder.entry(name))) ? left : { type: "refilled" };
}

/** What is no folder goes at once. */
async function openInner(folder: OpenFolder, name: string): Promise<OpenFolder | undefined> {
  try {
    return await openFolder(folder.entry(name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    if (!isNoFolder(error) || !(await unlinkName(folder.entry(name)))) throw error;
    return undefined;
  }
}

async function readSome(path: string): Promise<Dirent[]> {
  const items: Dirent[] = [];
  for await (const item of await opendir(path)) {
    items.push(item);
    if (items.length >= atOnce) break;
  }
  return items;
}

/** False: it is a folder. */
async function unlinkName(path: string): Promise<boolean> {
  try {
    await unlink(path);
  } catch (error) {
    if (systemCode(error) === "EISDIR" || systemCode(error) === "EPERM") return false;
    orIfAbsent(error);
  }
  return true;
}

/** False: it was gone already. */
async function moveName(path: string, target: string): Promise<boolean> {
  try {
    await rename(path, target);
    return true;
  } catch (error) {
    orIfAbsent(error);
    return false;
  }
}

/** False: something has come into it since. */
async function removeEmpty(path: string): Promise<boolean> {
  try {
    await rmdir(path);
  } catch (error) {
    if (systemCode(error) === "ENOTEMPTY" || systemCode(error) === "EEXIST" || isNoFolder(error)) return false;
    orIfAbsent(error);
  }
  return true;
}

function orIfAbsent(error: unknown): void {
  if (systemCode(error) !== "ENOENT") throw error;
}

function refused(name: string, cause?: unknown): StoreError {
  const why = cause === undefined ? "it goes on growing" : (systemCode(cause) ?? errorText(cause));
  return new StoreError("STORE_FILE_REFUSED", `${name} cannot be removed (${why})`, {
    hint: "A program works in it, or has closed a folder to mom. End the program, and remove what is left by hand.",
    cause,
  });
}
