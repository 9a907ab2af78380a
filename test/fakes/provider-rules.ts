/**
 * What Anthropic, OpenAI (Responses and Chat Completions) and Gemini refuse, as one checker: a list of messages that
 * passes is taken by all of them. Written from their rules and not from mom's code, which is tested against it.
 */
import assert from "node:assert/strict";
import type {
  AssistantMessage,
  ImageContent,
  ModelMessage,
  TextContent,
  ToolResultMessage,
} from "../../src/contracts/model.ts";

interface AskedModel {
  provider: string;
  id: string;
  input: readonly ("text" | "image")[];
}

export function assertAcceptable(messages: readonly ModelMessage[], model: AskedModel): void {
  assert.ok(messages.length > 0, "a request needs at least one message");
  assert.equal(messages[0]?.role, "user", "the first message is the user's");
  assert.notEqual(messages.at(-1)?.role, "assistant", "the last message is not an answer");
  assertWellFormed(messages);
  assertImages(messages, model);
  const callIds = new Set<string>();
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (message?.role === "user") assertUserContent(message.content, at);
    if (message?.role === "toolResult") assert.fail(`message ${at}: a result without its call`);
    if (message?.role !== "assistant") continue;
    assert.notEqual(messages[at - 1]?.role, "assistant", `message ${at}: an answer right behind another`);
    assertAnswer(message, model, callIds, at);
    at += assertResults(message, messages.slice(at + 1), at);
  }
}

function assertUserContent(content: string | (TextContent | ImageContent)[], at: number): void {
  if (typeof content === "string") {
    assert.ok(content.trim() !== "", `message ${at}: empty text`);
    return;
  }
  assert.ok(content.length > 0, `message ${at}: no content`);
  for (const part of content) {
    if (part.type === "text") assert.ok(part.text.trim() !== "", `message ${at}: empty text block`);
    else assert.equal(part.type, "image", `message ${at}: a block of an unknown type`);
  }
}

function assertAnswer(message: AssistantMessage, model: AskedModel, callIds: Set<string>, at: number): void {
  assert.ok(!["error", "aborted"].includes(message.stopReason), `message ${at}: an answer that failed`);
  const kinds = message.content.map(({ type }) => type);
  assert.ok(kinds.includes("text") || kinds.includes("toolCall"), `message ${at}: an answer that says nothing`);
  for (const block of message.content) {
    if (block.type === "text") assert.ok(block.text.trim() !== "", `message ${at}: empty text block`);
    else if (block.type === "thinking") {
      assert.equal(`${message.provider}/${message.model}`, `${model.provider}/${model.id}`, "another model's thoughts");
      assert.ok(block.thinking.trim() || block.thinkingSignature, `message ${at}: an empty thought`);
    } else {
      assert.equal(block.type, "toolCall", `message ${at}: a block of an unknown type`);
      assert.match(block.id, /^[a-zA-Z0-9_-]{1,64}(\|[\w+/=-]+)?$/, `message ${at}: a bad call id`);
      if (block.id.includes("|")) assert.match(message.api, /responses/, `message ${at}: an id of another api`);
      assert.ok(!callIds.has(block.id), `message ${at}: call id ${block.id} twice`);
      callIds.add(block.id);
      assert.match(block.name, /^[a-zA-Z0-9_-]{1,64}$/, `message ${at}: a bad tool name`);
      assert.ok(isPlainObject(block.arguments), `message ${at}: arguments are no object`);
      assert.ok(depthOf(block.arguments) <= 64, `message ${at}: arguments nested too deep`);
    }
  }
}

/** How many results were there. */
function assertResults(answer: AssistantMessage, following: readonly ModelMessage[], at: number): number {
  const calls = answer.content.filter((block) => block.type === "toolCall");
  for (const [n, call] of calls.entries()) {
    const result = following[n];
    assert.ok(result?.role === "toolResult", `message ${at}: call ${call.id} has no result`);
    assert.equal(result.toolCallId, call.id, `message ${at}: results out of order`);
    assert.equal(result.toolName, call.name, `message ${at}: a result under another name`);
    assertResultContent(result, at + 1 + n);
  }
  return calls.length;
}

function assertResultContent(result: ToolResultMessage, at: number): void {
  assert.ok(Array.isArray(result.content), `message ${at}: result content is no list`);
  assertUserContent(result.content, at);
  if (result.isError)
    assert.ok(
      result.content.every(({ type }) => type === "text"),
      `message ${at}: error with a picture`,
    );
}

function assertImages(messages: readonly ModelMessage[], model: AskedModel): void {
  let count = 0;
  let totalBytes = 0;
  for (const message of messages) {
    if (message.role === "assistant" || typeof message.content === "string") continue;
    for (const part of message.content) {
      if (part.type !== "image") continue;
      assert.ok(model.input.includes("image"), "a picture for a model that sees none");
      assert.ok(part.data.length <= 5 * 1024 * 1024, "a picture of more than 5 MB");
      const bytes = Buffer.from(part.data, "base64");
      assert.ok(bytes.length > 0 && bytes.toString("base64") === part.data, "a picture that is no base64");
      assert.equal(part.mimeType, sniff(bytes), "a picture under a wrong type");
      count++;
      totalBytes += part.data.length;
    }
  }
  assert.ok(count <= 100, "more than 100 pictures");
  assert.ok(totalBytes <= 30 * 1024 * 1024, "a request of more than 30 MB");
}

function sniff(bytes: Buffer): string {
  const hex = bytes.subarray(0, 12).toString("hex");
  if (hex.startsWith("89504e470d0a1a0a")) return "image/png";
  if (hex.startsWith("ffd8ff")) return "image/jpeg";
  if (hex.startsWith("47494638")) return "image/gif";
  return hex.startsWith("52494646") && hex.endsWith("57454250") ? "image/webp" : "unknown";
}

/** Every string on the wire, keys too: valid Unicode, no control characters. What is never sent (details) is left out. */
function assertWellFormed(value: unknown): void {
  if (typeof value === "string") {
    assert.ok(value.isWellFormed(), "half a character");
    assert.doesNotMatch(value, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/, "a control character");
  } else if (typeof value === "object" && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      if (key === "details") continue;
      assertWellFormed(key);
      assertWellFormed(each);
    }
  }
}

const isPlainObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
