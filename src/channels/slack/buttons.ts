/** Buttons under a post, and the post without them once one was pressed. */
import type { OutgoingButton } from "../../contracts/channel.ts";
import { escapeMrkdwn } from "./format.ts";
import { toRecord } from "./wire.ts";

/** Presses of anything else are not mom's. */
export const buttonPrefix = "mom:";
const maxLabel = 75;
const maxSays = 2_000;
const mostButtons = 25;

export type Block = { type: string } & Record<string, unknown>;

/** Undefined where Slack could not carry one: the text says how to answer without. */
export function buildButtons(buttons: readonly OutgoingButton[] | undefined): Block | undefined {
  const fitting = (buttons ?? []).filter(({ says }) => says.length <= maxSays).slice(0, mostButtons);
  if (fitting.length === 0) return undefined;
  const styles = { good: "primary", bad: "danger" };
  const elements = fitting.map(({ label, says, look }, index) => ({
    type: "button",
    action_id: `${buttonPrefix}${index}`,
    text: { type: "plain_text", text: label.slice(0, maxLabel).toWellFormed() || "…", emoji: true },
    value: says,
    ...(look && { style: styles[look] }),
  }));
  return { type: "actions", elements };
}

/** The blocks of a post whose button was pressed: who pressed what, instead of the buttons. */
export function withoutButtons(blocks: readonly unknown[], userId: string, label: string): Block[] {
  const left = blocks.map(toRecord).filter(({ type }) => typeof type === "string" && type !== "actions") as Block[];
  const text = `<@${userId}>: ${escapeMrkdwn(label)}`;
  return [...left, { type: "context", elements: [{ type: "mrkdwn", text }] }];
}
