/**
 * Where the matching and comparing of `edit` and `apply_patch` is done: at once for ordinary files, in a thread with a time
 * limit for large ones, so that no file holds up the turns of others.
 */
import { createWorkerRunner } from "../../base/worker-runner.ts";
import type { Clock } from "../../contracts/clock.ts";
import { type EditJob, type EditOutcome, editText } from "./edit-text.ts";
import { type PatchJob, type PatchOutcome, planPatch } from "./patch/plan-patch.ts";

export type TextJob = { type: "edit"; job: EditJob } | { type: "patch"; job: PatchJob };
export type TextAnswer = { type: "edit"; outcome: EditOutcome } | { type: "patch"; outcome: PatchOutcome };

export interface TextWork {
  /** Throws `WORK_TIMED_OUT`, `WORK_FAILED` or `ABORTED`; everything else is an outcome. */
  edit(job: Omit<EditJob, "diffTimeoutMs">, signal: AbortSignal): Promise<EditOutcome>;
  patch(job: Omit<PatchJob, "diffTimeoutMs">, signal: AbortSignal): Promise<PatchOutcome>;
  /** Ends the thread; the next large file would start another. */
  close(): Promise<void>;
}

/**
 * Beyond these, work is not done beside the turns: measured so that text made to be slow takes about 10 ms. An edit compares
 * each character of the file with each of what it seeks at worst; a patch goes through the lines once for every hunk and
 * anchor, a few times over.
 */
const maxInlineBytes = 32 * 1024;
const maxInlineComparisons = 1e7;
const maxInlineLookedAt = 2e6;
const inlineDiffMs = 20;
const threadDiffMs = 2000;
const timeoutMs = 30_000;

export function createTextWork({ clock }: { clock: Clock }): TextWork {
  const runner = createWorkerRunner<TextJob, TextAnswer>({
    source: new URL("./text.worker.ts", import.meta.url),
    clock,
    maxHeapMb: 1024,
  });
  const run = (job: TextJob, signal: AbortSignal) => runner.run(job, { timeoutMs, signal });
  return {
    async edit(given, signal) {
      if (isSmallEdit(given)) return editText({ ...given, diffTimeoutMs: inlineDiffMs });
      const answer = await run({ type: "edit", job: { ...given, diffTimeoutMs: threadDiffMs } }, signal);
      return answer.type === "edit" ? answer.outcome : mixedUp();
    },
    async patch(given, signal) {
      if (isSmallPatch(given)) return planPatch({ ...given, diffTimeoutMs: inlineDiffMs });
      const answer = await run({ type: "patch", job: { ...given, diffTimeoutMs: threadDiffMs } }, signal);
      return answer.type === "patch" ? answer.outcome : mixedUp();
    },
    close: runner.close,
  };
}

function isSmallEdit({ bytes, oldText, newText }: Omit<EditJob, "diffTimeoutMs">): boolean {
  const size = bytes.length + oldText.length + newText.length;
  return size <= maxInlineBytes && bytes.length * oldText.length <= maxInlineComparisons;
}

function isSmallPatch({ patch, files }: Omit<PatchJob, "diffTimeoutMs">): boolean {
  const size = [...files.values()].reduce((sum, file) => sum + file.length, patch.length);
  return size <= maxInlineBytes && size * countSearches(patch) <= maxInlineLookedAt;
}

/** Every hunk and every anchor has such a line; the first hunk of a file may do without. */
const countSearches = (patch: string) => patch.match(/^(?:@@|\*\*\* Update File)/gm)?.length ?? 0;

const mixedUp = (): never => {
  throw new TypeError("the text thread answered another question");
};
