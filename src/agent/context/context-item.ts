/** One message of what a model is sent, with the transcript entry that it comes from. */
import type { EntryId } from "../../contracts/ids.ts";
import type { ModelMessage } from "../../contracts/model.ts";
import type { EntryScope } from "../../contracts/transcript.ts";

export interface ContextItem {
  /** The entry; for a summary, the compaction's. */
  id: EntryId;
  message: ModelMessage;
  /** Stands for everything before it. */
  isSummary?: true;
  scope?: EntryScope;
  /** Its content is already a shortened form of what the entry holds. */
  isEdited?: true;
}
