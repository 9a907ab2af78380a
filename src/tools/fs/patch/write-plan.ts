/** Brings a planned patch to the disk: all of it, or, when one file cannot be written, what was there before. */
import { errorText, MomError, ToolError } from "../../../base/errors.ts";
import type { Operations } from "../../../contracts/sandbox.ts";
import type { PlannedFile } from "./plan-patch.ts";

/** `before`: the files as they were, by real path. */
export async function writePlan(
  operations: Operations,
  plan: readonly PlannedFile[],
  before: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  const begun: PlannedFile[] = [];
  // What goes, goes last: until then nothing is lost that is not written elsewhere.
  const order = plan.toSorted((a, b) => Number(a.after === undefined) - Number(b.after === undefined));
  try {
    for (const planned of order) {
      begun.push(planned);
      await put(operations, planned.file, planned.after);
    }
  } catch (cause) {
    const failed = begun.pop();
    const stuck = await putBack(operations, begun, before);
    const reason = errorText(cause);
    throw new ToolError(
      "PATCH_NOT_WRITTEN",
      `"${failed?.path}" could not be written (${reason}); ${
        stuck.length === 0 ? "every file is as it was" : `these files are changed all the same: ${stuck.join(", ")}`
      }`,
      { hint: (cause instanceof MomError ? cause.hint : undefined) ?? "Check permissions and free space.", cause },
    );
  }
}

const put = (operations: Operations, file: string, content: string | Uint8Array | undefined) =>
  content === undefined ? operations.removeFile(file) : operations.writeFile(file, content);

/** Names the files that could not be put back. */
async function putBack(
  operations: Operations,
  begun: readonly PlannedFile[],
  before: ReadonlyMap<string, Uint8Array>,
): Promise<string[]> {
  const stuck: string[] = [];
  for (const { file, path } of begun.toReversed()) {
    await put(operations, file, before.get(file)).catch(() => stuck.push(path));
  }
  return stuck;
}
