/**
 * A message as it stands in a transcript, which mom, other programs or people may have written, becomes one of known
 * shape, or nothing. What is in order is handed on as it is, fields that only a provider understands included.
 */
import type {
  AssistantMessage,
  ImageContent,
  ModelMessage,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "../../contracts/model.ts";

type Fields = Record<string, unknown>;
export type Part = TextContent | ImageContent;
type AnswerBlock = AssistantMessage["content"][number];

export const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `writtenAt`: for messages without a time of their own. */
export function parseMessage(value: unknown, writtenAt: number): ModelMessage | undefined {
  if (!isRecord(value)) return undefined;
  switch (value["role"]) {
    case "user":
      return isUserMessage(value) ? value : toUserMessage(value["content"], timeOf(value, writtenAt));
    case "assistant":
      return isAssistantMessage(value) ? value : mendAnswer(value, writtenAt);
    case "toolResult":
      return isToolResult(value) ? value : mendResult(value, writtenAt);
    case "custom":
      return toUserMessage(value["content"], timeOf(value, writtenAt));
    case "bashExecution":
      return value["excludeFromContext"] === true ? undefined : fromBashExecution(value, writtenAt);
    default:
      return undefined;
  }
}

export function toUserMessage(content: unknown, timestamp: number): UserMessage {
  return { role: "user", content: typeof content === "string" ? content : parseParts(content), timestamp };
}

export function parseParts(content: unknown): Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isPart) : [];
}

export function parseAnswerBlocks(content: unknown): AnswerBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    if (isAnswerBlock(block)) return [block];
    if (!isRecord(block) || block["type"] !== "toolCall" || typeof block["name"] !== "string") return [];
    const id = typeof block["id"] === "string" ? block["id"] : "";
    return [{ type: "toolCall" as const, id, name: block["name"], arguments: {} }];
  });
}

/** A command that a person ran beside the model, in a program that has such. */
function fromBashExecution(value: Fields, writtenAt: number): UserMessage | undefined {
  const { command, output, exitCode } = value;
  if (typeof command !== "string") return undefined;
  const code = typeof exitCode === "number" ? ` (exit code ${exitCode})` : "";
  const text = `(a command was run: ${command}${code})\n${typeof output === "string" ? output : ""}`.trimEnd();
  return { role: "user", content: text, timestamp: timeOf(value, writtenAt) };
}

function mendAnswer(value: Fields, writtenAt: number): AssistantMessage {
  const content = parseAnswerBlocks(value["content"]);
  const usual = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
  return {
    role: "assistant",
    content,
    api: textOr(value["api"], "unknown"),
    provider: textOr(value["provider"], "unknown"),
    model: textOr(value["model"], "unknown"),
    usage: isUsage(value["usage"]) ? value["usage"] : buildNoUsage(),
    stopReason: isStopReason(value["stopReason"]) ? value["stopReason"] : usual,
    timestamp: timeOf(value, writtenAt),
  };
}

function mendResult(value: Fields, writtenAt: number): ToolResultMessage | undefined {
  const { toolCallId, toolName, content, isError } = value;
  if (typeof toolCallId !== "string") return undefined;
  return {
    role: "toolResult",
    toolCallId,
    toolName: textOr(toolName, ""),
    content: parseParts(content),
    isError: isError === true,
    timestamp: timeOf(value, writtenAt),
  };
}

const textOr = (value: unknown, otherwise: string) => (typeof value === "string" ? value : otherwise);
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const timeOf = (value: Fields, writtenAt: number) => (isNumber(value["timestamp"]) ? value["timestamp"] : writtenAt);

function buildNoUsage(): Usage {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return { ...none, totalTokens: 0, cost: { ...none, total: 0 } };
}

const isText = (block: Fields): boolean => block["type"] === "text" && typeof block["text"] === "string";
const isImage = (block: Fields): boolean =>
  block["type"] === "image" && typeof block["data"] === "string" && typeof block["mimeType"] === "string";
const isThinking = (block: Fields): boolean =>
  block["type"] === "thinking" &&
  typeof block["thinking"] === "string" &&
  (block["thinkingSignature"] === undefined || typeof block["thinkingSignature"] === "string");
const isCall = (block: Fields): boolean =>
  block["type"] === "toolCall" &&
  typeof block["id"] === "string" &&
  typeof block["name"] === "string" &&
  isRecord(block["arguments"]);

function isPart(value: unknown): value is Part {
  return isRecord(value) && (isText(value) || isImage(value));
}
function isAnswerBlock(value: unknown): value is TextContent | ThinkingContent | ToolCall {
  return isRecord(value) && (isText(value) || isThinking(value) || isCall(value));
}
function isUserMessage(value: unknown): value is UserMessage {
  if (!isRecord(value) || !isNumber(value["timestamp"])) return false;
  const { content } = value;
  return typeof content === "string" || (Array.isArray(content) && content.every(isPart));
}
function isToolResult(value: unknown): value is ToolResultMessage {
  return (
    isRecord(value) &&
    typeof value["toolCallId"] === "string" &&
    typeof value["toolName"] === "string" &&
    typeof value["isError"] === "boolean" &&
    isNumber(value["timestamp"]) &&
    Array.isArray(value["content"]) &&
    value["content"].every(isPart)
  );
}
function isAssistantMessage(value: unknown): value is AssistantMessage {
  return (
    isRecord(value) &&
    typeof value["api"] === "string" &&
    typeof value["provider"] === "string" &&
    typeof value["model"] === "string" &&
    isUsage(value["usage"]) &&
    isStopReason(value["stopReason"]) &&
    isNumber(value["timestamp"]) &&
    Array.isArray(value["content"]) &&
    value["content"].every(isAnswerBlock)
  );
}
function isStopReason(value: unknown): value is AssistantMessage["stopReason"] {
  return value === "stop" || value === "length" || value === "toolUse" || value === "error" || value === "aborted";
}
function isUsage(value: unknown): value is Usage {
  if (!isRecord(value) || !isNumber(value["totalTokens"]) || !isRecord(value["cost"])) return false;
  const { cost } = value;
  const counts = ["input", "output", "cacheRead", "cacheWrite"];
  return isNumber(cost["total"]) && counts.every((name) => isNumber(value[name]) && isNumber(cost[name]));
}
