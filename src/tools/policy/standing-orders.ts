/** Holds tools and calls against the owner's standing orders (spec 3.6): what code can check is not left to the model. */
import type { StandingOrder } from "../../contracts/standing-order.ts";
import type { ToolDecision } from "../../contracts/tool.ts";
import { type PolicyTool, pickMeaning } from "./tool-names.ts";

const layer = "standing orders";

/** Takes away what an order denies; policy's own refusals stay as they are. */
export function denyByOrders(
  decisions: readonly ToolDecision[],
  tools: readonly PolicyTool[],
  orders: readonly StandingOrder[],
): ToolDecision[] {
  return decisions.map((decision) => {
    const tool = tools.find(({ name }) => name === decision.name);
    const order = decision.allowed && tool ? findOrderAgainst(tool, [], orders) : undefined;
    return order ? { name: decision.name, allowed: false, removedBy: { layer, rule: describeOrder(order) } } : decision;
  });
}

/** The order that forbids a call of this tool to these recipients. */
export function findOrderAgainst(
  tool: PolicyTool,
  recipients: readonly string[],
  orders: readonly StandingOrder[],
): StandingOrder | undefined {
  const to = recipients.map(normaliseRecipient);
  return orders.find(
    ({ denyTools, denyRecipients }) =>
      pickMeaning(tool, denyTools) !== undefined ||
      denyRecipients.some((each) => to.includes(normaliseRecipient(each))),
  );
}

export const describeOrder = ({ id, text }: StandingOrder) =>
  `${id} "${text}"; it is in force until the owner takes it back with /rule remove ${id}`;

const normaliseRecipient = (name: string) => name.trim().replace(/^[@#]/, "").toLowerCase();
