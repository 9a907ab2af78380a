/**
 * One message made fit for one model: texts cleaned and never empty, pictures only where they can be seen, thinking only
 * for the model that thought it, names and arguments of calls in a form that every provider takes.
 */
import type {
  AssistantMessage,
  ModelInfo,
  ModelMessage,
  TextContent,
  ThinkingContent,
  ToolCall,
  UserMessage,
} from "../../contracts/model.ts";
import { buildImageMarker, cleanImage } from "./clean-image.ts";
import { cleanText, clipText } from "./clean-text.ts";
import { isRecord, type Part } from "./parse-message.ts";

/** What of a model decides which messages it takes. */
export type ModelFit = Pick<ModelInfo, "provider" | "id" | "input" | "contextWindow">;

export interface CleanMessage {
  message: ModelMessage;
  /** Base64 characters of each picture in it. */
  imageChars: number[];
}

/** One text may take two fifths of the window, at four bytes to a token. */
const textBytesPerWindowToken = 1.6;
const maxNameChars = 64;
const maxIdChars = 64;
/** JSON nested deeper than this is refused by providers, and ends a program that walks it by recursion. */
const maxArgumentDepth = 32;
export const emptyText = "(empty)";

/** Undefined: nothing of it can be sent. The same objects wherever nothing had to change. */
export function cleanMessage(message: ModelMessage, model: ModelFit): CleanMessage | undefined {
  if (message.role === "assistant") {
    const answer = cleanAnswer(message, model);
    return answer && { message: answer, imageChars: [] };
  }
  if (message.role === "user") {
    if (typeof message.content === "string") return cleanSaid(message, message.content, model);
    const content = cleanParts(message.content, model, model.input.includes("image"));
    return withImages(content === message.content ? message : { ...message, content }, content);
  }
  // A result that reports an error may hold text only (Anthropic).
  const content = cleanParts(message.content, model, model.input.includes("image") && !message.isError);
  return withImages(content === message.content ? message : { ...message, content }, content);
}

function cleanSaid(message: UserMessage, said: string, model: ModelFit): CleanMessage {
  const text = cleanAndClip(said, model);
  const content = text.trim() ? text : emptyText;
  return { message: content === said ? message : { ...message, content }, imageChars: [] };
}

const withImages = (message: ModelMessage, content: readonly Part[]): CleanMessage => ({
  message,
  imageChars: content.flatMap((part) => (part.type === "image" ? [part.data.length] : [])),
});

const cleanAndClip = (text: string, { contextWindow }: ModelFit) =>
  clipText(cleanText(text), contextWindow * textBytesPerWindowToken);

function cleanParts(parts: Part[], model: ModelFit, takesImages: boolean): Part[] {
  const whyHidden = model.input.includes("image") ? "the call failed" : "this model cannot see images";
  const clean = mapChanged<Part>(parts, (part) => {
    if (part.type === "text") return cleanBlock(part, model);
    return takesImages ? cleanImage(part) : buildImageMarker(whyHidden);
  });
  return clean.length > 0 ? clean : [{ type: "text", text: emptyText }];
}

function cleanBlock(block: TextContent, model: ModelFit): TextContent | undefined {
  const text = cleanAndClip(block.text, model);
  if (!text.trim()) return undefined;
  return text === block.text ? block : { type: "text", text };
}

function cleanAnswer(message: AssistantMessage, model: ModelFit): AssistantMessage | undefined {
  if (message.stopReason === "error" || message.stopReason === "aborted") return undefined;
  const isOwn = message.provider === model.provider && message.model === model.id;
  const content = mapChanged(message.content, (block) => {
    if (block.type === "text") return cleanBlock(block, model);
    if (block.type === "thinking") return isOwn && isThinkingWhole(block) ? block : undefined;
    return cleanCall(block, message.api);
  });
  // Thoughts alone are no answer, and some providers refuse them without what they led to.
  if (content.every(({ type }) => type === "thinking")) return undefined;
  return content === message.content ? message : { ...message, content };
}

/** Thoughts are signed: they go back as they came or not at all. */
const isThinkingWhole = ({ thinking, thinkingSignature }: ThinkingContent) =>
  (thinking.trim() !== "" || Boolean(thinkingSignature)) && cleanText(thinking) === thinking;

function cleanCall(call: ToolCall, api: string): ToolCall {
  const id = cleanId(call.id, api);
  const name = cleanName(call.name);
  const args = cleanArguments(call.arguments);
  if (id === call.id && name === call.name && args === call.arguments) return call;
  return { ...call, id, name, arguments: args };
}

/** The Responses API has two ids in one, parted by a bar; the adapter for it takes them apart. */
export function cleanId(id: string, api: string): string {
  if (/^[\w-]{1,64}$/.test(id)) return id;
  if (api.includes("responses") && /^[\w-]{1,64}\|[\w+/=-]{1,1024}$/.test(id)) return id;
  return id.replace(/[^\w-]/g, "_").slice(0, maxIdChars) || "call";
}

export const cleanName = (name: string) => name.slice(0, maxNameChars).replace(/[^\w-]/g, "_") || "unknown";

function cleanArguments(args: Record<string, unknown>): Record<string, unknown> {
  const clean = cleanJson(args, 0);
  return isRecord(clean) ? clean : {};
}

function cleanJson(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cleanText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxArgumentDepth) return "(nested too deep)";
  if (Array.isArray(value)) {
    const clean = value.map((each) => cleanJson(each, depth + 1));
    return clean.some((each, n) => each !== value[n]) ? clean : value;
  }
  const pairs = Object.entries(value);
  const clean = pairs.map(([key, each]): [string, unknown] => [cleanText(key), cleanJson(each, depth + 1)]);
  const isSame = clean.every(([key, each], n) => key === pairs[n]?.[0] && each === pairs[n]?.[1]);
  return isSame ? value : Object.fromEntries(clean);
}

/** Maps and drops; the same array when neither happened. */
function mapChanged<Block>(blocks: Block[], map: (block: Block) => Block | undefined): Block[] {
  let isSame = true;
  const mapped: Block[] = [];
  for (const block of blocks) {
    const next = map(block);
    if (next !== block) isSame = false;
    if (next !== undefined) mapped.push(next);
  }
  return isSame ? blocks : mapped;
}
