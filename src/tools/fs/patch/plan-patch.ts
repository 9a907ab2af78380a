/**
 * Works out a whole patch without the disk: every change in turn, on the files as the changes before it left them. Only
 * when all of it fits is there anything to write.
 */
import { ToolError } from "../../../base/errors.ts";
import { decodeText } from "../decode-text.ts";
import { describeChange } from "../describe-change.ts";
import { applyHunks } from "./apply-hunks.ts";
import type { FileChange } from "./patch-parts.ts";
import { readPatch } from "./read-patch.ts";

/** A change with the real files that it is about, whatever they are called. */
type LocatedChange = FileChange & { file: string; moveToFile?: string };

/** The patch goes to a thread as it was written: as text it is copied at once, as a million lines it is not. */
export interface PatchJob {
  patch: string;
  /** Real paths of all files that the patch names, by the name it uses. */
  places: ReadonlyMap<string, string>;
  /** By real path; absent: there is no such file. */
  files: ReadonlyMap<string, Uint8Array>;
  diffTimeoutMs: number;
}

export interface PlannedFile {
  /** Real path. */
  file: string;
  /** As the patch calls it. */
  path: string;
  /** What the file is to be; absent: it goes. */
  after?: string | Uint8Array;
  action: "added" | "updated" | "deleted" | "moved";
  /** Of a moved file: what it was called. */
  from?: string;
  firstLine?: number;
  diff?: string;
}

export type PatchOutcome =
  | { type: "planned"; files: PlannedFile[]; isTolerant: boolean }
  | { type: "failed"; message: string; hint: string };

/** A file as the changes so far leave it. */
interface Draft {
  path: string;
  /** Undefined: there is none. */
  content: string | Uint8Array | undefined;
  /** Real path of the file whose content this was. */
  movedFrom?: string;
}

export function planPatch(job: PatchJob): PatchOutcome {
  try {
    const changes = readPatch(job.patch).map((change) => locate(change, job.places));
    const drafts = toDrafts(changes, job.files);
    let isTolerant = false;
    for (const change of changes) isTolerant = draftChange(drafts, change) || isTolerant;
    return { type: "planned", files: toPlannedFiles(drafts, job), isTolerant };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { type: "failed", message: error.message, hint: error.hint ?? "" };
  }
}

/** Two names of one file are one file. */
function locate(change: FileChange, places: PatchJob["places"]): LocatedChange {
  const file = places.get(change.path) ?? change.path;
  if (change.type !== "update" || change.moveTo === undefined) return { ...change, file };
  return { ...change, file, moveToFile: places.get(change.moveTo) ?? change.moveTo };
}

function toDrafts(changes: readonly LocatedChange[], files: PatchJob["files"]): Map<string, Draft> {
  const drafts = new Map<string, Draft>();
  for (const change of changes) {
    drafts.set(change.file, { path: change.path, content: files.get(change.file) });
    if (change.type !== "update" || change.moveToFile === undefined) continue;
    const path = change.moveTo ?? change.path;
    drafts.set(change.moveToFile, { path, content: files.get(change.moveToFile) });
  }
  return drafts;
}

/** True when differences were set aside. */
function draftChange(drafts: Map<string, Draft>, change: LocatedChange): boolean {
  const draft = drafts.get(change.file) ?? { path: change.path, content: undefined };
  if (change.type === "add") {
    if (draft.content !== undefined) {
      throw failed(`"${change.path}" is to be added but exists already`, "Use Update File, or another name.");
    }
    draft.content = change.text;
    return false;
  }
  if (draft.content === undefined) {
    throw failed(
      `"${change.path}" is to be ${change.type === "delete" ? "deleted" : "updated"} but does not exist`,
      "Check the path with ls or find.",
    );
  }
  if (change.type === "delete") {
    draft.content = undefined;
    return false;
  }
  const { content, isTolerant } = draftUpdate(change, draft.content);
  draft.content = content;
  if (change.moveToFile !== undefined && change.moveToFile !== change.file) moveDraft(drafts, change, draft);
  return isTolerant;
}

function draftUpdate(change: LocatedChange & { type: "update" }, content: string | Uint8Array) {
  if (change.hunks.length === 0) return { content, isTolerant: false };
  const before = typeof content === "string" ? content : decodeText(content);
  if (before === undefined) {
    throw failed(`"${change.path}" is not UTF-8 text; a patch would damage it`, "Change it with a program instead.");
  }
  const { text, isTolerant } = applyHunks(change.path, before, change);
  return { content: text, isTolerant };
}

function moveDraft(drafts: Map<string, Draft>, change: LocatedChange & { type: "update" }, draft: Draft): void {
  const target = drafts.get(change.moveToFile ?? "");
  if (target === undefined || target.content !== undefined) {
    throw failed(
      `"${change.path}" is to be moved to "${change.moveTo}", which exists already`,
      "Delete that file first in the same patch, or take another name.",
    );
  }
  target.content = draft.content;
  target.movedFrom = draft.movedFrom ?? change.file;
  draft.content = undefined;
}

function toPlannedFiles(drafts: Map<string, Draft>, job: PatchJob): PlannedFile[] {
  const moved = new Set([...drafts.values()].flatMap((draft) => draft.movedFrom ?? []));
  const planned: PlannedFile[] = [];
  for (const [file, { path, content, movedFrom }] of drafts) {
    const before = job.files.get(file);
    if (content === undefined) {
      if (before !== undefined) planned.push({ file, path, action: moved.has(file) ? "moved" : "deleted" });
      continue;
    }
    if (content === before) continue;
    const was = movedFrom === undefined ? before : job.files.get(movedFrom);
    const change = compare(was, content, job.diffTimeoutMs);
    if (movedFrom === undefined && was !== undefined && change === undefined) continue;
    planned.push({
      file,
      path,
      after: content,
      action: movedFrom !== undefined ? "moved" : before === undefined ? "added" : "updated",
      ...(movedFrom === undefined ? {} : { from: drafts.get(movedFrom)?.path ?? path }),
      ...change,
    });
  }
  if (planned.length === 0) {
    throw failed("The patch would leave every file as it is", "Nothing needs to be done, or it is not what you meant.");
  }
  return planned;
}

/** Undefined where there is nothing to compare, or nothing differs. */
function compare(before: Uint8Array | undefined, after: string | Uint8Array, diffTimeoutMs: number) {
  const old = before === undefined ? undefined : decodeText(before);
  if (old === undefined || typeof after !== "string" || old === after) return undefined;
  return describeChange(old, after, diffTimeoutMs);
}

const failed = (message: string, hint: string) => new ToolError("PATCH_FAILED", message, { hint });
