/** A transcript as a tree: every entry with its parent and a glimpse of what it says, side branches too. */
import type { TranscriptEntry } from "../../contracts/transcript.ts";
import type { TreeEntry } from "../protocol/index.ts";
import { joinParts, messageOf, modelOf, momentOf, partsOf, textIn, toText } from "./read-entry.ts";
import { readSaid } from "./read-said.ts";

const longestPreview = 200;

export const buildTree = (entries: readonly TranscriptEntry[]): TreeEntry[] => entries.map(toTreeEntry);

function toTreeEntry(entry: TranscriptEntry): TreeEntry {
  const message = messageOf(entry);
  const role = message && toText(message["role"]);
  const model = message && modelOf(message);
  return {
    id: entry.id,
    parentId: entry.parentId,
    at: momentOf(entry),
    type: toText(entry.type),
    ...(role !== undefined && role !== "" && { role }),
    preview: toPreview(message ? describeMessage(message) : describeOther(entry)),
    ...(model !== undefined && { model }),
  };
}

function describeMessage(message: Record<string, unknown>): string {
  const text = joinParts(message, "text");
  if (message["role"] === "user") {
    const said = readSaid(text).at(-1);
    return said?.who === undefined ? text : `${said.who}: ${said.text}`;
  }
  if (message["role"] === "toolResult") return `${toText(message["toolName"])}: ${text}`;
  const calls = partsOf(message).flatMap((part) => (part["type"] === "toolCall" ? [toText(part["name"])] : []));
  const failure = toText(message["errorMessage"]);
  return [text, calls.join(", "), failure].filter((part) => part !== "").join(" · ");
}

function describeOther(entry: TranscriptEntry): string {
  const keys = ["summary", "content", "name", "label", "modelId", "thinkingLevel", "customType"];
  return keys.map((key) => textIn(entry, key)).find((text) => text !== "") ?? "";
}

function toPreview(text: string): string {
  const start = text
    .slice(0, 4 * longestPreview)
    .replace(/\s+/g, " ")
    .trim();
  return start.length > longestPreview ? `${start.slice(0, longestPreview - 1)}…` : start;
}
