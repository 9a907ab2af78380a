/** The text thread: edits and patches of files too large for beside the turns. Started by `text-work.ts`. */
import { serveWorker } from "../../base/serve-worker.ts";
import { editText } from "./edit-text.ts";
import { planPatch } from "./patch/plan-patch.ts";
import type { TextAnswer, TextJob } from "./text-work.ts";

serveWorker(
  (given: TextJob): TextAnswer =>
    given.type === "edit"
      ? { type: "edit", outcome: editText(given.job) }
      : { type: "patch", outcome: planPatch(given.job) },
);
