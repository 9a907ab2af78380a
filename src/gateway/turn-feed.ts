/**
 * What turns have shown, kept for a while: whoever asks for a turn sees it from its beginning, however late they ask. Fed by
 * the watch, read by `agent.wait` and the OpenAI routes.
 */
import type { AgentSessionEvent } from "../contracts/agent.ts";
import type { Clock } from "../contracts/clock.ts";
import type { TurnId } from "../contracts/ids.ts";
import type { Delivery, DeliveryBody, Store } from "../contracts/store.ts";
import type { Turn, TurnState } from "../contracts/turn.ts";
import { jsonLength } from "./history/shorten.ts";
import type { TurnFeed, TurnSign, TurnUsage } from "./parts.ts";
import { GatewayFault } from "./protocol/index.ts";

interface TurnFeedDeps {
  clock: Clock;
  /** Knows of turns that the feed has not seen, or has forgotten. */
  store: { turns: Pick<Store["turns"], "get">; outbox: Pick<Store["outbox"], "list"> };
}

/** The feed for readers, and what the watch tells it. */
export interface TurnRecorder {
  feed: TurnFeed;
  turnEvent(turn: Pick<Turn, "id">, event: AgentSessionEvent): void;
  sent(delivery: Pick<Delivery, "id" | "turnId" | "body">): void;
  /** False: it was told before. */
  ended(turn: Pick<Turn, "id" | "state" | "error">): boolean;
}

/** What is kept at most; bytes are counted roughly. */
interface FeedLimits {
  turnBytes: number;
  /** Of all turns together: those that ended first go first. */
  allBytes: number;
  ended: number;
  endedMs: number;
}

interface TurnRecord {
  signs: { sign: TurnSign; bytes: number }[];
  /** Number of the first sign that is kept. */
  first: number;
  bytes: number;
  known: TurnUsage;
  isOver: boolean;
  isForgotten: boolean;
  /** Replaced whenever something was added. */
  news: PromiseWithResolvers<void>;
  readers: number;
  /** When it ended; kept from then on for a while. */
  endedAt: number;
}

const usualLimits: FeedLimits = {
  turnBytes: 1024 * 1024,
  allBytes: 64 * 1024 * 1024,
  ended: 500,
  endedMs: 10 * 60_000,
};
/** A turn that began here and was taken over elsewhere never ends here. */
const mostRecords = 5000;
const mostPosts = 200;
/** For what cannot be written out. */
const unmeasured = 1024 * 1024;

export const isOver = (state: TurnState): boolean => state === "done" || state === "failed" || state === "stopped";

export function createTurnFeed({ clock, store }: TurnFeedDeps, limits: FeedLimits = usualLimits): TurnRecorder {
  const records = new Map<TurnId, TurnRecord>();
  /** In the order in which they ended. */
  const ended = new Set<TurnId>();
  let allBytes = 0;

  const drop = (id: TurnId) => {
    const record = records.get(id);
    if (!record) return;
    record.isForgotten = true;
    wake(record);
    allBytes -= record.bytes;
    records.delete(id);
    ended.delete(id);
  };
  const open = (id: TurnId): TurnRecord => {
    const found = records.get(id);
    if (found) return found;
    const record = buildRecord();
    records.set(id, record);
    const oldest = records.keys().next().value;
    if (records.size > mostRecords && oldest !== undefined) drop(oldest);
    return record;
  };
  const isPast = (id: TurnId) => (records.get(id)?.endedAt ?? 0) <= clock.monotonic() - limits.endedMs;
  // Looked at when something happens: a timer for each turn would keep a process alive that has nothing else to do.
  const shorten = () => {
    for (const id of ended) {
      if (ended.size <= limits.ended && allBytes <= limits.allBytes && !isPast(id)) return;
      drop(id);
    }
  };
  const add = (record: TurnRecord, sign: TurnSign) => {
    if (record.isOver) return;
    const before = record.bytes;
    append(record, sign, limits.turnBytes);
    allBytes += record.bytes - before;
    shorten();
    wake(record);
  };

  async function* follow(turnId: TurnId, signal: AbortSignal): AsyncGenerator<TurnSign> {
    shorten();
    const record = open(turnId);
    record.readers++;
    const aborted = Promise.withResolvers<void>();
    const onAbort = () => aborted.resolve();
    signal.addEventListener("abort", onAbort);
    try {
      for (let next = record.first; !signal.aborted; ) {
        // Listening before looking, so that nothing in between is missed.
        const news = record.news.promise;
        if (isUntold(record)) {
          const past = await readPast(store, turnId);
          if (past && isUntold(record)) return yield* past;
        }
        if (next < record.first || (record.isForgotten && !record.isOver)) throw tooSlow();
        const kept = record.signs[next - record.first];
        if (kept) {
          next++;
          yield kept.sign;
          if (kept.sign.type === "end") return;
        } else await Promise.race([news, aborted.promise]);
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      record.readers--;
      // Only who asked knew of it.
      if (record.readers === 0 && isUntold(record)) drop(turnId);
    }
  }

  return {
    feed: {
      follow,
      usageOf(turnId) {
        shorten();
        return records.get(turnId)?.known;
      },
    },
    turnEvent({ id }, event) {
      const record = open(id);
      noteUsage(record.known, event);
      add(record, { type: "event", event });
    },
    sent({ id, turnId, body }) {
      const post = toPostSign(id, body);
      if (turnId !== undefined && post) add(open(turnId), post);
    },
    ended({ id, state, error }) {
      const record = open(id);
      if (record.isOver) return false;
      add(record, { type: "end", state, ...(error !== undefined && { error }) });
      record.isOver = true;
      record.endedAt = clock.monotonic();
      ended.add(id);
      shorten();
      // A stop ends what waits behind it too, and nobody tells of those.
      for (const each of records.values()) if (each.readers > 0 && isUntold(each)) wake(each);
      return true;
    },
  };
}

function buildRecord(): TurnRecord {
  return {
    signs: [],
    first: 0,
    bytes: 0,
    known: {},
    isOver: false,
    isForgotten: false,
    news: Promise.withResolvers(),
    readers: 0,
    endedAt: 0,
  };
}

const isUntold = ({ first, signs }: TurnRecord): boolean => first + signs.length === 0;

function wake(record: TurnRecord): void {
  record.news.resolve();
  record.news = Promise.withResolvers();
}

function append(record: TurnRecord, sign: TurnSign, maxBytes: number): void {
  const bytes = weigh(sign);
  record.signs.push({ sign, bytes });
  record.bytes += bytes;
  if (record.bytes <= maxBytes) return;
  // Half of it at once: taking the first one off a long list again and again would cost more than it saves.
  while (record.bytes > maxBytes / 2 && record.signs.length > 1) {
    const dropped = record.signs.splice(0, Math.ceil(record.signs.length / 8));
    record.first += dropped.length;
    record.bytes -= dropped.reduce((sum, each) => sum + each.bytes, 0);
  }
}

/** Most signs are a few letters of text: those are not written out to be measured. */
function weigh(sign: TurnSign): number {
  if (sign.type === "event" && "delta" in sign.event) return 100 + sign.event.delta.length;
  if (sign.type === "event" && sign.event.type === "tool_execution_update") return 200 + sign.event.text.length;
  return 100 + Math.min(jsonLength(sign), unmeasured);
}

function noteUsage(known: TurnUsage, event: AgentSessionEvent): void {
  if (event.type === "agent_start") known.model = event.model;
  if (event.type === "model_fallback") known.model = event.to;
  if (event.type !== "message_end") return;
  const { usage } = event;
  const sum = known.usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: 0 };
  known.usage = {
    input: sum.input + usage.input,
    output: sum.output + usage.output,
    cacheRead: sum.cacheRead + usage.cacheRead,
    cacheWrite: sum.cacheWrite + usage.cacheWrite,
    totalTokens: sum.totalTokens + usage.totalTokens,
    cost: sum.cost + usage.cost.total,
  };
}

function toPostSign(deliveryId: string, body: DeliveryBody): TurnSign | undefined {
  if (body.type === "text") {
    return { type: "post", deliveryId, text: body.text, ...(body.isAside && { isAside: true }) };
  }
  if (body.type !== "file") return undefined;
  const { filename, caption } = body;
  return { type: "post", deliveryId, file: { filename }, ...(caption !== undefined && { text: caption }) };
}

/** A turn that is over, or none: what there is to tell of it. Undefined: it is still to come. */
async function readPast({ turns, outbox }: TurnFeedDeps["store"], turnId: TurnId): Promise<TurnSign[] | undefined> {
  const turn = await turns.get(turnId);
  if (!turn) return [];
  if (!isOver(turn.state)) return undefined;
  const posts = await outbox.list({ turnId, states: ["sent"], limit: mostPosts });
  const { state, error } = turn;
  return [
    ...posts.flatMap(({ id, body }) => toPostSign(id, body) ?? []),
    { type: "end", state, ...(error !== undefined && { error }) },
  ];
}

const tooSlow = () =>
  new GatewayFault({ code: "UNAVAILABLE", message: "The turn went on faster than it was read", retryable: true });
