/** The context that two programs read from one transcript, in a form in which it can be compared. */
import { buildItems } from "../../src/agent/context/build-items.ts";
import type { TranscriptEntry } from "../../src/contracts/transcript.ts";

interface Said {
  role: string;
  content: unknown;
}

/** Mom's side: the path from the last line to the root, as items. */
export function readAsMom(jsonl: string, skip: (entry: TranscriptEntry) => boolean = () => false): Said[] {
  return buildItems(pathOf(jsonl).filter((entry) => !skip(entry))).flatMap(({ message, isEdited }) => {
    const content = toBlocks(message.content);
    // Where the other program shows nothing, mom keeps a line for the call that must have a result.
    if (isEdited && JSON.stringify(content).includes("(no longer shown)")) return [];
    return [{ role: message.role, content: content.map(withoutHeading) }];
  });
}

/** Mom introduces summaries in its own words; so does the other program, later, when it asks the model. */
function withoutHeading(block: unknown): unknown {
  if (!isText(block)) return block;
  return { ...block, text: block.text.replace(/^\(summary of [^)]*\)\n\n/, "") };
}

/** The other side: its messages, before they are put in the words that it uses for summaries. */
export function readAsCodingAgent(messages: readonly Record<string, unknown>[]): Said[] {
  return messages.flatMap(({ role, content, summary }) => {
    if (role === "system") return [];
    if (role === "compactionSummary" || role === "branchSummary") return [{ role: "user", content: toBlocks(summary) }];
    return [{ role: role === "custom" ? "user" : String(role), content: toBlocks(content) }];
  });
}

export function pathOf(jsonl: string): TranscriptEntry[] {
  const [, ...lines] = jsonl.split("\n").filter((line) => line.trim() !== "");
  const entries = lines.map((line): TranscriptEntry => JSON.parse(line));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const path: TranscriptEntry[] = [];
  for (let at = entries.at(-1); at; at = at.parentId === null ? undefined : byId.get(at.parentId)) path.push(at);
  return path.reverse();
}

const toBlocks = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : [{ type: "text", text: String(content) }];

const isText = (block: unknown): block is { type: "text"; text: string } =>
  typeof block === "object" && block !== null && "text" in block && typeof block.text === "string";
