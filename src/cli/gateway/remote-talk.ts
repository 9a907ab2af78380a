/**
 * The conversation of a terminal with a mom that runs in another process: what is typed goes out as calls, events come back onto
 * the terminal, and what others say in the same session is shown as theirs. Stands where the app stands for its own terminal.
 */
import type { CliAdapter } from "../../channels/index.ts";
import type { AgentSessionEvent } from "../../contracts/agent.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { DeliveryId, TurnId } from "../../contracts/ids.ts";
import type { ChannelMessage } from "../../contracts/message.ts";
import type { GatewayClient } from "../../gateway/client/index.ts";
import { type EventFrame, GatewayFault, type Payload, type Result } from "../../gateway/protocol/index.ts";
import { createBoundedSet } from "./bounded-set.ts";
import { formatApproval, formatSaid } from "./format-talk.ts";
import type { PostedFile } from "./posted-file.ts";
import { createTurnEnds } from "./turn-ends.ts";

export interface RemoteTalk {
  /** From now on. Before it, nothing is said and nothing shown. */
  join(adapter: CliAdapter, sessionKey: string): void;
  /** The message's turn is over and what it said is on the terminal. */
  settled(messageId: string): Promise<void>;
  onEvent(frame: EventFrame): void;
  onGap(): void;
  /** The last thing that mom said, what she is busy with, and what waits for an answer. */
  showPast(): Promise<void>;
}

interface TalkDeps {
  client: GatewayClient;
  clock: Clock;
  /** False: only what answers the messages from here is shown. */
  isInteractive: boolean;
  findFile(deliveryId: string): Promise<PostedFile | undefined>;
}

/** Events that wait to be shown; beyond it, running output is left out. */
const mostWaiting = 2_000;
const pastItems = 30;

export function createRemoteTalk({ client, clock, isInteractive, findFile }: TalkDeps): RemoteTalk {
  let place: { adapter: CliAdapter; channelId: string; sessionKey: string } | undefined;
  const turnOf = new Map<string, Result<"chat.send">>();
  const [ownMessages, ownTurns, answered] = [createBoundedSet(), createBoundedSet(), createBoundedSet()];
  /** Turns whose present message was seen from its beginning. */
  const wholeMessages = createBoundedSet();
  const sending = new Set<Promise<unknown>>();
  let shown: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  const note = (text: string) => place?.adapter.writeAbove(text);
  const isOurs = (turnId: string | undefined) => isInteractive || (turnId !== undefined && ownTurns.has(turnId));
  const showReply = async (
    text: string,
    more: { turnId?: string | undefined; deliveryId: string; isAside?: boolean },
  ) => {
    const { turnId, deliveryId, isAside } = more;
    if (turnId !== undefined && isAside !== true) answered.add(turnId);
    await place?.adapter.sendMessage(place.channelId, {
      deliveryId: deliveryId as DeliveryId,
      text,
      ...(turnId !== undefined && { turnId: turnId as TurnId }),
      ...(isAside === true && { isAside }),
    });
  };
  const ends = createTurnEnds({
    client,
    clock,
    shown: () => shown,
    async onReply(turnId, reply) {
      if (reply !== "" && !answered.has(turnId)) await showReply(reply, { turnId, deliveryId: turnId });
    },
  });

  const say = async ({ id, text }: ChannelMessage) => {
    const sent = client.call("chat.send", { message: text, idempotencyKey: id, ...sessionOf(place) });
    sending.add(sent);
    try {
      const accepted = await sent;
      ownMessages.add(accepted.messageId);
      ownTurns.add(accepted.turnId);
      turnOf.set(id, accepted);
    } catch (error) {
      // What may be taken later is offered again by whoever called.
      if (!(error instanceof GatewayFault) || error.retryable) throw error;
      note(`mom did not take this: ${error.message}`);
    } finally {
      sending.delete(sent);
    }
  };

  const showFile = async ({ deliveryId, file }: Payload<"chat.post">) => {
    const found = await findFile(deliveryId);
    const result =
      found && (await place?.adapter.uploadFile(place.channelId, { deliveryId: deliveryId as DeliveryId, ...found }));
    if (result?.type !== "sent") note(`📎 ${file?.filename ?? ""}`);
  };
  const showPost = async (post: Payload<"chat.post">) => {
    const { turnId, deliveryId, text, file, isAside } = post;
    if (!isOurs(turnId)) {
      // A question that a turn from here waits for belongs to no turn.
      if (turnId === undefined && text !== undefined && turnOf.size > 0) note(text);
      return;
    }
    if (file) await showFile(post);
    if (text !== undefined && text !== "") await showReply(text, { turnId, deliveryId, isAside: isAside === true });
  };
  const showAgentEvent = async ({ turnId, event }: Payload<"agent">) => {
    if (!isOurs(turnId) || !place) return;
    // The frame says that it is a record with a type; an event that this mom does not know is passed over by the terminal.
    const known = event as unknown as AgentSessionEvent;
    if (known.type === "agent_start" || known.type === "message_start") wholeMessages.add(turnId);
    // The end of a message whose beginning was missed comes whole with its delivery.
    if (known.type === "text_delta" && !wholeMessages.has(turnId)) return;
    await place.adapter.showEvent(place.channelId, turnId as TurnId, known);
  };
  const show = async ({ event, payload, sessionKey }: EventFrame): Promise<void> => {
    if (!place || (sessionKey !== undefined && sessionKey !== place.sessionKey)) return;
    // Each payload was held against the schema of its name by the client.
    if (event === "chat.message") {
      const { messageId, channel, item } = payload as Payload<"chat.message">;
      if (isInteractive && !ownMessages.has(messageId)) note(formatSaid(item, channel));
    } else if (event === "agent") await showAgentEvent(payload as Payload<"agent">);
    else if (event === "chat.post") await showPost(payload as Payload<"chat.post">);
    else if (event === "chat.end") ends.ended(payload as Payload<"chat.end">);
    else if (event === "shutdown") note(`mom: ${(payload as Payload<"shutdown">).reason}`);
  };

  return {
    join(adapter, sessionKey) {
      const [channel] = adapter.getChannels();
      place = { adapter, channelId: channel?.id ?? "", sessionKey };
      adapter.onMessage(say);
      adapter.onStop(async () => void (await client.call("chat.abort", { sessionKey })));
    },
    async settled(messageId) {
      const accepted = turnOf.get(messageId);
      if (!accepted) return;
      await ends.whenOver(accepted.turnId, accepted.isRepeat);
      await shown;
      turnOf.delete(messageId);
    },
    onEvent(frame) {
      if (waiting >= mostWaiting && frame.event === "agent") return;
      waiting += 1;
      // What comes while a message is being handed in may be about that very message.
      shown = shown
        .then(() => Promise.allSettled(sending))
        .then(() => show(frame))
        .catch(() => undefined)
        .then(() => {
          waiting -= 1;
        });
    },
    onGap() {
      if (isInteractive) note("Some of what happened meanwhile is not shown here.");
      ends.lost();
    },
    async showPast() {
      const { items, turns, approvals } = await client.call("chat.history", { limit: pastItems, ...sessionOf(place) });
      const last = items.findLast(({ role, text }) => role === "assistant" && text !== undefined && text !== "");
      if (last?.text !== undefined) await showReply(last.text, { deliveryId: last.id });
      for (const { text, sender } of turns) note(`mom is busy with what ${sender} said: ${text}`);
      for (const approval of approvals) note(formatApproval(approval));
    },
  };
}

const sessionOf = (place: { sessionKey: string } | undefined) => (place ? { sessionKey: place.sessionKey } : {});
