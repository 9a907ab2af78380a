/**
 * The durable clock as rows: what is due when (`due`), and how every due time ended (`occurrences`, the ledger). Ending one is
 * a single transaction over ledger, item, inbox and outbox, so that it happens once whatever dies when and whoever else looks.
 */
import type { Clock } from "../contracts/clock.ts";
import type { TurnId } from "../contracts/ids.ts";
import type { DueClock, DueItem, DueSource, LedgerRow, OccurrenceEnd, OccurrenceState } from "../contracts/schedule.ts";
import type { Accepted } from "../contracts/store.ts";
import type { ChannelLogs } from "./channel-logs.ts";
import type { Database } from "./database.ts";
import type { InboxRows } from "./inbox.ts";
import type { OutboxRows } from "./outbox.ts";
import { buildWhere, json, number, optionalText, type Row, text } from "./row.ts";

interface DueDeps {
  db: Database;
  clock: Clock;
  inbox: InboxRows;
  outbox: OutboxRows;
  logs: ChannelLogs;
}

/** Items that are read at a time. */
const pageRows = 100;
/** Of one item; older ones go with each that is added. Of what ran in a future that has not come (a wrong clock), as many beside them. */
const keptPerItem = 200;

export function createDueClock({ db, clock, inbox, outbox, logs }: DueDeps): DueClock {
  // `updated_at` is the item's version too: it grows with every change, also within a millisecond and where the clock is turned back.
  const put = db.prepare(
    `INSERT INTO due (source, id, due_at, data, created_at, updated_at) VALUES (?, ?, ?, ?, ?5, ?5)
     ON CONFLICT DO UPDATE SET due_at = excluded.due_at, data = excluded.data,
       updated_at = max(excluded.updated_at, updated_at + 1) RETURNING *`,
  );
  const one = db.prepare("SELECT * FROM due WHERE source = ? AND id = ?");
  const ofSource = db.prepare("SELECT * FROM due WHERE source = ? ORDER BY id");
  const drop = db.prepare("DELETE FROM due WHERE source = ? AND id = ?");
  const update = db.prepare(
    `UPDATE due SET due_at = ?, data = ?, updated_at = max(?, updated_at + 1)
     WHERE source = ? AND id = ? RETURNING *`,
  );
  const dueBy = db.prepare(`SELECT * FROM due WHERE due_at <= ? ORDER BY due_at, source, id LIMIT ${pageRows}`);
  const dueBehind = db.prepare(
    `SELECT * FROM due WHERE due_at <= ? AND (due_at, source, id) > (?, ?, ?)
     ORDER BY due_at, source, id LIMIT ${pageRows}`,
  );
  const soonest = db.prepare("SELECT min(due_at) AS due FROM due WHERE due_at > ?");
  const isUnchanged = db.prepare("SELECT 1 FROM due WHERE source = ? AND id = ? AND updated_at = ? AND due_at IS ?");
  // Only what ran is served for good: a time that was skipped or missed by a clock ahead of its time may still come.
  const book = db.prepare(
    `INSERT INTO occurrences (source, id, due_at, state, reason, settled_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET state = excluded.state, reason = excluded.reason, settled_at = excluded.settled_at,
       turn_id = NULL WHERE occurrences.state <> 'ran'`,
  );
  const bookMissed = db.prepare(
    `INSERT INTO occurrences (source, id, due_at, state, reason, settled_at) VALUES (?, ?, ?, 'missed', ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const dropUncome = db.prepare(
    "DELETE FROM occurrences WHERE source = ? AND id = ? AND due_at > ? AND state <> 'ran'",
  );
  const noteTurn = db.prepare("UPDATE occurrences SET turn_id = ? WHERE source = ? AND id = ? AND due_at = ?");
  const trim = db.prepare(
    `DELETE FROM occurrences WHERE source = ?1 AND id = ?2 AND due_at < (SELECT due_at FROM occurrences
     WHERE source = ?1 AND id = ?2 AND due_at <= ?3 ORDER BY due_at DESC LIMIT 1 OFFSET ${keptPerItem - 1})`,
  );
  const trimUncome = db.prepare(
    `DELETE FROM occurrences WHERE source = ?1 AND id = ?2 AND due_at > (SELECT due_at FROM occurrences
     WHERE source = ?1 AND id = ?2 AND due_at > ?3 ORDER BY due_at LIMIT 1 OFFSET ${keptPerItem - 1})`,
  );

  const goOn = ({ source, id, data }: DueItem, next: OccurrenceEnd["next"]) => {
    if (next === null) drop.run(source, id);
    else update.get(next.dueAt ?? null, toJson(next.data ?? data), clock.now(), source, id);
  };
  const settleInTransaction = (item: DueItem, end: OccurrenceEnd, at: number): Accepted[] | undefined => {
    const { source, id } = item;
    if (isUnchanged.get(source, id, item.updatedAt, item.dueAt ?? null) === undefined) return undefined;
    const now = clock.now();
    const isSilent = (end.letters?.length ?? 0) + (end.deliveries?.length ?? 0) === 0;
    const isListed = !end.isUnlisted || !isSilent;
    dropUncome.run(source, id, now);
    if (isListed && book.run(source, id, at, end.state, end.reason ?? null, now).changes === 0) {
      // It ran, and comes a second time (a clock turned back, an item made anew): the item only goes on.
      if (at === item.dueAt) goOn(item, end.next);
      return undefined;
    }
    for (const { dueAt, reason } of end.missed ?? []) bookMissed.run(source, id, dueAt, reason, now);
    const accepted = (end.letters ?? []).map(inbox.acceptInTransaction);
    const turnId = accepted.map((each) => (each.type === "accepted" ? each.turnId : undefined)).find(Boolean);
    if (turnId !== undefined) noteTurn.run(turnId, source, id, at);
    outbox.insert(end.deliveries ?? []);
    goOn(item, end.next);
    trim.run(source, id, now);
    trimUncome.run(source, id, now);
    return accepted;
  };

  return {
    async put({ source, id, dueAt, data }) {
      return toItem(put.get(source, id, dueAt ?? null, toJson(data), clock.now()) ?? {});
    },
    async get(source, id) {
      const row = one.get(source, id);
      return row && toItem(row);
    },
    async list(source) {
      return ofSource.all(source).map(toItem);
    },
    async change(source, id, change) {
      return db.transaction(() => {
        const row = one.get(source, id);
        const changed = row && change(toItem(row));
        if (!changed) return undefined;
        const written = update.get(changed.dueAt ?? null, toJson(changed.data), clock.now(), source, id);
        return written && toItem(written);
      });
    },
    async remove(source, id) {
      return drop.run(source, id).changes === 1;
    },
    async due(now, after) {
      const rows = after ? dueBehind.all(now, after.dueAt ?? 0, after.source, after.id) : dueBy.all(now);
      return rows.map(toItem);
    },
    async nextDueAt(after) {
      const due = soonest.get(after)?.["due"];
      return due === null || due === undefined ? undefined : Number(due);
    },
    async settle(item, end, at = item.dueAt) {
      if (at === undefined) return undefined;
      const accepted = db.transaction(() => settleInTransaction(item, end, at));
      if (accepted && accepted.length > 0) logs.kick();
      return accepted && { accepted };
    },
    async ledger({ source, id, limit }) {
      const where = buildWhere({ source: source && [source], id: id === undefined ? undefined : [id] });
      return db
        .prepare(`SELECT * FROM occurrences ${where.sql} ORDER BY due_at DESC LIMIT ?`)
        .all(...where.values, limit)
        .map(toLedgerRow);
    },
  };
}

/** Part of `prune`: what ended before. */
export const pruneOccurrencesSql = (limit: number): string =>
  `DELETE FROM occurrences WHERE (source, id, due_at) IN (SELECT source, id, due_at FROM occurrences
   WHERE settled_at < ? ORDER BY settled_at LIMIT ${limit})`;

const toJson = (data: unknown) => JSON.stringify(data ?? null);

function toItem(row: Row): DueItem {
  const dueAt = row["due_at"];
  return {
    source: text(row, "source") as DueSource,
    id: text(row, "id"),
    data: readData(row),
    createdAt: number(row, "created_at"),
    updatedAt: number(row, "updated_at"),
    ...(dueAt !== null && { dueAt: Number(dueAt) }),
  };
}

/** One row that a hand or a disk has spoiled must not hide the others: whoever it belongs to finds nothing in it. */
function readData(row: Row): unknown {
  try {
    return json(row, "data");
  } catch {
    return undefined;
  }
}

function toLedgerRow(row: Row): LedgerRow {
  const reason = optionalText(row, "reason");
  const turnId = optionalText(row, "turn_id");
  return {
    source: text(row, "source") as DueSource,
    id: text(row, "id"),
    dueAt: number(row, "due_at"),
    state: text(row, "state") as OccurrenceState,
    settledAt: number(row, "settled_at"),
    ...(reason !== undefined && { reason }),
    ...(turnId !== undefined && { turnId: turnId as TurnId }),
  };
}
