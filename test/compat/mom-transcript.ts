/** A transcript as mom writes it: its own header fields, scopes, every entry type of the contract, a branch that was left. */
import type { EntryId, SessionId, SessionKey } from "../../src/contracts/ids.ts";
import type { EntryScope, TranscriptHeader } from "../../src/contracts/transcript.ts";
import type { NewEntry } from "../../src/contracts/turn.ts";
import { answer, call, result, text, thought, user } from "./conversation.ts";

const timestamp = "2026-01-02T03:04:05.000Z";
const header: TranscriptHeader = {
  type: "session",
  version: 3,
  id: "0b6f0d8e-5d5c-4f0e-9a39-6f3d3a1f2c11" as SessionId,
  timestamp,
  cwd: "/workspace",
  sessionKey: "agent:main:group:slack:C1" as SessionKey,
  sessionType: "group",
  agentId: "main",
  parentSession: "7a1f6c52-0f2e-4f7a-8f0a-2f9f1f6f3b77",
};
const skill: EntryScope = { kind: "skill", name: "weather", reload: "Read /workspace/skills/weather/SKILL.md." };
const large: EntryScope = { kind: "tool_result", name: "read", reload: 'Call read(path="b.md") to have it again.' };

/** Distributes over the entry types, so that each keeps its own fields. */
type Body = NewEntry extends infer Entry ? (Entry extends unknown ? Omit<Entry, "id" | "timestamp"> : never) : never;

export function buildMomTranscript(): string {
  const lines: object[] = [header];
  let leaf: EntryId | null = null;
  const add = (body: Body, parentId: EntryId | null = leaf): EntryId => {
    const id = lines.length.toString(16).padStart(8, "0") as EntryId;
    lines.push({ ...body, id, parentId, timestamp });
    leaf = id;
    return id;
  };
  add({ type: "model_change", provider: "anthropic", modelId: "model-1" });
  add({ type: "thinking_level_change", thinkingLevel: "low" });
  add({ type: "message", message: user("[ann]: what is in a.md?") });
  add({ type: "message", message: answer(thought("I look."), call("c1", "a.md")) });
  add({ type: "message", message: result("c1", "a is here") });
  const root = add({ type: "message", message: answer(text("It says: a is here.")) });

  add({ type: "message", message: user("[ann]: a way that was left") });
  const left = add({ type: "message", message: answer(text("That led nowhere.")) });
  add({ type: "branch_summary", fromId: left, summary: "We tried another way." }, root);

  const body = add({
    type: "custom_message",
    customType: "skill",
    content: "# Weather\nHow to ask for it.",
    display: true,
    scope: skill,
  });
  const kept = add({ type: "message", message: user("[ann]: and in b.md?") });
  add({ type: "message", message: answer(call("c2", "b.md"), call("c3", "c.md")) });
  const long = add({ type: "message", message: result("c2", "b ".repeat(4000)), scope: large });
  const hidden = add({ type: "message", message: result("c3", "c is here") });
  add({ type: "message", message: answer(text("b, many times.")) });
  add({ type: "custom", customType: "mom.delivery", data: { messageId: "1" } });
  add({ type: "label", targetId: kept, label: "b" });
  add({ type: "session_info", name: "About files" });
  add({ type: "compaction", summary: "Ann asked about a.md.", firstKeptEntryId: body, tokensBefore: 1200 });
  add({ type: "message", message: user("[ann]: thanks") });
  add({ type: "context_edit", targetId: body, replacement: { content: `(no skill. ${skill.reload})` } });
  add({ type: "context_edit", targetId: long, replacement: { content: `(no result. ${large.reload})` } });
  add({ type: "context_edit", targetId: hidden, replacement: null });
  add({ type: "message", message: answer(text("You are welcome.")) });
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}
