/**
 * `mom approvals`: what waits for an admin's word, answered at the machine itself; and what is allowed for good. Works on the
 * store beside a running mom, who hears of it within a moment. Who can run this owns the data, so it is the operator who answers.
 */
import { Command } from "commander";
import { suggestRules } from "../../app/index.ts";
import { StoreError, UsageError } from "../../base/errors.ts";
import { formatRule } from "../../base/format-rule.ts";
import { formatMoment } from "../../base/format-values.ts";
import { toVisible } from "../../base/visible-text.ts";
import type { AllowRule, Approval, ApprovalVerdict, StoredRule } from "../../contracts/approval.ts";
import type { ApprovalId } from "../../contracts/ids.ts";
import type { Store } from "../../contracts/store.ts";
import { createSilentLog } from "../cli-log.ts";
import { dataOption } from "../data-dir.ts";
import { type Column, formatTable } from "../format-table.ts";
import { readHolderNow } from "../holder.ts";
import type { CliIo } from "../io.ts";
import { loadValidConfig } from "../load-valid-config.ts";
import { pickOperator } from "../pick-operator.ts";
import { note, printJson, printLines } from "../print.ts";
import { type GuestUse, withGuestStore } from "../with-guest-store.ts";

interface Options {
  data?: string;
  json?: true;
}
type RuleOptions = Options & { agent: string };

const mostListed = 200;
const agentOption = ["--agent <name>", "whose rules", "main"] as const;

export function buildApprovalsCommand(io: CliIo): Command {
  const approvals = new Command("approvals").description("Answers what waits for an admin's word.");
  const add = (name: string, description: string) =>
    approvals
      .command(name)
      .description(description)
      .option("--json", "print JSON")
      .option(...dataOption);
  add("list", "list what waits, with all that would happen")
    .option("--all", "also what has been answered or was over")
    .action((options: Options & { all?: true }) => list(io, options));
  add("approve", "allow it, this once")
    .argument("<id>", "as `mom approvals list` prints it")
    .option("--always", "and the like of it from now on, as `list` shows it")
    .action((id: string, { always, ...options }: Options & { always?: true }) =>
      answer(io, options, id, always ? "always" : "once"),
    );
  add("deny", "refuse it")
    .argument("<id>", "as `mom approvals list` prints it")
    .action((id: string, options: Options) => answer(io, options, id, "deny"));
  add("rules", "list what is allowed for good")
    .option(...agentOption)
    .action((options: RuleOptions) => listRules(io, options));
  add("allow", "allow a command for good, before it is asked for")
    .argument("<command>", "in quotes, as it would be run; of what only reads, plain paths may be any below the folder")
    .option(...agentOption)
    .action((command: string, options: RuleOptions) => allow(io, options, command));
  add("remove", "take a rule away: it will be asked again")
    .argument("<rule>", "as `mom approvals rules` prints it")
    .option(...agentOption)
    .action((rule: string, options: RuleOptions) => removeRule(io, options, rule));
  return approvals;
}

async function list(io: CliIo, { data, json, all }: Options & { all?: true }): Promise<void> {
  await withGuestStore(io, data, async ({ store }) => {
    const filter = { ...(!all && { states: ["pending" as const] }), limit: mostListed };
    const found = (await store?.approvals.list(filter)) ?? [];
    if (json) return printJson(io, found);
    if (found.length === 0) return note(io, all ? "nothing has been asked yet" : "nothing waits for an approval");
    printLines(io, found.flatMap(formatApproval).slice(0, -1));
  });
}

/** All of it: who answers here has perhaps not seen the question in the chat. */
function formatApproval(approval: Approval): string[] {
  const { id, state, subject, sender, reason, rules, expiresAt, answeredBy } = approval;
  const { cwd, env } = subject.exact;
  const by = answeredBy === undefined ? "" : ` by ${answeredBy}`;
  const until = state === "pending" ? `until ${formatMoment(expiresAt)}` : `${state}${by}`;
  return [
    `${id}  ${subject.tool} for ${sender} (agent ${approval.agentId}), ${until}`,
    ...toVisible(subject.text)
      .text.split("\n")
      .map((line) => `    | ${line}`),
    ...(cwd === "" ? [] : [`    in ${oneLine(cwd)}`]),
    ...Object.entries(env).map(([name, value]) => `    with ${oneLine(`${name}=${value}`)}`),
    `    because ${oneLine(reason)}`,
    ...rules.map((rule) => `    --always would allow: ${oneLine(formatRule(rule))}`),
    ...(rules.length === 0 ? ["    it can be allowed only once at a time"] : []),
    "",
  ];
}

const oneLine = (text: string) => toVisible(text).text.replaceAll("\n", "⟨U+000A⟩");

async function answer(io: CliIo, { data, json }: Options, typed: string, verdict: ApprovalVerdict): Promise<void> {
  await withGuestStore(io, data, async ({ store, dataDir }) => {
    const found = await store?.approvals.get(typed.toLowerCase() as ApprovalId);
    if (!store || !found) throw buildUnknown(typed);
    if (verdict === "always" && found.rules.length === 0) {
      throw new StoreError("APPROVAL_ONCE_ONLY", `What approval ${found.id} is about cannot be allowed for good.`, {
        hint: `\`mom approvals approve ${found.id}\` allows it once.`,
      });
    }
    const result = await store.approvals.answer(found.id, verdict, pickOperator());
    if (result.type === "unknown") throw buildUnknown(typed);
    if (result.type === "late") throw buildLate(result.approval);
    if (json) return printJson(io, result.approval);
    const word =
      verdict === "deny" ? "refused" : verdict === "once" ? "allowed, this once" : "allowed, and from now on";
    const isRunning = readHolderNow(dataDir) !== undefined;
    printLines(io, [
      `${found.id} ${word}${isRunning ? "" : "; no mom is running there, so it counts at the next start"}`,
    ]);
  });
}

const buildUnknown = (id: string) =>
  new StoreError("APPROVAL_UNKNOWN", `There is no approval "${id}".`, {
    hint: "`mom approvals list` shows what waits.",
  });

function buildLate({ id, state, answeredBy, answeredAt, expiresAt }: Approval): StoreError {
  if (answeredBy === "mom:stopped") {
    return new StoreError(
      "APPROVAL_LATE",
      `Nothing waits for approval ${id} any more: what asked for it was stopped.`,
      {
        hint: "Nothing has changed. Ask mom again for what was wanted.",
      },
    );
  }
  const what =
    state === "expired"
      ? `Its time was over at ${formatMoment(expiresAt)}, which counts as no.`
      : `It was ${state === "denied" ? "refused" : "allowed"} by ${answeredBy ?? "somebody"} at ${formatMoment(answeredAt ?? Number.NaN)}.`;
  return new StoreError("APPROVAL_LATE", `Approval ${id} cannot be answered any more. ${what}`, {
    hint: "Nothing has changed. Ask mom again for what was wanted.",
  });
}

async function listRules(io: CliIo, { data, json, agent }: RuleOptions): Promise<void> {
  await withGuestStore(io, data, async ({ store }) => {
    const rules = (await store?.approvals.rules(agent)) ?? [];
    if (json) return printJson(io, rules);
    if (rules.length === 0) return note(io, `nothing is allowed for good for the agent ${agent}`);
    printLines(io, formatTable(ruleColumns, rules));
  });
}

const ruleColumns: Column<StoredRule>[] = [
  { title: "ID", toText: ({ id }) => id },
  { title: "COMMAND", toText: (rule) => oneLine(formatRule(rule)) },
  { title: "BY", toText: ({ by }) => by },
  { title: "SINCE", toText: ({ createdAt }) => formatMoment(createdAt) },
];

async function allow(io: CliIo, { data, json, agent }: RuleOptions, command: string): Promise<void> {
  await withGuestStore(io, data, async (guest) => {
    const rules = await findRules(io, guest, command);
    if (!guest.store) {
      throw new StoreError(
        "STORE_MISSING",
        `Mom was never started in ${guest.dataDir}, so there is nothing to keep a rule in.`,
        {
          hint: "Start her there once, then allow it.",
        },
      );
    }
    const added: StoredRule[] = [];
    for (const rule of rules) added.push(await guest.store.approvals.addRule(agent, rule, pickOperator()));
    if (json) return printJson(io, added);
    printLines(io, formatTable(ruleColumns, added));
  });
}

async function findRules(io: CliIo, { dataDir, clock }: GuestUse, command: string): Promise<AllowRule[]> {
  const { config } = await loadValidConfig(io, dataDir, { create: false });
  const parts = { dataDir, env: io.env, clock, log: createSilentLog(clock), config };
  const suggested = await suggestRules(parts, command);
  if (suggested.type === "rules") return suggested.rules;
  throw new UsageError("RULE_NOT_SIMPLE", `This cannot be allowed for good, because ${oneLine(suggested.why)}.`, {
    hint: "Only plain commands can: programs of the system with their words, no variables, substitutions or redirections.",
  });
}

async function removeRule(io: CliIo, { data, json, agent }: RuleOptions, id: string): Promise<void> {
  await withGuestStore(io, data, async ({ store }) => {
    if (!(await isRemoved(store, agent, id))) {
      throw new StoreError("RULE_UNKNOWN", `The agent ${agent} has no rule "${id}".`, {
        hint: "`mom approvals rules` shows the ones there are; --agent names another agent.",
      });
    }
    if (json) return printJson(io, { removed: id, agent });
    printLines(io, [`${id} is gone; it will be asked again`]);
  });
}

const isRemoved = async (store: Store | undefined, agent: string, id: string) =>
  (await store?.approvals.removeRule(agent, id.toLowerCase())) === true;
