import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { tinyGif, tinyPng } from "../../../test/fakes/transcript-maker.ts";
import type { EntryId } from "../../contracts/ids.ts";
import type { AssistantMessage, ImageContent, ModelMessage, ToolResultMessage } from "../../contracts/model.ts";
import type { ModelFit } from "./clean-message.ts";
import { createContextCache } from "./context-cache.ts";
import { repairMessages } from "./repair-messages.ts";

const usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const model: ModelFit = { provider: "p", id: "m", input: ["text", "image"], contextWindow: 100_000 };
const user = (content: Extract<ModelMessage, { role: "user" }>["content"]): ModelMessage => ({
  role: "user",
  content,
  timestamp: 0,
});
const assistant = (
  content: AssistantMessage["content"],
  stopReason: AssistantMessage["stopReason"] = "stop",
): AssistantMessage => ({
  role: "assistant",
  content,
  api: "x",
  provider: "p",
  model: "m",
  usage,
  stopReason,
  timestamp: 0,
});
const text = (value: string) => ({ type: "text" as const, text: value });
const call = (id: string, name = "read", args: Record<string, unknown> = {}) => ({
  type: "toolCall" as const,
  id,
  name,
  arguments: args,
});
const result = (toolCallId: string, content: ToolResultMessage["content"] = [text(`of ${toolCallId}`)]) => ({
  role: "toolResult" as const,
  toolCallId,
  toolName: "read",
  content,
  isError: false,
  timestamp: 0,
});
const image = (data: string, mimeType = "image/png"): ImageContent => ({ type: "image", data, mimeType });
const repair = (messages: ModelMessage[], fit: ModelFit = model) =>
  repairMessages(
    messages.map((message, n) => ({ id: `e${n}` as EntryId, message })),
    fit,
  );
const outline = (messages: ModelMessage[]) =>
  messages.map((message) => (message.role === "toolResult" ? message.toolCallId : message.role));
const contentsOf = (messages: ModelMessage[]) => messages.map(({ content }) => content);

describe("calls and results", () => {
  test("results come right behind their calls, in the order of the calls", () => {
    const messages = [
      user("x"),
      assistant([call("a"), call("b")], "toolUse"),
      result("b"),
      user("by the way"),
      result("a"),
    ];
    assert.deepEqual(outline(repair(messages)), ["user", "assistant", "a", "b", "user"]);
  });
  test("a call without a result gets one that says so; a result without a call and a failed answer are left out", () => {
    const messages = [user("x"), result("ghost"), assistant([], "error"), assistant([call("a")], "toolUse"), user("y")];
    const repaired = repair(messages);
    assert.deepEqual(outline(repaired), ["user", "assistant", "a", "user"]);
    assert.match(JSON.stringify(repaired[2]), /may have run/);
  });
  test("a second result of the same call is left out, and one that comes after the next answer", () => {
    const messages = [
      user("x"),
      assistant([call("a")]),
      result("a"),
      result("a"),
      assistant([text("ok")]),
      result("a"),
      user("y"),
    ];
    assert.deepEqual(outline(repair(messages)), ["user", "assistant", "a", "assistant", "user"]);
  });
  test("a result behind a failed answer with the same id is not taken for the one before", () => {
    const failed = assistant([call("a")], "aborted");
    const repaired = repair([user("x"), assistant([call("a")]), failed, result("a"), user("y")]);
    assert.deepEqual(outline(repaired), ["user", "assistant", "a", "user"]);
    assert.match(JSON.stringify(repaired[2]), /may have run/);
  });
  test("ids that a provider used twice are told apart, with their results", () => {
    const twice = assistant([call("a"), call("a")]);
    const repaired = repair([
      user("x"),
      twice,
      result("a", [text("1")]),
      result("a", [text("2")]),
      assistant([call("a")]),
      user("y"),
    ]);
    assert.deepEqual(outline(repaired), ["user", "assistant", "a", "a_2", "assistant", "a_3", "user"]);
    assert.deepEqual(contentsOf(repaired).slice(2, 4), [[text("1")], [text("2")]]);
    assert.deepEqual(twice.content, [call("a"), call("a")]);
  });
  test("names, ids and arguments that a provider refuses are put in order, in the result too", () => {
    let deep: Record<string, unknown> = { end: true };
    for (let n = 0; n < 5000; n++) deep = { deep };
    const bad = assistant([call("", "no such.tool", { "k\ud800": "\u0000v", list: ["\udfff"], deep })]);
    const [, answer, answered] = repair([user("x"), bad, result("", [text("r")]), user("y")]);
    assert.ok(answer?.role === "assistant" && answered?.role === "toolResult");
    assert.partialDeepStrictEqual(answer.content, [
      { id: "call", name: "no_such_tool", arguments: { "k\ufffd": "v", list: ["\ufffd"] } },
    ]);
    assert.match(JSON.stringify(answer), /nested too deep/);
    assert.deepEqual([answered.toolCallId, answered.toolName, answered.content], ["call", "no_such_tool", [text("r")]]);
  });
  test("the double ids of the Responses API stay whole, there only", () => {
    const id = "call_1|fc_A+/=";
    const ask = (api: string) => repair([user("x"), { ...assistant([call(id)]), api }, result(id), user("y")]);
    assert.equal(outline(ask("openai-responses"))[2], id);
    assert.equal(outline(ask("anthropic-messages"))[2], "call_1_fc_A___");
  });
});

describe("the frame", () => {
  test("begins with the user, and says that there was more", () => {
    assert.deepEqual(contentsOf(repair([assistant([text("a")]), user("y")]))[0], "(the beginning was left out)");
  });
  test("no answer follows another, and none is the last", () => {
    assert.deepEqual(contentsOf(repair([user("x"), assistant([text("a")]), assistant([text("b")])])), [
      "x",
      [text("a")],
      "(something was left out here)",
      [text("b")],
      "(go on)",
    ]);
  });
  test("there is always something to send", () => {
    assert.deepEqual(contentsOf(repair([assistant([], "error")])), ["(empty)"]);
  });
});

describe("content", () => {
  test("empty texts go, and what would be empty says so", () => {
    const messages = [
      user(" \n"),
      assistant([text(""), text("a"), text("  ")]),
      user([text("")]),
      assistant([text("")]),
    ];
    const repaired = repair([...messages, assistant([call("c")]), result("c", [])]);
    assert.deepEqual(contentsOf(repaired), ["(empty)", [text("a")], [text("(empty)")], [call("c")], [text("(empty)")]]);
  });
  test("half characters and control characters are cleaned, tabs and line breaks stay", () => {
    assert.deepEqual(contentsOf(repair([user("a\u0000\u0007b\tc\r\n\ud83d")])), ["ab\tc\r\n\ufffd"]);
  });
  test("thoughts go back to the model that thought them, as they came or not at all", () => {
    const thought = { type: "thinking" as const, thinking: "hm", thinkingSignature: "s" };
    const empty = { type: "thinking" as const, thinking: "", thinkingSignature: "encrypted" };
    const none = { type: "thinking" as const, thinking: "" };
    const torn = { type: "thinking" as const, thinking: "\ud800", thinkingSignature: "s" };
    const answer = assistant([thought, empty, none, torn, text("a")]);
    assert.deepEqual(contentsOf(repair([user("x"), answer, user("y")]))[1], [thought, empty, text("a")]);
    const other = { ...model, id: "other" };
    assert.deepEqual(contentsOf(repair([user("x"), answer, user("y")], other))[1], [text("a")]);
    assert.deepEqual(outline(repair([user("x"), assistant([thought]), user("y")])), ["user", "user"]);
  });
  test("pictures are named as what they are; those that no provider takes become a line", () => {
    const big = "A".repeat(5 * 1024 * 1024 + 4);
    const parts = [image(tinyGif), image("?"), image("aGVsbG8gd29ybGQ="), image(big), image(tinyGif.slice(0, -3))];
    const [content] = contentsOf(repair([user(parts)]));
    assert.deepEqual(content, [
      image(tinyGif, "image/gif"),
      text("(image left out: its data is damaged)"),
      text("(image left out: it is not a PNG, JPEG, GIF or WebP file)"),
      text("(image left out: it is larger than 5 MB)"),
      text("(image left out: its data is damaged)"),
    ]);
  });
  test("a model that sees no pictures, and a result that reports an error, get a line instead", () => {
    const blind = repair([user([image(tinyPng)])], { ...model, input: ["text"] });
    assert.deepEqual(contentsOf(blind), [[text("(image left out: this model cannot see images)")]]);
    const failed = { ...result("c", [image(tinyPng)]), isError: true };
    const repaired = repair([user("x"), assistant([call("c")]), failed]);
    assert.deepEqual(contentsOf(repaired)[2], [text("(image left out: the call failed)")]);
  });
  test("of too many pictures the oldest go, several at a time", () => {
    const shownOf = (count: number) =>
      repair(Array.from({ length: count }, () => user([image(tinyPng)]))).map(({ content }) =>
        JSON.stringify(content).includes(tinyPng) ? 1 : 0,
      );
    const count = (shown: number[]) => shown.reduce<number>((sum, each) => sum + each, 0);
    assert.equal(count(shownOf(20)), 20);
    assert.equal(count(shownOf(21)), 10);
    assert.equal(count(shownOf(31)), 20);
    assert.deepEqual(shownOf(25).slice(0, 11), shownOf(21).slice(0, 11));
    assert.equal(shownOf(21).at(-1), 1);
    const [many] = contentsOf(repair([user(Array.from({ length: 30 }, () => image(tinyPng)))]));
    assert.equal(Array.isArray(many) && many.filter(({ type }) => type === "image").length, 19);
  });
  test("a text that would fill the window alone keeps its beginning and its end", () => {
    const long = `begin ${"x".repeat(50_000)} end`;
    const [content] = contentsOf(repair([user(long)], { ...model, contextWindow: 8000 }));
    assert.ok(typeof content === "string" && content.length < 12_900);
    assert.match(content, /^begin x+\n\(… \d+ characters left out: too long for this model …\)\nx+ end$/);
    assert.deepEqual(contentsOf(repair([user(long)])), [long]);
  });
});

describe("cost", () => {
  test("what was sent before is sent again to the byte, as far as it goes", () => {
    const turns = Array.from({ length: 30 }, (_, n) => [
      user([text(`question ${n}`), ...(n % 2 ? [image(tinyPng)] : [])]),
      assistant([text(""), call("call_0")], "toolUse"),
      result("call_0"),
      assistant([text("fine")]),
    ]);
    for (let n = 1; n < turns.length; n++) {
      const before = JSON.stringify(repair([...turns.slice(0, n).flat(), user("and")]).slice(0, -1)).slice(0, -1);
      assert.ok(JSON.stringify(repair([...turns.slice(0, n + 1).flat(), user("and")])).startsWith(before));
    }
  });
  test("nothing is copied that need not be, and what was cleaned is remembered for the model", () => {
    const messages = [user("x"), assistant([text("a"), call("c")]), result("c"), user("y\u0000")];
    const items = messages.map((message, n) => ({ id: `e${n}` as EntryId, message }));
    const cache = createContextCache();
    const first = repairMessages(items, model, cache);
    for (const n of [0, 1, 2]) assert.equal(first[n], messages[n]);
    assert.equal(repairMessages(items, model, cache)[3], first[3]);
  });
});
