/** Makes a result of whatever a custom tool gave: text, `{ content, details }`, or anything that JSON can hold. */
import type { ImageContent, TextContent } from "../../contracts/model.ts";
import type { ToolResult } from "../../contracts/tool.ts";
import { markOutside } from "../kit/mark-outside.ts";
import { truncateHead } from "../kit/truncate.ts";

/** `source`: where the text came from, if from outside. Throws for what JSON cannot hold. */
export function toResult(given: unknown, source: string | undefined): ToolResult {
  return { ...readAnswer(given, source), ...(source !== undefined && { outside: source }) };
}

/** As much as a model should read, and marked where it came from outside. */
export function toBoundedText(text: string, source: string | undefined): string {
  const shown = truncateHead(text);
  const notice = shown.cutBy === undefined ? "" : `\n\n[${shown.keptLines} of ${shown.totalLines} lines]`;
  return source === undefined ? shown.text + notice : markOutside(shown.text, source) + notice;
}

function readAnswer(given: unknown, source: string | undefined): Pick<ToolResult, "content" | "details"> {
  const toText = (text: string): TextContent => ({ type: "text", text: toBoundedText(text, source) || "(empty)" });
  if (isRecord(given) && Array.isArray(given["content"])) {
    const content = given["content"].flatMap((part): (TextContent | ImageContent)[] => {
      if (!isRecord(part)) return [];
      if (part["type"] === "text" && typeof part["text"] === "string") return [toText(part["text"])];
      const { data, mimeType } = part;
      const isImage = part["type"] === "image" && typeof data === "string" && typeof mimeType === "string";
      return isImage ? [{ type: "image", data, mimeType }] : [];
    });
    if (content.length > 0) return { content, details: toJson(given["details"]) };
  }
  const text = typeof given === "string" ? given : JSON.stringify(given, null, 2);
  return { content: [text === undefined ? { type: "text", text: "(done)" } : toText(text)], details: {} };
}

function toJson(details: unknown): unknown {
  return details === undefined ? {} : JSON.parse(JSON.stringify(details) ?? "{}");
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
