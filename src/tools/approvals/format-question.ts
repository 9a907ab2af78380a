/**
 * The question as an admin reads it: who asks, all that would happen and where, why it is asked, until when, and how to
 * answer. What others have written stands in blocks and spans that it cannot leave. Nothing is shortened that will be run.
 */
import { formatRule } from "../../base/format-rule.ts";
import { formatMoment } from "../../base/format-values.ts";
import { toVisible, toVisibleBlock } from "../../base/visible-text.ts";
import type { AllowRule, Approval, ApprovalSubject } from "../../contracts/approval.ts";
import type { MessageSender } from "../../contracts/message.ts";
import { shortenLine } from "../kit/truncate.ts";

export interface Question {
  approval: Approval;
  sender: MessageSender;
  /** Programs run in a sandbox here. */
  isConfined: boolean;
  nowMs: number;
}

const maxNameLength = 80;
const maxReasonLength = 600;

export function formatQuestion({ approval, sender, isConfined, nowMs }: Question): string {
  const { id, subject, reason, rules, expiresAt } = approval;
  const { cwd, env } = subject.exact;
  const command = toVisibleBlock(subject.text);
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const environment = variables.length === 0 ? undefined : toVisibleBlock(variables.join("\n"));
  const hidden = command.hidden + (environment?.hidden ?? 0);
  const minutes = Math.max(1, Math.round((expiresAt - nowMs) / 60_000));
  return [
    `**Approval ${id}**: ${formatWho(approval, sender)} has set off a call of ${toSpan(subject.tool)}. If you allow it, exactly this happens (${formatSize(subject.text)}):`,
    "",
    command.text,
    ...(hidden > 0 ? ["", formatHidden(hidden)] : []),
    ...(environment ? ["", "With these variables:", "", environment.text] : []),
    "",
    ...(cwd === "" ? [] : [`- Folder: ${toSpan(cwd)}${runsPrograms(subject) ? formatPlace(isConfined) : ""}`]),
    `- Why I ask: ${toSpan(reason, maxReasonLength)}`,
    `- Until: ${formatMoment(expiresAt)} (${minutes} min); after that it counts as no`,
    `- For good: ${formatRules(rules)}`,
    "",
    `Answer with ${formatAnswers(approval)}`,
  ].join("\n");
}

/** Of what mom does herself a sandbox says nothing. */
const runsPrograms = ({ tool }: ApprovalSubject) => tool === "bash" || tool === "process";

const formatPlace = (isConfined: boolean) => (isConfined ? ", in the sandbox" : ", **not in a sandbox**");

/** For the chat of somebody who cannot answer it. */
export const formatWaiting = ({ id }: Approval, isPosted: boolean): string =>
  isPosted
    ? `This needs the word of an admin, whom I have asked (approval ${id}). I wait for it.`
    : `This needs the word of an admin, and I know no chat to ask one in. On my machine \`mom approvals approve ${id}\` or \`mom approvals deny ${id}\` answers; I wait for it.`;

const formatAnswers = ({ id, rules }: Approval) =>
  ["once", ...(rules.length > 0 ? ["always"] : []), "deny"]
    .map((verdict) => `\`/approve ${id} ${verdict}\``)
    .join(" · ");

const formatHidden = (count: number) =>
  `⚠ ${count === 1 ? "One character in it is" : `${count} characters in it are`} invisible or easily taken for another; such a one is shown by its number, as ⟨U+0430⟩.`;

/** Where a chat shows no frame around a block, this says where it ends. */
function formatSize(text: string): string {
  const lines = text.split("\n").length;
  return `${lines === 1 ? "1 line" : `${lines} lines`}, ${[...text].length} characters`;
}

function formatWho({ sender: ref }: Approval, { username, displayName }: MessageSender): string {
  const name = displayName ?? username;
  return name.trim() === "" ? toSpan(ref) : `${toSpan(name, maxNameLength)} (${toSpan(ref)})`;
}

/** `always` is shown as what it would store, so that nobody allows more than they see. */
function formatRules(rules: readonly AllowRule[]): string {
  if (rules.length === 0) return "this can be allowed only once at a time";
  return `\`always\` would allow ${rules.map((rule) => toSpan(formatRule(rule))).join(", and ")}`;
}

/** A code span; whole, unless a length is given. */
function toSpan(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const line = toVisible(text).text.replaceAll("\n", "⟨U+000A⟩").replaceAll("`", "⟨U+0060⟩");
  return `\`${shortenLine(line, maxLength) || " "}\``;
}
