/** Slack's limits on Block Kit, as far as mom uses it. What breaks them is refused whole. */
import type { Json } from "./workspace.ts";

const known = ["section", "markdown", "actions", "context", "divider", "header", "rich_text"];

export function findBlockFault(blocks: Json[]): "invalid_blocks" | undefined {
  if (!Array.isArray(blocks) || blocks.length > 50) return "invalid_blocks";
  const markdown = blocks.filter(({ type }) => type === "markdown").map(({ text }) => String(text).length);
  if (markdown.reduce((sum, length) => sum + length, 0) > 12_000) return "invalid_blocks";
  return blocks.every(isValidBlock) ? undefined : "invalid_blocks";
}

function isValidBlock(block: Json): boolean {
  if (!known.includes(String(block["type"]))) return false;
  if (block["type"] === "section") return isText(block["text"], 3_000);
  if (block["type"] !== "actions") return true;
  const elements = block["elements"] as Json[];
  return elements.length > 0 && elements.length <= 25 && elements.every(isValidButton);
}

function isValidButton(element: Json): boolean {
  const { text, value, action_id, style } = element;
  if (!isText(text, 75) || String(value ?? "").length > 2_000 || String(action_id ?? "").length > 255) return false;
  return style === undefined || style === "primary" || style === "danger";
}

function isText(text: unknown, most: number): boolean {
  const { text: words } = (text ?? {}) as Json;
  return typeof words === "string" && words.length > 0 && words.length <= most;
}
