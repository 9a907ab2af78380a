/** Entries of the transcript as the agent makes them, before the store has chained them to their parent. */
import { newEntryId } from "../base/ids.ts";
import type { EntryId } from "../contracts/ids.ts";
import type { ModelInfo, ModelMessage } from "../contracts/model.ts";
import type { EntryScope } from "../contracts/transcript.ts";
import type { NewEntry } from "../contracts/turn.ts";
import { buildOwnAnswer } from "./own-answer.ts";

const begin = (nowMs: number) => ({ id: newEntryId(), timestamp: new Date(nowMs).toISOString() });

export const buildMessageEntry = (message: ModelMessage, nowMs: number, scope?: EntryScope): NewEntry => ({
  type: "message",
  ...begin(nowMs),
  message,
  ...(scope && { scope }),
});

export const buildModelChange = ({ provider, id: modelId }: ModelInfo, nowMs: number): NewEntry => ({
  type: "model_change",
  ...begin(nowMs),
  provider,
  modelId,
});

export const buildEdit = (targetId: EntryId, content: string, nowMs: number): NewEntry => ({
  type: "context_edit",
  ...begin(nowMs),
  targetId,
  replacement: { content },
});

export const buildSkillText = (name: string, content: string, scope: EntryScope, nowMs: number): NewEntry => ({
  type: "custom_message",
  ...begin(nowMs),
  customType: "skill",
  content,
  display: false,
  details: { name },
  scope,
});

export const buildCompaction = (
  compaction: { summary: string; firstKeptEntryId: EntryId; tokensBefore: number; details?: unknown },
  nowMs: number,
): NewEntry => ({ type: "compaction", ...begin(nowMs), ...compaction });

/** Something that mom herself puts on record in the model's place, so that it does not take a request up again. */
export const buildNote = (text: string, nowMs: number): NewEntry =>
  buildMessageEntry(buildOwnAnswer({ text, stopReason: "stop", nowMs }), nowMs);
