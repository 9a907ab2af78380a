/**
 * `context.jsonl`: what the model saw, in the coding-agent session format, version 3. A `session` header, then entries
 * that each name their parent; the context is the path from the last entry to the root.
 */
import type { EntryId, SessionId, SessionKey } from "./ids.ts";
import type { ModelMessage } from "./model.ts";
import type { SessionType } from "./session.ts";

export interface TranscriptHeader {
  type: "session";
  version: 3;
  id: SessionId;
  /** ISO 8601. */
  timestamp: string;
  cwd: string;
  /** Whose transcript it is, so that a lost database can be rebuilt; other readers pass these over. */
  sessionKey: SessionKey;
  sessionType: SessionType;
  agentId: string;
}

/** The entry types that mom writes today; a reader keeps the ones it does not know. */
export interface TranscriptEntry {
  type: "message" | "model_change" | "custom" | "compaction";
  id: EntryId;
  parentId: EntryId | null;
  /** ISO 8601. */
  timestamp: string;
  /** On `message`. */
  message?: ModelMessage;
  /** On `model_change`. */
  provider?: string;
  modelId?: string;
  /** On `custom`: never sent to the model. */
  customType?: string;
  data?: unknown;
}
