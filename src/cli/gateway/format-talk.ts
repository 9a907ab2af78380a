/** What the terminal says of a conversation that others take part in. Pure; whoever shows it makes it harmless. */
import type { ApprovalSummary, ChatItem } from "../../gateway/protocol/index.ts";

const mostLines = 20;

/** `│ ann (slack): hello`, one bar a line. */
export function formatSaid(
  { sender, text = "", attachments = [] }: ChatItem,
  { adapter }: { adapter: string },
): string {
  const from = adapter === "webchat" ? "" : ` (${adapter})`;
  const lines = `${sender ?? "somebody"}${from}: ${text}`.split("\n");
  const more = lines.length - mostLines;
  const shown = more > 0 ? [...lines.slice(0, mostLines), `… ${more} more lines`] : lines;
  const files = attachments.map(({ filename }) => `📎 ${filename}`);
  return [...shown, ...files].map((line) => `│ ${line}`).join("\n");
}

export function formatApproval({
  id,
  tool,
  text,
  reason,
}: Pick<ApprovalSummary, "id" | "tool" | "text" | "reason">): string {
  return `Waits for your word (${reason}): ${tool}\n${text}\nAnswer with /approve ${id} once|always|deny`;
}

/** For a command that takes no answer itself. */
export function formatQuestion({
  id,
  tool,
  text,
  reason,
}: Pick<ApprovalSummary, "id" | "tool" | "text" | "reason">): string {
  return [
    `mom asks before she runs this (${reason}): ${tool}`,
    text,
    `It waits for an answer from another terminal: mom approvals approve ${id}, or mom approvals deny ${id}.`,
  ].join("\n");
}
