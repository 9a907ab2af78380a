/** What is due later, as rows. Firing one and putting its letter into the inbox is one transaction. */

import type { Schedule } from "../contracts/schedule.ts";
import type { Schedules } from "../contracts/store.ts";
import type { ChannelLogs } from "./channel-logs.ts";
import type { Database } from "./database.ts";
import type { InboxRows } from "./inbox.ts";
import { json, number, optionalText, type Row, text } from "./row.ts";

export function createSchedules(deps: { db: Database; inbox: InboxRows; logs: ChannelLogs }): Schedules {
  const { db, inbox, logs } = deps;
  const add = db.prepare(
    `INSERT INTO schedules (id, due_at, adapter, channel_id, text, asked_by, created_at, outside)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const ofChat = db.prepare("SELECT * FROM schedules WHERE adapter = ? AND channel_id = ? ORDER BY due_at, id");
  const all = db.prepare("SELECT * FROM schedules ORDER BY due_at, id");
  const drop = db.prepare("DELETE FROM schedules WHERE id = ? AND adapter = ? AND channel_id = ?");
  const end = db.prepare("DELETE FROM schedules WHERE id = ?");
  const dueBy = db.prepare(`SELECT * FROM schedules WHERE due_at <= ? AND adapter IN (SELECT value FROM json_each(?))
     ORDER BY due_at, id LIMIT 100`);
  const soonest = db.prepare(
    "SELECT min(due_at) AS due FROM schedules WHERE adapter IN (SELECT value FROM json_each(?))",
  );
  return {
    async add({ id, dueAt, channel, text: what, askedBy, createdAt, outside = null }) {
      const { adapter, channelId } = channel;
      add.run(id, dueAt, adapter, channelId, what, JSON.stringify(askedBy), createdAt, outside);
    },
    async list(channel) {
      const rows = channel ? ofChat.all(channel.adapter, channel.channelId) : all.all();
      return rows.map(toSchedule);
    },
    async remove(channel, id) {
      return drop.run(id, channel.adapter, channel.channelId).changes === 1;
    },
    async due(now, adapters) {
      return dueBy.all(now, JSON.stringify(adapters)).map(toSchedule);
    },
    async nextDueAt(adapters) {
      const due = soonest.get(JSON.stringify(adapters))?.["due"];
      return due === null || due === undefined ? undefined : Number(due);
    },
    async fire(id, letter) {
      const accepted = db.transaction(() =>
        end.run(id).changes === 1 ? inbox.acceptInTransaction(letter) : undefined,
      );
      logs.kick();
      return accepted;
    },
  };
}

function toSchedule(row: Row): Schedule {
  const outside = optionalText(row, "outside");
  return {
    id: text(row, "id"),
    dueAt: number(row, "due_at"),
    channel: { adapter: text(row, "adapter"), channelId: text(row, "channel_id") },
    text: text(row, "text"),
    askedBy: json(row, "asked_by"),
    createdAt: number(row, "created_at"),
    ...(outside !== undefined && { outside }),
  };
}
