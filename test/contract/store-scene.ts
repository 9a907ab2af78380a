/** What the store suites have in common: a chat, a person, letters, steps, and a store per test. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deliveryIdOf, newEntryId } from "../../src/base/ids.ts";
import type { EntryId, SessionKey } from "../../src/contracts/ids.ts";
import type { ChannelMessage, ChannelRef } from "../../src/contracts/message.ts";
import type { SessionRoute } from "../../src/contracts/session.ts";
import type { NewDelivery, Store, Verdict } from "../../src/contracts/store.ts";
import type { ClaimedTurn, NewEntry, NewStep } from "../../src/contracts/turn.ts";
import type { FakeClock } from "../fakes/clock.ts";

/**
 * The process dies at the n-th thing that it does outside its database, right before or right after it: that call and every
 * later one fails, and nothing more is written. A store with nothing outside its database never gets there.
 */
export interface Death {
  at: number;
  when: "before" | "after";
}

export interface StoreHarness {
  clock: FakeClock;
  /** Opens the store; opening again stands for a new process after the first one died without closing. */
  open(death?: Death): Promise<Store>;
  dispose(): Promise<void>;
}

export const chat: ChannelRef = { adapter: "slack-acme", channelId: "C1" };
export const usage = {
  input: 10,
  output: 5,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 15,
  cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 },
};

export const routeTo = (name: string, channel = chat): SessionRoute => ({
  sessionKey: `agent:main:group:slack-acme:${name}` as SessionKey,
  type: "group",
  agentId: "main",
  channel,
});
export const buildMessage = (id: string, text = `text of ${id}`): ChannelMessage => ({
  id,
  channelId: chat.channelId,
  timestamp: "2026-01-01T00:00:00.000Z",
  sender: { id: "U1", username: "ann", isBot: false },
  text,
  attachments: [],
  isMention: true,
});
export const turnFor = (name: string): Extract<Verdict, { type: "turn" }> => ({
  type: "turn",
  kind: "agent",
  lane: name,
  route: routeTo(name),
});
export const buildPost = (origin: string, n = 0, channel = chat): NewDelivery => ({
  id: deliveryIdOf(origin, n),
  channel,
  body: { type: "text", text: `post ${origin}.${n}` },
});
export const compactionStep = (firstKeptEntryId: EntryId): NewStep => ({
  body: { type: "compaction" },
  entries: [
    {
      type: "compaction",
      id: newEntryId(),
      timestamp: "2026-01-01T00:00:00.000Z",
      summary: "what was",
      firstKeptEntryId,
      tokensBefore: 100,
    },
  ],
});
export const nameStep = (name: string): NewStep => ({
  body: { type: "assistant" },
  entries: [{ type: "session_info", id: newEntryId(), timestamp: "2026-01-01T00:00:00.000Z", name }],
});
/** The id of a step's last entry. */
export function lastIdOf(step: NewStep): EntryId {
  const id = step.entries.at(-1)?.id;
  assert.ok(id);
  return id;
}
export const userStep = (text: string, seenSeq = 1): NewStep => ({
  body: { type: "input", seenSeq },
  entries: [
    {
      type: "message",
      id: newEntryId(),
      timestamp: "2026-01-01T00:00:00.000Z",
      message: { role: "user", content: text, timestamp: 0 },
    },
  ],
});

/** What a person says in an entry. */
export const spoken = (entry: NewEntry | undefined) =>
  entry?.type === "message" && entry.message.role === "user" ? entry.message.content : undefined;

/**
 * Runs `act` on a store that dies, at every point where it can, and gives each time what a new process finds to `check`.
 * `prepare` makes a fresh store; the last round is one that nothing happens to.
 */
export async function dieEverywhere(
  createHarness: () => Promise<StoreHarness>,
  prepare: (store: Store) => Promise<void>,
  act: (store: Store) => Promise<unknown>,
  check: (store: Store, death: string) => Promise<void>,
): Promise<number> {
  for (let round = 0; ; round++) {
    const death: Death = { at: 1 + Math.floor(round / 2), when: round % 2 === 0 ? "before" : "after" };
    const harness = await createHarness();
    try {
      await prepare(await harness.open());
      const isDead = await act(await harness.open(death)).then(
        () => false,
        () => true,
      );
      await check(await harness.open(), isDead ? `${death.when} ${death.at}` : "no death");
      if (!isDead) return round;
    } finally {
      await harness.dispose();
    }
  }
}

/** Tests of one suite, each with a store of its own. */
export type StoreTest = (title: string, run: (store: Store, harness: StoreHarness) => Promise<void>) => void;

export const createStoreTest =
  (createHarness: () => Promise<StoreHarness>): StoreTest =>
  (title, run) =>
    void test(title, async () => {
      const harness = await createHarness();
      try {
        await run(await harness.open(), harness);
      } finally {
        await harness.dispose();
      }
    });

export async function give(store: Store, id: string, verdict: Verdict = turnFor("a")) {
  return store.inbox.accept({ adapter: chat.adapter, message: buildMessage(id), verdict });
}
/** A message of its own turn, claimed. */
export async function begin(store: Store, id: string, verdict: Verdict = turnFor("a")): Promise<ClaimedTurn> {
  await give(store, id, verdict);
  return mustClaim(store);
}
/** A turn that says these things and is over. */
export async function say(store: Store, id: string, ...steps: NewStep[]): Promise<void> {
  const turn = await begin(store, id);
  for (const step of steps) await store.turns.record(turn, step);
  await store.turns.finish(turn, { outcome: "done", deliveries: [] });
}
/** What people said in the session's present context, oldest first; a summary stands as `(summary)`. */
export async function heard(store: Store, maxEntries = 100, name = "a") {
  const { entries } = await store.transcripts.context(routeTo(name).sessionKey, maxEntries);
  return entries.map((entry) => (entry.type === "compaction" ? "(summary)" : spoken(entry)));
}
export async function mustClaim(store: Store): Promise<ClaimedTurn> {
  const turn = await store.turns.claim(60_000, [chat.adapter]);
  assert.ok(turn, "a turn should be there to claim");
  return turn;
}
