/** `POST /v1/responses`: the request as mom understands it, by the same rules as chat completions. */
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
import { formatCall, refuseForcedTool } from "./read-chat-request.ts";
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

export interface ResponsesRequest extends ApiRequest {
  instructions: string | undefined;
  /** The conversation of that response goes on. */
  previousId: string | undefined;
  /** The conversation can be gone on with. */
  store: boolean;
  /** Given back as it came. */
  metadata: Fields;
}

const mostMetadata = 16;

export function readResponsesRequest(fields: Fields): ResponsesRequest {
  refuseTheImpossible(fields);
  const instructions = readOptionalText(fields, "instructions");
  const said = readInput(fields["input"]);
  const first: ApiMessage[] =
    instructions === undefined ? [] : [{ role: "instructions", parts: [toPart(instructions)] }];
  return {
    model: readText(fields["model"], "model"),
    user: readUser(fields),
    messages: [...first, ...said],
    stream: readFlag(fields, "stream", false),
    instructions,
    previousId: readOptionalText(fields, "previous_response_id"),
    store: readFlag(fields, "store", true),
    metadata: readMetadata(fields["metadata"]),
  };
}

function refuseTheImpossible(fields: Fields): void {
  const { text, background, conversation, prompt, top_logprobs: topLogprobs } = fields;
  const format = isFields(text) && isFields(text["format"]) ? text["format"]["type"] : "text";
  refuse(format !== "text", "text.format", "mom answers in text; other formats cannot be promised.");
  refuse(background === true, "background", "mom does not answer in the background; use stream.");
  refuse(isGiven(conversation), "conversation", "Name the conversation with user, or go on with previous_response_id.");
  refuse(isGiven(prompt), "prompt", "mom keeps no prompts of OpenAI's; send instructions.");
  refuse(typeof topLogprobs === "number" && topLogprobs > 0, "top_logprobs", "mom has no log probabilities to give.");
  refuseForcedTool(fields["tool_choice"], "tool_choice");
}

const isGiven = (value: unknown) => value !== undefined && value !== null;
const toPart = (text: string): ApiPart => ({ type: "text", text });

function readMetadata(value: unknown): Fields {
  if (!isGiven(value)) return {};
  const metadata = readFields(value, "metadata");
  const entries = Object.entries(metadata);
  const isShort = entries.every(([key, text]) => key.length <= 64 && typeof text === "string" && text.length <= 512);
  if (entries.length <= mostMetadata && isShort) return metadata;
  throw badRequest("metadata", `metadata may be ${mostMetadata} short texts.`, "invalid_value");
}

function readInput(input: unknown): ApiMessage[] {
  if (typeof input === "string") return [{ role: "user", parts: [toPart(input)] }];
  return readList(input, "input", mostMessages).flatMap((item, n) => readItem(item, `input[${n}]`));
}

function readItem(value: unknown, param: string): ApiMessage[] {
  const item = readFields(value, param);
  const type = item["type"] ?? "message";
  switch (type) {
    case "message":
      return [readMessage(item, param)];
    case "function_call":
    case "custom_tool_call":
      return [{ role: "assistant", parts: [toPart(formatCall(item["name"], item["arguments"] ?? item["input"]))] }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ role: "tool", parts: readContent(item["output"], `${param}.output`) }];
    // What a model thought is its own business.
    case "reasoning":
      return [];
    default:
      throw badRequest(
        `${param}.type`,
        "mom reads messages and calls of functions; this item is something else.",
        "invalid_value",
      );
  }
}

const roles: Readonly<Record<string, ApiMessage["role"]>> = {
  system: "instructions",
  developer: "instructions",
  user: "user",
  assistant: "assistant",
};

function readMessage(item: Fields, param: string): ApiMessage {
  const name = readText(item["role"], `${param}.role`);
  const role = Object.hasOwn(roles, name) ? roles[name] : undefined;
  if (role === undefined)
    throw badRequest(`${param}.role`, `There is no role "${name.slice(0, 40)}".`, "invalid_value");
  return { role, parts: readContent(item["content"], `${param}.content`) };
}

function readContent(content: unknown, param: string): ApiPart[] {
  if (typeof content === "string") return [toPart(content)];
  return readList(content, param, mostParts).map((part, n) => readPart(part, `${param}[${n}]`));
}

function readPart(value: unknown, param: string): ApiPart {
  const part = readFields(value, param);
  switch (part["type"]) {
    case "input_text":
    case "output_text":
    case "text":
      return toPart(readText(part["text"], `${param}.text`));
    case "refusal":
      return toPart(readText(part["refusal"], `${param}.refusal`));
    case "input_image":
      return readImage(part["image_url"], `${param}.image_url`);
    case "input_file":
      return readFile(part, param);
    default:
      throw badRequest(
        `${param}.type`,
        "mom reads text, images and files; this part is something else.",
        "invalid_value",
      );
  }
}
