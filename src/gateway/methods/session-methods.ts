/** Sessions: list, look into, rename, begin afresh, remove, sum up; and what they have cost. */
import type { SessionId, SessionKey, TurnId } from "../../contracts/ids.ts";
import type { SessionChoices, SessionEntry } from "../../contracts/session.ts";
import type { SessionLife } from "../../contracts/store.ts";
import { buildTree } from "../history/build-tree.ts";
import type { Params, SessionLifeSummary } from "../protocol/index.ts";
import { ensureSession } from "./find-session.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { invalid, notFound, unavailable } from "./refusals.ts";
import { deriveId, sayAs } from "./say-as.ts";
import { toSessionSummary } from "./to-summary.ts";

type Looking = "sessions.list" | "sessions.history" | "sessions.usage";
type Changing = "sessions.send" | "sessions.patch" | "sessions.reset" | "sessions.delete" | "sessions.compact";

const usualSessions = 200;
const usualEntries = 1000;
const busyMs = 2000;

export function buildSessionMethods(deps: MethodDeps): Group<Looking | Changing> {
  return { ...buildLooking(deps), ...buildChanging(deps) };
}

function buildLooking({ house }: MethodDeps): Group<Looking> {
  const { sessions, transcripts, usage } = house.store;
  return {
    async "sessions.list"({ search = "", limit = usualSessions }) {
      const found = (await sessions.list()).filter((session) => matches(session, search.trim().toLowerCase()));
      const shown = found.slice(0, limit).map((each) => toSessionSummary(each, house.isRunning(each.sessionKey)));
      return { sessions: shown, total: found.length };
    },
    async "sessions.history"({ sessionKey, limit = usualEntries }) {
      const session = await ensureSession(house, sessionKey);
      const whole = await transcripts.whole(session.sessionKey);
      const entries = whole?.entries ?? [];
      return {
        entries: buildTree(entries.slice(-limit)),
        leaf: whole?.leaf ?? null,
        isCut: entries.length > limit,
        lives: (await transcripts.lives(session.sessionKey)).map(toLife),
      };
    },
    "sessions.usage": async ({ by, since }) => ({ totals: await usage.totals(by, since) }),
  };
}

function buildChanging({ house, events }: MethodDeps): Group<Changing> {
  return {
    async "sessions.send"({ sessionKey, message, idempotencyKey }, context) {
      return sayAs(house, context, {
        messageId: deriveId(context.identity, "sessions.send", idempotencyKey),
        text: message,
        attachments: [],
        to: { type: "session", sessionKey: sessionKey as SessionKey },
        answerThere: true,
      });
    },
    async "sessions.patch"({ sessionKey, idempotencyKey: _, ...changes }) {
      const { sessionKey: key } = await ensureSession(house, sessionKey);
      if (typeof changes.model === "string") {
        const resolved = await house.models.resolve(changes.model);
        if (resolved.type === "unavailable") throw invalid(resolved.message);
      }
      const session = await house.store.sessions.choose(key, toChoices(changes));
      events.publish("session.changed", { sessionKey: key });
      return toSessionSummary(session, house.isRunning(key));
    },
    async "sessions.reset"({ sessionKey, to, idempotencyKey }, { identity }) {
      const { sessionKey: key } = await ensureSession(house, sessionKey);
      const by = `gateway-${deriveId(identity, "sessions.reset", idempotencyKey)}` as TurnId;
      const session = await house.resetSession(key, by, to as SessionId | undefined);
      if (session === false) throw isBusy();
      return toSessionSummary(session, house.isRunning(key));
    },
    async "sessions.delete"({ sessionKey }) {
      const { sessionKey: key } = await ensureSession(house, sessionKey);
      if (!(await house.deleteSession(key))) throw notFound(`session ${key} any more`);
      return { ok: true };
    },
    async "sessions.compact"({ sessionKey, instructions = "", idempotencyKey }, context) {
      return sayAs(house, context, {
        messageId: deriveId(context.identity, "sessions.compact", idempotencyKey),
        text: `/compact ${instructions.trim()}`.trim(),
        attachments: [],
        to: { type: "session", sessionKey: sessionKey as SessionKey },
      });
    },
  };
}

/** `wanted`: lower case. */
function matches({ sessionKey, label = "", channel, lastChannel }: SessionEntry, wanted: string): boolean {
  const names = [sessionKey, label, channel.adapter, channel.channelId, lastChannel.adapter, lastChannel.channelId];
  return names.some((name) => name.toLowerCase().includes(wanted));
}

function toChoices(changes: Omit<Params<"sessions.patch">, "sessionKey" | "idempotencyKey">): SessionChoices {
  const { label, model, thinkingLevel, queueMode, isQuiet } = changes;
  return {
    ...(label !== undefined && { label: label === null ? null : toLabel(label) }),
    ...(model !== undefined && { chosenModel: model }),
    ...(thinkingLevel !== undefined && { thinkingLevel }),
    ...(queueMode !== undefined && { queueMode }),
    ...(isQuiet !== undefined && { isQuiet: isQuiet || null }),
  };
}

/** A name is one line of what can be seen. */
function toLabel(label: string): string {
  const name = label.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  if (name === "") throw invalid("sessions.patch: the label has no visible characters");
  return name;
}

const toLife = ({
  sessionId,
  isPresent,
  startedAt,
  updatedAt,
  name,
  opening,
  bytes,
}: SessionLife): SessionLifeSummary => ({
  sessionId,
  isPresent,
  startedAt,
  updatedAt,
  ...(name !== undefined && { name }),
  ...(opening !== undefined && { opening }),
  bytes,
});

const isBusy = () => unavailable("A turn runs or waits in the session; try again when it is over", busyMs);
