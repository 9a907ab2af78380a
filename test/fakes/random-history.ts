/** Conversations from a seed, for property tests: the same seed gives the same conversation, in every shape that occurs. */
import type { EntryId } from "../../src/contracts/ids.ts";
import type {
  AssistantMessage,
  ImageContent,
  ModelMessage,
  TextContent,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "../../src/contracts/model.ts";

export interface Random {
  /** 0 ≤ n < 1. */
  next(): number;
  /** `from` ≤ n ≤ `to`. */
  between(from: number, to: number): number;
  chance(share: number): boolean;
}

/** A counter, scrambled by multiplications: good enough to reach every branch, and the same on every machine. */
export function createRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (share) => next() < share,
  };
}

const noUsage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

export const buildUser = (content: UserMessage["content"]): UserMessage => ({ role: "user", content, timestamp: 0 });

export function buildAssistant(...content: AssistantMessage["content"]): AssistantMessage {
  const stopReason = content.some((block) => block.type === "toolCall") ? "toolUse" : "stop";
  return { role: "assistant", content, api: "x", provider: "x", model: "x", usage: noUsage, stopReason, timestamp: 0 };
}

export const buildText = (text: string): TextContent => ({ type: "text", text });
export const buildPicture = (): ImageContent => ({ type: "image", data: "aGVsbG8=", mimeType: "image/png" });

export function buildCall(id: string, name = "read", args: Record<string, unknown> = { path: `${id}.md` }): ToolCall {
  return { type: "toolCall", id, name, arguments: args };
}

export function buildResult(
  toolCallId: string,
  content: string | ToolResultMessage["content"],
  toolName = "read",
): ToolResultMessage {
  const blocks = typeof content === "string" ? [buildText(content)] : content;
  return { role: "toolResult", toolCallId, toolName, content: blocks, isError: false, timestamp: 0 };
}

/** `e0`, `e1` … in order. */
export function toItems(messages: readonly ModelMessage[]): { id: EntryId; message: ModelMessage }[] {
  return messages.map((message, index) => ({ id: `e${index}` as EntryId, message }));
}

const words = [
  "file",
  "ключ",
  "会议",
  "🦊",
  "notes.md",
  "\n",
  "user:",
  "</material>",
  "42",
  "https://example.org/a?b=1",
];

export function buildRandomText(random: Random, maxCharacters: number): string {
  const length = random.between(1, maxCharacters);
  const pick = () => words[random.between(0, words.length - 1)] ?? "";
  const phrase = `${Array.from({ length: Math.min(40, Math.ceil(length / 4)) }, pick).join(" ")} `;
  return phrase.repeat(Math.ceil(length / phrase.length));
}

/** Whole turns: a request, any number of tool groups, mostly an answer. The last one may still be running. */
export function buildRandomHistory(random: Random, turns: number, maxCharacters = 4000): ModelMessage[] {
  const messages: ModelMessage[] = [];
  const size = () => (random.chance(0.1) ? maxCharacters * 10 : maxCharacters);
  for (let turn = 0; turn < turns; turn++) {
    messages.push(buildUser(buildRandomText(random, size())));
    for (let group = random.between(0, 4); group > 0; group--) {
      const calls = Array.from({ length: random.between(1, 3) }, (_, n) => buildCall(`t${turn}g${group}c${n}`));
      messages.push(buildAssistant(buildText(buildRandomText(random, 200)), ...calls));
      for (const call of calls) {
        if (random.chance(0.1)) messages.push(buildUser(buildRandomText(random, 200)));
        const picture = random.chance(0.1) ? [buildPicture()] : [];
        messages.push(buildResult(call.id, [buildText(buildRandomText(random, size())), ...picture]));
      }
    }
    const isLast = turn === turns - 1;
    if (!(isLast && random.chance(0.5))) messages.push(buildAssistant(buildText(buildRandomText(random, size()))));
  }
  return messages;
}

/** Provider's rules: every result has its call in the answer before it, every call its result before the next answer. */
export function findOrphans(messages: readonly ModelMessage[]): string[] {
  const orphans: string[] = [];
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === "toolResult" && !open.delete(message.toolCallId)) orphans.push(`result ${message.toolCallId}`);
    if (message.role !== "assistant") continue;
    orphans.push(...[...open].map((id) => `call ${id}`));
    open = new Set(message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : [])));
  }
  return [...orphans, ...[...open].map((id) => `call ${id}`)];
}
