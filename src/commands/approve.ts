/**
 * `/approve`: an admin answers a question that a call waits with. Answered at once, beside the turn that waits. Bare, it shows
 * what is open. The owner sees and answers all of it; in other chats there is only what was asked for there.
 */
import { formatMoment } from "../base/format-values.ts";
import { toVisibleBlock } from "../base/visible-text.ts";
import type { Approval, ApprovalVerdict } from "../contracts/approval.ts";
import type { Command, CommandCall } from "../contracts/command.ts";
import type { ApprovalId } from "../contracts/ids.ts";
import type { CommandDeps } from "./command-deps.ts";
import { badArguments, pickChoice, splitFirst } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";
import { formatNumber } from "./text/format-values.ts";

type Deps = Pick<CommandDeps, "approvals">;

const verdicts = ["once", "always", "deny"] as const;
const mostShown = 10;
/** Who answers for a call that was stopped while it waited (the desk's word). */
const byStop = "mom:stopped";

export function buildApproveCommand({ approvals }: Deps): Command {
  const command: Command = {
    name: "approve",
    usage: "<id> once|always|deny",
    summary: "answer what waits for an admin's word; alone, show it",
    adminOnly: true,
    immediate: true,
    async run(call) {
      const [typed, rest] = splitFirst(call.args);
      if (typed === "") return formatOpen(await listOpen(approvals, call));
      const verdict = rest === "" ? undefined : pickChoice(command, rest, verdicts);
      const approval = await approvals.get(typed.toLowerCase() as ApprovalId);
      if (!approval || !isWithin(call, approval)) {
        throw badArguments(command, `There is no approval ${toCode(typed, 40)}; \`/approve\` alone shows what is open`);
      }
      if (verdict === undefined) throw badArguments(command, `Say once, always or deny behind ${approval.id}`);
      return answer(approvals, call, approval, verdict);
    },
  };
  return command;
}

async function answer(
  approvals: Deps["approvals"],
  { turn }: CommandCall,
  { id, rules }: Approval,
  verdict: ApprovalVerdict,
): Promise<string> {
  if (verdict === "always" && rules.length === 0) {
    return `Not answered: what approval ${id} is about cannot be allowed for good, only once at a time (\`/approve ${id} once\`).`;
  }
  const by = `${turn.adapter}:${turn.message.sender.id}`;
  const result = await approvals.answer(id, verdict, by);
  if (result.type === "answered") return formatAnswered(id, verdict);
  if (result.type === "unknown") return `There is no approval ${id} any more.`;
  const { state, answeredBy } = result.approval;
  // An attempt that was cut off may have given this very answer.
  const isOwn = turn.attempt > 1 && answeredBy === by && (state === "denied") === (verdict === "deny");
  return isOwn ? formatAnswered(id, verdict) : formatLate(result.approval);
}

const formatAnswered = (id: ApprovalId, verdict: ApprovalVerdict) =>
  ({
    once: `Allowed, this once (approval ${id}).`,
    always: `Allowed (approval ${id}), and the like of it from now on without asking. \`/allowlist\` shows what is allowed so, and takes it away.`,
    deny: `Refused (approval ${id}).`,
  })[verdict];

function formatLate({ id, state, expiresAt, answeredBy, answeredAt }: Approval): string {
  if (answeredBy === byStop) {
    return `Nothing waits for approval ${id} any more: what asked for it was stopped. Ask me again for what you wanted.`;
  }
  if (state === "expired") {
    return `Too late: the time for approval ${id} was over at ${formatMoment(expiresAt)}, and that counts as no. Ask me again for what you wanted.`;
  }
  const word = state === "denied" ? "refused" : "allowed";
  return `Approval ${id} was ${word} already, by ${toCode(answeredBy ?? "somebody", 80)} at ${formatMoment(answeredAt ?? Number.NaN)}. Nothing has changed.`;
}

/** What others were asked elsewhere is nobody's business here, whatever id is guessed. */
function isWithin({ session, turn }: CommandCall, { channel }: Approval): boolean {
  const { adapter, channelId } = turn.route.channel;
  return session.type === "main" || (channel.adapter === adapter && channel.channelId === channelId);
}

async function listOpen(approvals: Deps["approvals"], call: CommandCall): Promise<Approval[]> {
  const open = await approvals.list({ states: ["pending"], limit: 1000 });
  return open.filter((approval) => isWithin(call, approval));
}

function formatOpen(open: readonly Approval[]): string {
  if (open.length === 0) return "Nothing waits for an approval here.";
  const more = open.length - mostShown;
  return [
    ...open.slice(0, mostShown).map(formatOne),
    ...(more > 0 ? [`${formatNumber(more, "more waits", "more wait")}; \`mom approvals list\` shows all.`] : []),
  ].join("\n\n");
}

function formatOne({ id, subject, sender, rules, expiresAt }: Approval): string {
  const words = verdicts.filter((verdict) => verdict !== "always" || rules.length > 0);
  return [
    `**${id}**: ${toCode(subject.tool, 60)} for ${toCode(sender, 80)}, until ${formatMoment(expiresAt)}`,
    toVisibleBlock(subject.text).text,
    ...(subject.exact.cwd === "" ? [] : [`in ${toCode(subject.exact.cwd, 4000)}`]),
    `\`/approve ${id} ${words.join("|")}\``,
  ].join("\n");
}
