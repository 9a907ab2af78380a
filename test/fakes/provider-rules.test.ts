/** The checker of provider rules catches each thing that a provider refuses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssistantMessage, ModelMessage, ToolResultMessage, UserMessage } from "../../src/contracts/model.ts";
import { assertAcceptable } from "./provider-rules.ts";
import { tinyGif } from "./transcript-maker.ts";

const model = { provider: "p", id: "m", input: ["text" as const] };
const seeing = { ...model, input: ["text" as const, "image" as const] };
const user = (content: UserMessage["content"] = "x"): UserMessage => ({ role: "user", content, timestamp: 0 });
const answer = (...content: AssistantMessage["content"]): AssistantMessage => ({
  role: "assistant",
  content,
  api: "x",
  provider: "p",
  model: "m",
  usage: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
  stopReason: "stop",
  timestamp: 0,
});
const text = (value: string) => ({ type: "text" as const, text: value });
const call = (id: string, name = "read") => ({ type: "toolCall" as const, id, name, arguments: {} });
const thought = { type: "thinking" as const, thinking: "hm" };
const result = (toolCallId: string, more: Partial<ToolResultMessage> = {}): ToolResultMessage => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [text("r")],
  isError: false,
  timestamp: 0,
  ...more,
});
const picture = { type: "image" as const, data: tinyGif, mimeType: "image/gif" };

test("a good list passes", () => {
  assertAcceptable([user(), answer(thought, text("a"), call("1"), call("2")), result("1"), result("2"), user()], model);
  assertAcceptable([user([text("a"), picture])], seeing);
});

const refused: [RegExp, ModelMessage[], typeof model | typeof seeing][] = [
  [/at least one/, [], model],
  [/first message/, [answer(text("a")), user()], model],
  [/last message/, [user(), answer(text("a"))], model],
  [/right behind another/, [user(), answer(text("a")), answer(text("b")), user()], model],
  [/has no result/, [user(), answer(call("1")), user()], model],
  [/has no result/, [user(), answer(call("1"), call("2")), result("1"), user(), result("2")], model],
  [/without its call/, [user(), result("1")], model],
  [/without its call/, [user(), answer(call("1")), result("1"), result("1")], model],
  [/out of order/, [user(), answer(call("1"), call("2")), result("2"), result("1")], model],
  [/another name/, [user(), answer(call("1")), result("1", { toolName: "x" })], model],
  [/twice/, [user(), answer(call("1")), result("1"), answer(call("1")), result("1")], model],
  [/bad call id/, [user(), answer(call("a b")), result("a b")], model],
  [/bad tool name/, [user(), answer(call("1", "a.b")), result("1", { toolName: "a.b" })], model],
  [/empty text/, [user(" ")], model],
  [/no content/, [user([])], model],
  [/empty text block/, [user(), answer(text("")), user()], model],
  [/says nothing/, [user(), answer(thought), user()], model],
  [/failed/, [user(), { ...answer(text("a")), stopReason: "aborted" }, user()], model],
  [/another model/, [user(), { ...answer(thought, text("a")), model: "n" }, user()], model],
  [/sees none/, [user([picture])], model],
  [/wrong type/, [user([{ ...picture, mimeType: "image/png" }])], seeing],
  [/no base64/, [user([{ ...picture, data: "?" }])], seeing],
  [/with a picture/, [user(), answer(call("1")), result("1", { content: [picture], isError: true })], seeing],
  [/half a character/, [user("\ud800")], model],
  [/control character/, [user("\b")], model],
];
for (const [why, messages, asked] of refused) {
  test(`refused: ${why.source}`, () => assert.throws(() => assertAcceptable(messages, asked), { message: why }));
}
