/** `apply_patch`: changes to several files at once, all of them or none. Adds, updates, moves and deletes. */
import { type Static, Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { Tool } from "../../contracts/tool.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { loadFile } from "./load-file.ts";
import type { PlannedFile } from "./patch/plan-patch.ts";
import { listPatchPaths, readPatch } from "./patch/read-patch.ts";
import { writePlan } from "./patch/write-plan.ts";
import type { TextWork } from "./text-work.ts";

/** Characters; more than models write in one go. */
const maxPatchLength = 256 * 1024;
const maxTotalBytes = 64 * 1024 * 1024;

const parameters = Type.Object(
  { patch: Type.String({ minLength: 1, maxLength: maxPatchLength }) },
  { additionalProperties: false },
);

interface PatchDetails {
  files: Omit<PlannedFile, "after" | "file">[];
}

export interface ApplyPatchOptions {
  textWork: TextWork;
}

export function createApplyPatchTool(
  operations: Operations,
  { textWork }: ApplyPatchOptions,
): Tool<typeof parameters, PatchDetails> {
  // Asked for twice, for the locks and for the call itself.
  let known: { patch: string; paths: string[] } | undefined;
  const pathsOf = (patch: string) => {
    if (known?.patch !== patch) known = { patch, paths: listPatchPaths(readPatch(patch)) };
    return known.paths;
  };
  return {
    name: "apply_patch",
    label: "Patch",
    description:
      'Change files, all or none. "*** Begin Patch", then per file "*** Add File: p" (lines with +), "*** Delete File: p" or "*** Update File: p" (optional "*** Move to: q"; hunks: "@@ line above", lines with space, - or +), then "*** End Patch". Unified diffs work too.',
    parameters,
    effect: "write",
    describe: describePatch,
    locks: async ({ patch }) => filesOf(await locate(operations, pathsOf(patch))),
    async execute(_id, { patch }, signal) {
      const places = await locate(operations, pathsOf(patch));
      const files = await loadFiles(operations, filesOf(places), signal);
      const outcome = await textWork.patch({ patch, places, files }, signal);
      if (outcome.type === "failed") throw new ToolError("PATCH_FAILED", outcome.message, { hint: outcome.hint });
      signal.throwIfAborted();
      await writePlan(operations, outcome.files, files);
      const tolerance = outcome.isTolerant ? "\n(Differences in trailing space, quotes or dashes were set aside.)" : "";
      const details = { files: outcome.files.map(({ after: _after, file: _file, ...shown }) => shown) };
      return buildTextResult(formatPlan(outcome.files) + tolerance, details);
    },
  };
}

/** Real paths by name. */
async function locate(operations: Operations, paths: readonly string[]): Promise<Map<string, string>> {
  const places = new Map<string, string>();
  for (const path of paths) places.set(path, await operations.resolve(path));
  return places;
}

/** Two names of one file are one file. */
const filesOf = (places: ReadonlyMap<string, string>) => [...new Set(places.values())];

async function loadFiles(operations: Operations, paths: readonly string[], signal: AbortSignal) {
  const files = new Map<string, Uint8Array>();
  let total = 0;
  for (const file of paths) {
    signal.throwIfAborted();
    const bytes = await loadFile(operations, file);
    if (bytes === undefined) continue;
    total += bytes.length;
    if (total > maxTotalBytes) {
      throw new ToolError("FILE_TOO_BIG", "The files of the patch are too large together", {
        hint: "Send one patch for each of the large files.",
      });
    }
    files.set(file, bytes);
  }
  return files;
}

function formatPlan(files: readonly PlannedFile[]): string {
  const lines = files.flatMap(({ path, action, from, firstLine }) => {
    const line = firstLine === undefined ? "" : `, line ${firstLine}`;
    // The old name of a moved file is told with the new one.
    if (action === "moved") return from === undefined ? [] : [`moved ${from} to ${path}${line}`];
    return [`${action} ${path}${action === "updated" ? line : ""}`];
  });
  return `Done:\n${lines.join("\n")}`;
}

function describePatch({ patch }: Static<typeof parameters>): string {
  const paths = [...patch.matchAll(/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)(.+)$/gm)].map(
    (match) => match[1]?.trim() ?? "",
  );
  return `apply_patch ${paths.join(", ")}`;
}
