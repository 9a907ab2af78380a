/** Sessions as rows. */

import { StoreError } from "../base/errors.ts";
import { newSessionId } from "../base/ids.ts";
import type { Clock } from "../contracts/clock.ts";
import type { SessionId, SessionKey } from "../contracts/ids.ts";
import type { SessionChoices, SessionEntry, SessionRoute, SessionType } from "../contracts/session.ts";
import type { Sessions } from "../contracts/store.ts";
import type { Database } from "./database.ts";
import { number, optionalText, type Row, text } from "./row.ts";

export interface SessionRows extends Omit<Sessions, "delete"> {
  find(key: SessionKey): SessionEntry | undefined;
  /** The row of a route, made if new; does not touch an old one. */
  ensure(route: SessionRoute): SessionEntry;
  /** Part of a larger transaction: the session is in use up to now. */
  touchInTransaction(key: SessionKey): void;
  /** Makes a session known again after the database was lost. */
  restore(route: SessionRoute, sessionId: SessionId, updatedAt: number): void;
  /** A life's name stands in its transcript, maybe far from either end; what was recorded last is also kept here. */
  nameLife(key: SessionKey, id: SessionId, name: string): void;
  nameOfLife(key: SessionKey, id: SessionId): string | undefined;
  /** Part of a larger transaction: everything that rows know of it, but not its turns. */
  dropInTransaction(key: SessionKey): void;
}

export function createSessions({ db, clock }: { db: Database; clock: Clock }): SessionRows {
  const byKey = db.prepare("SELECT * FROM sessions WHERE session_key = ?");
  const all = db.prepare("SELECT * FROM sessions ORDER BY updated_at DESC");
  const another = db.prepare("SELECT 1 FROM sessions WHERE session_key <> ? LIMIT 1");
  const add = db.prepare(
    `INSERT INTO sessions (session_key, session_id, type, agent_id, adapter, channel_id, last_adapter, last_channel_id,
     created_at, updated_at, label, spawned_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const follow = db.prepare(
    "UPDATE sessions SET last_adapter = ?, last_channel_id = ?, updated_at = ? WHERE session_key = ?",
  );
  const touch = db.prepare("UPDATE sessions SET updated_at = ? WHERE session_key = ?");
  const renew = db.prepare(
    `UPDATE sessions SET session_id = ?1, reset_by = ?2, input_tokens = 0, output_tokens = 0, total_tokens = 0, cost = 0,
     updated_at = ?3,
     label = (SELECT nullif(name, '') FROM life_names l WHERE l.session_key = sessions.session_key AND l.session_id = ?1)
     WHERE session_key = ?4 AND reset_by IS NOT ?2`,
  );
  const setModel = db.prepare(
    `UPDATE sessions SET model = ?1, model_provider = ?2, auth_profile = ?3 WHERE session_key = ?4
     AND (model IS NOT ?1 OR model_provider IS NOT ?2 OR auth_profile IS NOT ?3)`,
  );

  const setName = db.prepare(
    `INSERT INTO life_names (session_key, session_id, name) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET name = excluded.name`,
  );
  const nameOf = db.prepare("SELECT name FROM life_names WHERE session_key = ? AND session_id = ?");
  const drops = ["sessions", "life_names", "seen"].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE session_key = ?`),
  );

  const find = (key: SessionKey) => {
    const row = byKey.get(key);
    return row && toEntry(row);
  };
  const mustFind = (key: SessionKey) => {
    const session = find(key);
    if (session) return session;
    throw new StoreError("SESSION_UNKNOWN", `There is no session ${key}`, {
      hint: "`mom sessions list` shows the ones there are.",
    });
  };
  const restore = (route: SessionRoute, sessionId: SessionId, at: number) => {
    const { sessionKey, type, agentId, channel, label = null, spawnedBy = null } = route;
    const { adapter, channelId } = channel;
    add.run(sessionKey, sessionId, type, agentId, adapter, channelId, adapter, channelId, at, at, label, spawnedBy);
  };
  const ensure = (route: SessionRoute) => {
    const known = find(route.sessionKey);
    if (known) return known;
    restore(route, newSessionId(), clock.now());
    return mustFind(route.sessionKey);
  };

  return {
    find,
    ensure,
    touchInTransaction: (key) => void touch.run(clock.now(), key),
    restore,
    nameLife: (key, id, name) => void setName.run(key, id, name.trim()),
    nameOfLife(key, id) {
      const row = nameOf.get(key, id);
      return row && (text(row, "name") || undefined);
    },
    dropInTransaction(key) {
      for (const drop of drops) drop.run(key);
    },
    async get(key) {
      return find(key);
    },
    async open(route) {
      const session = ensure(route);
      const { adapter, channelId } = route.isWindow ? session.lastChannel : route.channel;
      const moved = session.lastChannel.adapter !== adapter || session.lastChannel.channelId !== channelId;
      // A minute's precision is enough here, and saves a commit on most turns: the end of the turn says it exactly.
      if (moved || clock.now() - session.updatedAt > 60_000) {
        follow.run(adapter, channelId, clock.now(), session.sessionKey);
        return mustFind(session.sessionKey);
      }
      return session;
    },
    async list() {
      return all.all().map(toEntry);
    },
    hasOthers: async (key) => another.get(key) !== undefined,
    async reset(key, by, to) {
      renew.run(to ?? newSessionId(), by, clock.now(), key);
      return mustFind(key);
    },
    async choose(key, choices) {
      const values = toColumns(choices);
      const columns = Object.keys(values);
      if (columns.length > 0) {
        const set = columns.map((column) => `${column} = ?`).join(", ");
        db.prepare(`UPDATE sessions SET ${set} WHERE session_key = ?`).run(...Object.values(values), key);
      }
      return mustFind(key);
    },
    async noteModel(key, { provider, ref, authProfile }) {
      setModel.run(ref, provider, authProfile ?? null, key);
    },
  };
}

/** The columns that the given choices change. */
function toColumns({ isQuiet, ...choices }: SessionChoices): Record<string, string | number | null> {
  const { label, chosenModel: chosen_model, thinkingLevel: thinking_level, queueMode: queue_mode } = choices;
  const quiet = isQuiet === undefined ? undefined : Number(isQuiet === true);
  const values = { label, chosen_model, thinking_level, queue_mode, is_quiet: quiet };
  return Object.fromEntries(Object.entries(values).flatMap(([name, v]) => (v === undefined ? [] : [[name, v]])));
}

function toEntry(row: Row): SessionEntry {
  const optional = {
    model: optionalText(row, "model"),
    modelProvider: optionalText(row, "model_provider"),
    thinkingLevel: optionalText(row, "thinking_level"),
    chosenModel: optionalText(row, "chosen_model"),
    queueMode: optionalText(row, "queue_mode"),
    isQuiet: number(row, "is_quiet") === 1 ? true : undefined,
    authProfile: optionalText(row, "auth_profile"),
    label: optionalText(row, "label"),
    spawnedBy: optionalText(row, "spawned_by"),
  };
  return {
    sessionKey: text(row, "session_key") as SessionKey,
    sessionId: text(row, "session_id") as SessionId,
    type: text(row, "type") as SessionType,
    agentId: text(row, "agent_id"),
    channel: { adapter: text(row, "adapter"), channelId: text(row, "channel_id") },
    lastChannel: { adapter: text(row, "last_adapter"), channelId: text(row, "last_channel_id") },
    inputTokens: number(row, "input_tokens"),
    outputTokens: number(row, "output_tokens"),
    totalTokens: number(row, "total_tokens"),
    cost: number(row, "cost"),
    createdAt: number(row, "created_at"),
    updatedAt: number(row, "updated_at"),
    ...(Object.fromEntries(
      Object.entries(optional).filter(([, value]) => value !== undefined),
    ) as Partial<SessionEntry>),
  };
}
