/** `POST /v1/chat/completions`: the request as mom understands it. What she cannot do is refused by name, what does no harm is ignored. */
import {
  type ApiMessage,
  type ApiPart,
  type ApiRequest,
  mostMessages,
  mostParts,
  readFile,
  readImage,
  readUser,
} from "./api-message.ts";
import { badRequest } from "./openai-error.ts";
import {
  type Fields,
  isFields,
  readFields,
  readFlag,
  readList,
  readOptionalText,
  readText,
  refuse,
} from "./request-fields.ts";

export interface ChatRequest extends ApiRequest {
  /** Tokens are told in a last chunk of the stream. */
  includeUsage: boolean;
}

export function readChatRequest(fields: Fields): ChatRequest {
  refuseTheImpossible(fields);
  const { stream_options: options } = fields;
  return {
    model: readText(fields["model"], "model"),
    user: readUser(fields),
    messages: readList(fields["messages"], "messages", mostMessages).map((message, n) =>
      readMessage(message, `messages[${n}]`),
    ),
    stream: readFlag(fields, "stream", false),
    includeUsage: isFields(options) && options["include_usage"] === true,
  };
}

function refuseTheImpossible(fields: Fields): void {
  const { n, logprobs, top_logprobs: topLogprobs, response_format: format, modalities } = fields;
  refuse(n !== undefined && n !== null && n !== 1, "n", "mom gives one answer: n must be 1.");
  refuse(logprobs === true, "logprobs", "mom has no log probabilities to give.");
  refuse(typeof topLogprobs === "number" && topLogprobs > 0, "top_logprobs", "mom has no log probabilities to give.");
  refuse(
    isFields(format) && format["type"] !== "text",
    "response_format",
    "mom answers in text; other formats cannot be promised.",
  );
  refuse(
    Array.isArray(modalities) && modalities.some((kind) => kind !== "text"),
    "modalities",
    "mom answers in text only.",
  );
  refuseForcedTool(fields["tool_choice"], "tool_choice");
  refuseForcedTool(fields["function_call"], "function_call");
}

/** Tools of the client are ignored (mom has her own); a call that must happen cannot be. */
export function refuseForcedTool(choice: unknown, param: string): void {
  const isFree =
    choice === undefined ||
    choice === null ||
    choice === "auto" ||
    choice === "none" ||
    (isFields(choice) && isFreeAmongAllowed(choice));
  refuse(!isFree, param, "mom uses her own tools and cannot be made to call one of yours.");
}

/** `{ type: "allowed_tools", mode: "auto" }`, at the top (responses) or one level down (chat). */
function isFreeAmongAllowed(choice: Fields): boolean {
  if (choice["type"] !== "allowed_tools") return false;
  const { allowed_tools: inner } = choice;
  return (isFields(inner) ? inner["mode"] : choice["mode"]) === "auto";
}

const roles: Readonly<Record<string, ApiMessage["role"]>> = {
  system: "instructions",
  developer: "instructions",
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
};

function readMessage(value: unknown, param: string): ApiMessage {
  const fields = readFields(value, param);
  const name = readText(fields["role"], `${param}.role`);
  const role = Object.hasOwn(roles, name) ? roles[name] : undefined;
  if (role === undefined)
    throw badRequest(`${param}.role`, `There is no role "${name.slice(0, 40)}".`, "invalid_value");
  return { role, parts: [...readContent(fields, param), ...readCalls(fields["tool_calls"])] };
}

function readContent(fields: Fields, param: string): ApiPart[] {
  const { content, role } = fields;
  if (typeof content === "string") return [{ type: "text", text: content }];
  // An assistant's message that only called tools, or only refused.
  if ((content === null || content === undefined) && role !== "user") {
    const refusal = readOptionalText(fields, "refusal");
    return refusal === undefined ? [] : [{ type: "text", text: refusal }];
  }
  return readList(content, `${param}.content`, mostParts).map((part, n) => readPart(part, `${param}.content[${n}]`));
}

function readPart(value: unknown, param: string): ApiPart {
  const part = readFields(value, param);
  switch (part["type"]) {
    case "text":
      return { type: "text", text: readText(part["text"], `${param}.text`) };
    case "refusal":
      return { type: "text", text: readText(part["refusal"], `${param}.refusal`) };
    case "image_url": {
      const image = readFields(part["image_url"], `${param}.image_url`);
      return readImage(image["url"], `${param}.image_url.url`);
    }
    case "file":
      return readFile(part["file"], `${param}.file`);
    default:
      throw badRequest(
        `${param}.type`,
        "mom reads text, images and files; this part is something else.",
        "invalid_value",
      );
  }
}

/** Calls of the client's own tools in earlier turns: part of what happened. */
function readCalls(calls: unknown): ApiPart[] {
  if (!Array.isArray(calls)) return [];
  return calls.slice(0, mostParts).flatMap((call: unknown) => {
    const called = isFields(call) && isFields(call["function"]) ? call["function"] : undefined;
    return called ? [{ type: "text" as const, text: formatCall(called["name"], called["arguments"]) }] : [];
  });
}

export const formatCall = (name: unknown, args: unknown) => `(called ${String(name)} with ${String(args)})`;
