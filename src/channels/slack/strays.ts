/**
 * Live posts that nobody knows the id of: the call was made, and then mom was killed or the answer was lost. Each is written
 * down before it is made; one that is found later is taken away, so that a reply is not seen beside a piece of itself.
 */
import { randomUUID } from "node:crypto";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMemory } from "../definition.ts";
import { type Found, findOwnPost, type LookupDeps } from "./lookup.ts";
import type { Posting, PostMetadata } from "./posting.ts";
import { isAfter, toRecord, type WireMessage } from "./wire.ts";

const liveType = "mom_live";

export const buildLiveMetadata = (callId: string): PostMetadata => ({
  event_type: liveType,
  event_payload: { call_id: callId },
});

export interface LiveCall {
  channelId: string;
  threadTs?: string | undefined;
  /** A time of Slack's before the call. */
  since?: string | undefined;
  /** A stream can be found by nothing but its place: it has no metadata. */
  isStream: boolean;
}

export interface Strays {
  /** Looks for what an earlier life left. */
  start(): Promise<void>;
  /** A live post is about to be made: an id for the call. Undefined when that could not be written down. */
  expect(call: LiveCall): Promise<string | undefined>;
  /** Its id is known; undefined: it was surely not made. */
  arrived(callId: string, ts: string | undefined): void;
  /** The answer was lost: its id, if it is there. What cannot be found out now is looked for again later. */
  find(callId: string): Promise<string | undefined>;
  stop(): void;
}

export interface StraysDeps extends LookupDeps {
  clock: Clock;
  log: Log;
  memory: ChannelMemory;
  posting: Pick<Posting, "remove">;
}

const memoryKey = "live-calls";
const most = 200;
/** Only then the kit has surely written down the id itself. */
const forgetAfterMs = 2_000;
const lookAgainMs = 15_000;
const mostLooks = 20;

export function createStrays(deps: StraysDeps): Strays {
  const { clock, log, memory, posting } = deps;
  const calls = new Map<string, LiveCall>();
  const settled = new Set<string>();
  const lost = new Set<string>();
  /** Posts that are no strays. */
  const known = new Set<string>();
  let cancelForget: (() => void) | undefined;
  let cancelLook: (() => void) | undefined;
  let looks = 0;
  let isStopped = false;

  const write = async (): Promise<boolean> => {
    try {
      await memory.set(memoryKey, Object.fromEntries(calls));
      return true;
    } catch (error) {
      log.warn("Live posts on Slack could not be written down", { error });
      return false;
    }
  };
  const forget = async () => {
    cancelForget = undefined;
    for (const callId of settled) calls.delete(callId);
    settled.clear();
    await write();
  };
  const look = async (callId: string): Promise<Found> => {
    const call = calls.get(callId);
    if (!call) return { type: "absent" };
    return findOwnPost(deps, call, (message) => !known.has(message.ts) && isLivePost(message, callId, call));
  };
  async function sweep(): Promise<void> {
    for (const callId of lost) {
      if (isStopped) return;
      const found = await look(callId);
      if (found.type === "unsure") continue;
      if (found.type === "found") await posting.remove(calls.get(callId)?.channelId ?? "", found.ts);
      lost.delete(callId);
      settled.add(callId);
    }
    if (settled.size > 0) await forget();
    if (lost.size > 0) lookLater();
  }
  const lookLater = () => {
    if (isStopped || cancelLook || ++looks > mostLooks) return;
    cancelLook = clock.after(lookAgainMs, () => {
      cancelLook = undefined;
      sweep().catch((error: unknown) => log.warn("Live posts on Slack could not be looked for", { error }));
    });
  };
  const arrived = (callId: string, ts: string | undefined) => {
    settled.add(callId);
    if (ts !== undefined) known.add(ts);
    const [oldest] = known;
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    if (!isStopped) cancelForget ??= clock.after(forgetAfterMs, () => void forget());
  };

  return {
    async start() {
      const kept = await memory.get(memoryKey).catch(() => undefined);
      for (const [callId, call] of Object.entries(toRecord(kept))) {
        calls.set(callId, call as LiveCall);
        lost.add(callId);
      }
      await sweep();
    },
    async expect(call) {
      const callId = randomUUID();
      calls.set(callId, call);
      const [oldest] = calls.keys();
      if (calls.size > most && oldest !== undefined) calls.delete(oldest);
      return (await write()) ? callId : undefined;
    },
    arrived,
    async find(callId) {
      const found = await look(callId);
      if (found.type === "found") {
        arrived(callId, found.ts);
        return found.ts;
      }
      lost.add(callId);
      looks = 0;
      lookLater();
      return undefined;
    },
    stop() {
      isStopped = true;
      cancelForget?.();
      cancelLook?.();
    },
  };
}

/** Everything else of mom's has metadata of its own, or files. */
function isLivePost({ ts, metadata, files }: WireMessage, callId: string, { isStream, since }: LiveCall): boolean {
  if (metadata) return metadata.type === liveType && metadata.payload["call_id"] === callId;
  return isStream && files.length === 0 && since !== undefined && isAfter(ts, since);
}
