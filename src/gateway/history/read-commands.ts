/**
 * Slash commands and their answers: the model never saw them, so they are in no transcript. Read from the turns themselves, as
 * long as the store keeps those, and put where they were said.
 */
import type { SessionEntry } from "../../contracts/session.ts";
import type { Delivery, Store } from "../../contracts/store.ts";
import type { Turn } from "../../contracts/turn.ts";
import type { ChatItem } from "../protocol/index.ts";

type CommandStore = { turns: Pick<Store["turns"], "list">; outbox: Pick<Store["outbox"], "list"> };

const mostTurns = 100;
const mostPosts = 20;
/** Of a session in which nothing else was said yet. */
const mostAlone = 5;

export async function readCommands(
  { turns, outbox }: CommandStore,
  { sessionKey }: SessionEntry,
  since: number | undefined,
): Promise<ChatItem[]> {
  const newest = await turns.list({ sessionKey, states: ["done", "failed"], limit: mostTurns });
  const commands = newest.filter(({ kind, createdAt }) => kind === "command" && createdAt >= (since ?? 0));
  const shown = since === undefined ? commands.slice(-mostAlone) : commands;
  const items = await Promise.all(
    shown.map(async (turn) => [toSaid(turn), ...toAnswers(await outbox.list({ turnId: turn.id, limit: mostPosts }))]),
  );
  return items.flat();
}

/** In the order of time; of two at the same moment, the first list's comes first. */
export const mergeByTime = (items: readonly ChatItem[], more: readonly ChatItem[]): ChatItem[] =>
  [...items, ...more].sort((a, b) => a.at - b.at);

const toSaid = ({ message, createdAt }: Turn): ChatItem => ({
  id: message.id,
  at: createdAt,
  role: "user",
  sender: message.sender.displayName ?? message.sender.username,
  text: message.text,
});

const toAnswers = (posts: readonly Delivery[]): ChatItem[] =>
  posts.flatMap(({ id, createdAt, body }) =>
    body.type === "text" ? [{ id, at: createdAt, role: "assistant" as const, text: body.text }] : [],
  );
