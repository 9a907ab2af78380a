/**
 * `/rule`: standing orders. An admin sees, gives and withdraws them: what one says may not be for all ears. Answered at once, so that an
 * order holds from the next tool call of a turn that is running.
 */
import type { Command, CommandCall } from "../contracts/command.ts";
import type { StandingOrder } from "../contracts/standing-order.ts";
import type { CommandDeps } from "./command-deps.ts";
import { type ResolvedRecipients, resolveRecipients } from "./resolve-recipients.ts";
import { badArguments, pickChoice, splitFirst } from "./text/arguments.ts";
import { toCode, toLine } from "./text/foreign-text.ts";

type Deps = Pick<CommandDeps, "standingOrders" | "parseStandingOrder" | "channelContext">;

/** They are sent with every turn. */
const maxChars = 1000;
const mostOrders = 50;

export function buildRuleCommand(deps: Deps): Command {
  const command: Command = {
    name: "rule",
    usage: "add <text> | list | remove <id>",
    summary: "standing orders: what I must or must not do, for good",
    adminOnly: true,
    immediate: true,
    async run(call) {
      const [verb, rest] = splitFirst(call.args);
      const action = verb === "" ? "list" : pickChoice(command, verb, ["add", "list", "remove"]);
      if (action === "list") {
        if (rest !== "") throw badArguments(command, "`/rule list` takes nothing behind it");
        return formatList(await deps.standingOrders.list(call.session.agentId));
      }
      return action === "add" ? add(command, deps, call, rest) : remove(command, deps, call, rest);
    },
  };
  return command;
}

async function add(command: Command, deps: Deps, { session, turn }: CommandCall, text: string): Promise<string> {
  if (text === "") throw badArguments(command, "Say what the order is");
  if (text.length > maxChars)
    throw badArguments(command, `An order has at most ${maxChars} characters, this has ${text.length}`);
  const { agentId } = session;
  const { unknown, ...parsed } = await deps.parseStandingOrder(text);
  if (unknown.length > 0) {
    return `Not saved, because it would forbid less than it says: ${unknown.map((each) => toLine(each, 120)).join("; ")}. \`/context\` shows the tools; correct the order and say it again.`;
  }
  const by = `${turn.adapter}:${turn.message.sender.id}`;
  const orders = await deps.standingOrders.list(agentId);
  // An attempt that was cut off may have given it; who is known may be others by now.
  const given = orders.find((each) => each.text === parsed.text && each.by === by);
  if (given && turn.attempt > 1) return formatAdded(given);
  const { recipients, unknown: strangers } = resolveRecipients(
    parsed.denyRecipients,
    deps.channelContext(turn.adapter),
  );
  if (strangers.length > 0) return formatStrangers(strangers);
  if (orders.length >= mostOrders) {
    return `Not saved: there are ${orders.length} standing orders already, and all of them are sent with every message. \`/rule remove\` one first.`;
  }
  return formatAdded(await deps.standingOrders.add({ ...parsed, denyRecipients: recipients, agentId, by }, turn.id));
}

const formatAdded = (order: StandingOrder) =>
  [`Standing order **${order.id}**: ${toCode(order.text, maxChars)}`, ...formatEnforced(order)].join("\n");

function formatStrangers(strangers: ResolvedRecipients["unknown"]): string {
  const names = strangers.map(({ name, nearest }) => {
    const guess = nearest === undefined ? "" : ` (did you mean ${toCode(nearest, 80)}?)`;
    return `${toCode(name, 80)}${guess}`;
  });
  return `Not saved: I know no chat or person ${names.join(", ")} here. Correct the name, or use the platform's id; if it is no name, begin the order with other words than \`not to\`.`;
}

async function remove(command: Command, deps: Deps, { session, turn }: CommandCall, id: string): Promise<string> {
  if (id === "") throw badArguments(command, "Say which order, by its id");
  const isRemoved = await deps.standingOrders.remove(session.agentId, id.toLowerCase());
  // An attempt that was cut off may have withdrawn it.
  if (isRemoved || turn.attempt > 1) return `The standing order ${toCode(id, 40)} is no longer in force.`;
  throw badArguments(command, `There is no standing order ${toCode(id, 40)}; \`/rule list\` shows the ones there are`);
}

function formatList(orders: readonly StandingOrder[]): string {
  if (orders.length === 0) return "There are no standing orders. An admin gives one with `/rule add text`.";
  return [
    "Standing orders:",
    ...orders.flatMap((order) => [
      `- **${order.id}** ${toCode(order.text, maxChars)}`,
      ...formatEnforced(order).map((line) => `  ${line}`),
    ]),
  ].join("\n");
}

/** What of it code sees to, whatever the model does. */
function formatEnforced({ denyTools, denyRecipients }: StandingOrder): string[] {
  const names = (all: readonly string[]) => all.map((name) => toCode(name, 60)).join(", ");
  if (denyTools.length + denyRecipients.length === 0) {
    return [
      "- the model is told with every message; nothing of it is enforced by mom herself (say `deny <tools>` or `not to <recipients>` for that)",
    ];
  }
  return [
    ...(denyTools.length > 0 ? [`- enforced by mom herself: the tools ${names(denyTools)} are refused`] : []),
    ...(denyRecipients.length > 0
      ? [
          `- enforced by mom herself: tools send nothing to ${names(denyRecipients)} (what I say myself in that chat is no tool)`,
        ]
      : []),
  ];
}
