/**
 * Posts a question where somebody with the right to it can answer: in the chat itself where its asker is an admin or others
 * are there, else in the owner's. Through the outbox, under ids made of the question's, so that it is posted once.
 */
import { deliveryIdOf } from "../../base/ids.ts";
import type { Approval } from "../../contracts/approval.ts";
import type { OutgoingButton } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { Outbox } from "../../contracts/store.ts";
import type { ToolScope } from "../../contracts/tool.ts";
import { formatQuestion, formatWaiting } from "./format-question.ts";

export interface PostDeps {
  /** What is posted here must leave at once, while the turn waits. */
  outbox: Pick<Outbox, "post">;
  clock: Pick<Clock, "now">;
  log: Log;
  /** Markdown as the posts it will be there. Undefined: that chat cannot be posted in now. */
  render(channel: ChannelRef, markdown: string): readonly string[] | undefined;
  /** Where the owner of the agent is spoken to. Undefined: nowhere yet. */
  ownerChat(agentId: string): Promise<ChannelRef | undefined>;
  /** Do programs run in a sandbox? */
  isConfined(): boolean;
}

export async function postQuestion(deps: PostDeps, approval: Approval, scope: ToolScope): Promise<void> {
  const { clock, log } = deps;
  const question = formatQuestion({
    approval,
    sender: scope.sender,
    isConfined: deps.isConfined(),
    nowMs: clock.now(),
  });
  const isHere = scope.isAdmin || scope.session.type === "group" || scope.session.type === "topic";
  const place = isHere ? scope.channel : await deps.ownerChat(approval.agentId);
  const isPosted =
    place !== undefined && (await post(deps, place, `approval-${approval.id}`, question, buildButtons(approval)));
  if (!isPosted)
    log.warn("A question could be posted in no chat; `mom approvals` answers it", { approval: approval.id });
  const isElsewhere = place === undefined || !isSame(place, scope.channel);
  if (!isPosted || isElsewhere)
    await post(deps, scope.channel, `approval-${approval.id}-word`, formatWaiting(approval, isPosted));
}

/** Under the last of the posts, so that nobody can press before everything was shown. */
async function post(
  deps: PostDeps,
  channel: ChannelRef,
  origin: string,
  markdown: string,
  buttons: readonly OutgoingButton[] = [],
): Promise<boolean> {
  const texts = deps.render(channel, markdown);
  if (texts === undefined || texts.length === 0) return false;
  const isLast = (n: number) => n === texts.length - 1 && buttons.length > 0;
  await deps.outbox.post(
    texts.map((text, n) => ({
      id: deliveryIdOf(origin, n),
      channel,
      body: { type: "text" as const, text, ...(isLast(n) && { buttons }) },
    })),
  );
  return true;
}

function buildButtons({ id, rules }: Approval): OutgoingButton[] {
  const always: OutgoingButton[] = rules.length > 0 ? [{ label: "Always", says: `/approve ${id} always` }] : [];
  return [
    { label: "Allow once", says: `/approve ${id} once`, look: "good" },
    ...always,
    { label: "Deny", says: `/approve ${id} deny`, look: "bad" },
  ];
}

const isSame = (a: ChannelRef, b: ChannelRef) => a.adapter === b.adapter && a.channelId === b.channelId;
