/**
 * Transcripts by chance, the same for the same seed: turns with parallel calls, answers that failed, crashes between two
 * steps, compactions at good and bad places, context edits, and lines that no program should have written.
 */
import type { AssistantMessage, ModelMessage, Usage } from "../../src/contracts/model.ts";
import type { TranscriptEntry } from "../../src/contracts/transcript.ts";

/** A pixel each; the smallest that readers take for what they are. */
export const tinyPng =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const tinyGif = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

const usage: Usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

export interface Chance {
  /** From 0, under `limit`. */
  below(limit: number): number;
  pick<Value>(values: readonly Value[]): Value;
  is(probability: number): boolean;
}

/** Marsaglia's xorshift: small, and the same everywhere. */
export function createChance(seed: number): Chance {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick<Value>(values: readonly Value[]): Value {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error("nothing to pick from");
      return value;
    },
    is: (probability) => next() < probability,
  };
}

/** Lines as they would be parsed from a file; a path, each the child of the one before. */
export function makeTranscript(chance: Chance, steps: number): TranscriptEntry[] {
  const lines: object[] = [];
  const ids: string[] = [];
  let calls = 0;
  const add = (body: object) => {
    const id = (lines.length + 1).toString(16).padStart(8, "0");
    lines.push({ id, parentId: ids.at(-1) ?? null, timestamp: "2026-01-02T03:04:05.000Z", ...body });
    ids.push(id);
  };
  const say = (message: object) => add({ type: "message", message: { timestamp: lines.length, ...message } });
  const anyId = () => (ids.length > 0 && chance.is(0.9) ? chance.pick(ids) : "ffffffff");
  const makeId = () =>
    chance.pick([() => `toolu_${++calls}`, () => "call_0", () => `call_${++calls}|fc_${calls}+/=`, () => ""])();

  const answer = (content: AssistantMessage["content"], stopReason: AssistantMessage["stopReason"]) => {
    const [api, provider, model] = chance.pick([
      ["anthropic-messages", "anthropic", "a-1"],
      ["openai-responses", "openai", "o-1"],
      ["openai-completions", "local", "l-1"],
    ] as const);
    const thought = {
      type: "thinking" as const,
      thinking: chance.pick(["hm", "", "\ud800"]),
      thinkingSignature: "sig",
    };
    say({
      role: "assistant",
      content: chance.is(0.3) ? [thought, ...content] : content,
      api,
      provider,
      model,
      usage,
      stopReason,
    } satisfies Omit<AssistantMessage, "timestamp">);
  };
  const round = () => {
    const asked = Array.from({ length: 1 + chance.below(4) }, () => ({
      type: "toolCall" as const,
      id: makeId(),
      name: chance.pick(["read", "bash", "no such.tool", ""]),
      arguments: chance.pick([{ path: "a" }, {}, { text: "\u0000\udfff", deep: { "k\ud800": [1, "x"] } }]),
    }));
    answer(
      [...makeTexts(chance), ...asked],
      chance.pick(["toolUse", "toolUse", "toolUse", "length", "aborted", "error"]),
    );
    const results = chance.is(0.2) ? asked.toReversed() : asked;
    for (const { id, name } of results) {
      if (chance.is(0.15)) continue;
      if (chance.is(0.1)) say({ role: "user", content: "by the way" });
      const times = chance.is(0.05) ? 2 : 1;
      for (let n = 0; n < times; n++) {
        const content = makeParts(chance);
        say({ role: "toolResult", toolCallId: id, toolName: name, content, isError: chance.is(0.2) });
      }
    }
  };
  const turn = () => {
    say({ role: "user", content: chance.is(0.5) ? chance.pick(["hello", "", " \n", "\ud83d"]) : makeParts(chance) });
    for (let n = chance.below(4); n > 0; n--) round();
    if (chance.is(0.8)) answer(makeTexts(chance), chance.pick(["stop", "stop", "length", "error", "aborted"]));
  };
  const others: (() => void)[] = [
    () => add({ type: "model_change", provider: "p", modelId: "m" }),
    () => add({ type: "thinking_level_change", thinkingLevel: "high" }),
    () => add({ type: "custom", customType: "x", data: { a: 1 } }),
    () => add({ type: "custom_message", customType: "skill", content: chance.pick(["body", "", []]), display: true }),
    () => add({ type: "branch_summary", fromId: anyId(), summary: chance.pick(["what was", ""]) }),
    () => add({ type: "label", targetId: anyId(), label: "here" }),
    () => add({ type: "session_info", name: "a name" }),
    () => add({ type: "compaction", summary: chance.pick(["so far", ""]), firstKeptEntryId: anyId(), tokensBefore: 9 }),
    () => add({ type: "context_edit", targetId: anyId(), replacement: chance.pick(replacements) }),
    () => add({ type: "context_edit", targetId: anyId(), replacement: chance.pick(replacements) }),
    () => add(chance.pick(garbage)),
    () => lines.push(chance.pick<object>([[], { type: "message" }, { id: 7, type: "message", message: {} }])),
  ];
  for (let n = 0; n < steps; n++) {
    if (chance.is(0.5)) turn();
    else chance.pick(others)();
  }
  // What a parser of untrusted lines gives is whatever they hold.
  return lines as TranscriptEntry[];
}

function makeTexts(chance: Chance): { type: "text"; text: string }[] {
  return Array.from({ length: chance.below(3) }, () => ({
    type: "text" as const,
    text: chance.pick(["fine", "", "  ", "a\u0007b", "\udc00 half"]),
  }));
}

function makeParts(chance: Chance): Extract<ModelMessage, { role: "toolResult" }>["content"] {
  const pictures = [
    { type: "image" as const, data: tinyPng, mimeType: "image/png" },
    { type: "image" as const, data: tinyGif, mimeType: "image/png" },
    { type: "image" as const, data: "not base64!", mimeType: "image/png" },
    { type: "image" as const, data: "aGVsbG8gd29ybGQ=", mimeType: "image/svg+xml" },
  ];
  return [...makeTexts(chance), ...(chance.is(0.3) ? [chance.pick(pictures)] : [])];
}

const replacements: unknown[] = [
  null,
  { content: "(short)" },
  { content: "" },
  { content: [{ type: "text", text: "other" }, 7] },
  { content: [{ type: "toolCall", id: "x", name: "read", arguments: {} }] },
  { content: 5 },
  "text",
  {},
];

const garbage: object[] = [
  { type: "message" },
  { type: "message", message: null },
  { type: "message", message: { role: "wizard", content: "x" } },
  { type: "message", message: { role: "system", content: "obey" } },
  { type: "message", message: { role: "user", content: null } },
  { type: "message", message: { role: "user", content: 7 } },
  { type: "message", message: { role: "user", content: [null, { type: "video" }, { type: "text" }] } },
  { type: "message", message: { role: "assistant", content: "a text" } },
  { type: "message", message: { role: "assistant", content: null } },
  { type: "message", message: { role: "assistant", content: [{ type: "toolCall", name: "read", arguments: "{}" }] } },
  {
    type: "message",
    message: { role: "assistant", content: [{ type: "image", data: tinyPng, mimeType: "image/png" }] },
  },
  { type: "message", message: { role: "toolResult", toolCallId: 5, content: [] } },
  { type: "message", message: { role: "toolResult", toolCallId: "call_0", content: "text" } },
  { type: "message", message: { role: "toolResult", toolCallId: "ghost", toolName: "x", content: [], isError: false } },
  { type: "message", message: { role: "bashExecution", command: "ls", output: "a\u0000b", exitCode: 1 } },
  { type: "message", message: { role: "bashExecution", command: 1 } },
  { type: "message", message: { role: "custom", content: ["?"] } },
  { type: "compaction" },
  { type: "compaction", summary: 7, firstKeptEntryId: null },
  { type: "branch_summary" },
  { type: "custom_message" },
  { type: "context_edit" },
  { type: "from_the_future", message: { role: "user", content: "x" } },
  { type: 12 },
];
