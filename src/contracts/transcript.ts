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
  /** Id of the life that this one was forked from. */
  parentSession?: string;
}

interface EntryBase {
  id: EntryId;
  parentId: EntryId | null;
  /** ISO 8601. */
  timestamp: string;
  /** Leaves the context when its task is over (spec 3.7); the file keeps it. */
  scope?: EntryScope;
}

/** What an entry was needed for, and how to have it again when it is gone from the context. */
export interface EntryScope {
  kind: "skill" | "tool_result" | "memory";
  /** The skill, the tool, the file. */
  name: string;
  /** One line for the model: how to load it again. */
  reload: string;
  /** Never leaves by itself. */
  pinned?: true;
}

/** The entry types of the format. Others that a file may have are kept and passed over. */
export type TranscriptEntry = EntryBase &
  (
    | { type: "message"; message: ModelMessage }
    | { type: "model_change"; provider: string; modelId: string }
    | { type: "thinking_level_change"; thinkingLevel: string }
    /** Everything before `firstKeptEntryId` is replaced by `summary` in what the model is sent. */
    | {
        type: "compaction";
        summary: string;
        firstKeptEntryId: EntryId;
        /** Estimate of what was sent before. */
        tokensBefore: number;
        details?: unknown;
      }
    /** Hides (null) or replaces one earlier entry for the model only. */
    | { type: "context_edit"; targetId: EntryId; replacement: null | { content: string } }
    /** Sent to the model as user text: skill bodies, notes of the house. */
    | { type: "custom_message"; customType: string; content: string; display: boolean; details?: unknown }
    /** Never sent to the model. */
    | { type: "custom"; customType: string; data?: unknown }
    /** What a left branch was about; sent to the model. */
    | { type: "branch_summary"; fromId: string; summary: string }
    | { type: "label"; targetId: EntryId; label?: string }
    | { type: "session_info"; name: string }
  );
