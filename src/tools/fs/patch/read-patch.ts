/** Reads a patch in either way of writing one. */
import { ToolError } from "../../../base/errors.ts";
import { ensureWellFormed } from "../ensure-well-formed.ts";
import { isPatchFormat, parsePatch } from "./parse-patch.ts";
import { isUnifiedDiff, parseUnifiedDiff } from "./parse-unified-diff.ts";
import type { FileChange } from "./patch-parts.ts";

/** Throws `PATCH_MALFORMED`. */
export function readPatch(patch: string): FileChange[] {
  ensureWellFormed(patch);
  if (isPatchFormat(patch)) return parsePatch(patch);
  if (isUnifiedDiff(patch)) return parseUnifiedDiff(patch);
  throw new ToolError("PATCH_MALFORMED", 'The patch does not start with "*** Begin Patch"', {
    hint: 'Start it so, name each file with "*** Update File: path", and end with "*** End Patch".',
  });
}

/** The files that a patch names, as it names them, each once. */
export function listPatchPaths(changes: readonly FileChange[]): string[] {
  const paths = changes.flatMap((change) =>
    change.type === "update" && change.moveTo !== undefined ? [change.path, change.moveTo] : [change.path],
  );
  return [...new Set(paths)];
}
