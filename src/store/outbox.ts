/** Posts on their way out: a record before the call, a receipt after it, strictly in order per chat. */
import { StoreError } from "../base/errors.ts";
import type { ChannelAction } from "../contracts/channel.ts";
import type { Clock } from "../contracts/clock.ts";
import type { DeliveryId, TurnId } from "../contracts/ids.ts";
import type { LogLine } from "../contracts/message.ts";
import type {
  ClaimedDelivery,
  Delivery,
  DeliveryBody,
  DeliveryState,
  NewDelivery,
  Outbox,
} from "../contracts/store.ts";
import type { ChannelLogs } from "./channel-logs.ts";
import type { Database } from "./database.ts";
import { buildWhere, json, number, optionalText, type Row, text } from "./row.ts";

export interface OutboxRows extends Outbox {
  /** Part of a larger transaction. */
  insert(deliveries: readonly NewDelivery[]): void;
}

export function createOutbox(deps: { db: Database; clock: Clock; owner: string; logs: ChannelLogs }): OutboxRows {
  const { db, clock, owner, logs } = deps;
  const add = db.prepare(
    `INSERT INTO outbox (id, adapter, channel_id, turn_id, body, state, due_at, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
  );
  // Due: the first open post of its chat, and either waiting and due, or left behind by an owner that is gone.
  const findDue = db.prepare(
    `SELECT d.seq FROM outbox d WHERE d.state IN ('pending', 'sending')
     AND d.adapter IN (SELECT value FROM json_each(?))
     AND ((d.state = 'pending' AND d.due_at <= ?) OR (d.state = 'sending'
       AND (d.lease_until = 0 OR (d.lease_until <= ? AND d.lease_owner <> ?))))
     AND NOT EXISTS (SELECT 1 FROM outbox e WHERE e.state IN ('pending', 'sending')
       AND e.adapter = d.adapter AND e.channel_id = d.channel_id AND e.seq < d.seq)
     ORDER BY d.seq LIMIT 1`,
  );
  const take = db.prepare(
    `UPDATE outbox SET uncertain = uncertain OR state = 'sending', state = 'sending', attempts = attempts + 1,
     lease_owner = ?, lease_until = ?, updated_at = ? WHERE seq = ? RETURNING *`,
  );
  const close = db.prepare(
    `UPDATE outbox SET state = ?, message_id = ?, error = ?, due_at = ?, uncertain = ?, lease_owner = NULL,
     lease_until = 0, updated_at = ? WHERE seq = ? AND attempts = ? AND lease_owner = ? AND state = 'sending'`,
  );
  const countRepeat = db.prepare(
    "UPDATE outbox SET repeats = repeats + 1 WHERE seq = ? AND attempts = ? AND lease_owner = ? AND state = 'sending'",
  );
  const endTurn = db.prepare(
    `UPDATE turns SET updated_at = ?,
       state = CASE WHEN EXISTS (SELECT 1 FROM outbox WHERE turn_id = turns.id AND state = 'failed')
         THEN 'failed' ELSE outcome END
     WHERE id = ? AND state = 'delivering'
       AND NOT EXISTS (SELECT 1 FROM outbox WHERE turn_id = turns.id AND state IN ('pending', 'sending'))`,
  );
  const byId = db.prepare("SELECT * FROM outbox WHERE id = ?");
  const soonest = db.prepare("SELECT min(due_at) AS due FROM outbox WHERE state = 'pending' AND due_at > ?");
  // What people are asked is not the model's to change: the question must stay what was answered.
  const isPost = "json_extract(body, '$.type') IN ('text', 'file') AND substr(id, 1, 9) <> 'approval-'";
  const postOfDelivery = db.prepare(
    `SELECT * FROM outbox WHERE id = ? AND adapter = ? AND channel_id = ? AND ${isPost}`,
  );
  const postOfMessage = db.prepare(
    `SELECT * FROM outbox WHERE adapter = ? AND channel_id = ? AND message_id = ? AND state = 'sent' AND ${isPost}
     ORDER BY seq LIMIT 1`,
  );
  // A deletion that waits will be made: what it is about counts as gone.
  const deletion = db.prepare(
    `SELECT 1 FROM outbox WHERE adapter = ?1 AND channel_id = ?2 AND message_id = ?3 AND state = 'sent'
       AND json_extract(body, '$.type') = 'delete'
     UNION ALL
     SELECT 1 FROM outbox WHERE adapter = ?1 AND channel_id = ?2 AND state IN ('pending', 'sending')
       AND json_extract(body, '$.type') = 'delete' AND json_extract(body, '$.messageId') = ?3
     LIMIT 1`,
  );

  const insert = (deliveries: readonly NewDelivery[]) => {
    const now = clock.now();
    for (const { id, channel, turnId, body } of deliveries) {
      add.run(id, channel.adapter, channel.channelId, turnId ?? null, JSON.stringify(body), now, now, now);
    }
  };
  const leaseLost = (delivery: ClaimedDelivery) =>
    new StoreError("LEASE_LOST", `Delivery ${delivery.id} is being sent elsewhere`, {
      hint: "Two processes share one store; this one has stopped working on the delivery.",
    });

  return {
    insert,
    async post(deliveries) {
      db.transaction(() => insert(deliveries));
    },
    async claim(adapters, leaseMs) {
      const now = clock.now();
      return db.transaction(() => {
        const due = findDue.get(JSON.stringify(adapters), now, now, owner);
        const row = due && take.get(owner, now + leaseMs, now, number(due, "seq"));
        if (!row) return undefined;
        const delivery = toDelivery(row);
        return { ...delivery, token: delivery.attempts, uncertain: number(row, "uncertain") === 1 };
      });
    },
    async settle(delivery, result) {
      const now = clock.now();
      const state: DeliveryState = result.type === "retry" ? "pending" : result.type;
      const messageId = result.type === "sent" ? targetOf(delivery.body, result.messageId) : null;
      const error = result.type === "sent" ? null : result.error;
      const dueAt = result.type === "retry" ? result.dueAt : now;
      const uncertain = result.type === "retry" && result.uncertain ? 1 : 0;
      db.transaction(() => {
        const closed = close.run(state, messageId, error, dueAt, uncertain, now, delivery.seq, delivery.token, owner);
        if (closed.changes !== 1) throw leaseLost(delivery);
        if (messageId !== null) logs.insert(delivery.channel, toLogLine(delivery, messageId, now));
        if (delivery.turnId && result.type !== "retry") endTurn.run(now, delivery.turnId);
      });
      if (result.type === "sent") logs.kick();
    },
    async noteRepeat(delivery) {
      if (countRepeat.run(delivery.seq, delivery.token, owner).changes !== 1) throw leaseLost(delivery);
    },
    async nextDueAt(after) {
      const due = soonest.get(after)?.["due"];
      return due === null || due === undefined ? undefined : Number(due);
    },
    async get(id) {
      const row = byId.get(id);
      return row && toDelivery(row);
    },
    async list({ turnId, states, limit }) {
      const where = buildWhere({ turn_id: turnId && [turnId], state: states });
      return db
        .prepare(`SELECT * FROM outbox ${where.sql} ORDER BY seq DESC LIMIT ?`)
        .all(...where.values, limit)
        .map(toDelivery)
        .reverse();
    },
    async findPost({ adapter, channelId }, id) {
      const row = postOfMessage.get(adapter, channelId, id) ?? postOfDelivery.get(id, adapter, channelId);
      const post = row && toDelivery(row);
      const isGone = post?.messageId !== undefined && deletion.get(adapter, channelId, post.messageId) !== undefined;
      return isGone ? undefined : post;
    },
  };
}

/** Which message a delivery is about: whatever a platform answers to a change, it is the one that was to be changed. */
const targetOf = (body: DeliveryBody, answered: string) =>
  body.type === "edit" || body.type === "delete" ? body.messageId : answered;

function toDelivery(row: Row): Delivery {
  const turnId = optionalText(row, "turn_id");
  const messageId = optionalText(row, "message_id");
  const error = optionalText(row, "error");
  return {
    seq: number(row, "seq"),
    id: text(row, "id") as DeliveryId,
    channel: { adapter: text(row, "adapter"), channelId: text(row, "channel_id") },
    body: json<DeliveryBody>(row, "body"),
    state: text(row, "state") as DeliveryState,
    attempts: number(row, "attempts"),
    repeats: number(row, "repeats"),
    createdAt: number(row, "created_at"),
    ...(turnId !== undefined && { turnId: turnId as TurnId }),
    ...(messageId !== undefined && { messageId }),
    ...(error !== undefined && { error }),
  };
}

/** What mom said is part of the channel's history, like what others said; so is what she changed or took back. */
function toLogLine({ id, body }: Delivery, messageId: string, nowMs: number): LogLine {
  const common = { ts: new Date(nowMs).toISOString(), sender: { id: "bot", username: "mom", isBot: true } };
  // Named after the delivery: two changes of one message are two lines.
  const change = { id, ...common, attachments: [], ref: messageId };
  if (body.type === "edit") return { ...change, text: body.text, event: "edit" };
  if (body.type === "delete") return { ...change, text: "", event: "delete" };
  if (body.type === "action")
    return { id, ...common, attachments: [], text: describeAction(body.action), replyTo: messageId };
  return {
    id: messageId,
    ...common,
    text: body.type === "text" ? body.text : (body.caption ?? ""),
    attachments: body.type === "file" ? [{ filename: body.filename, localPath: body.path }] : [],
    ...(body.type === "text" && body.replyTo !== undefined && { replyTo: body.replyTo }),
  };
}

/** For a reader of the log. */
function describeAction(action: ChannelAction): string {
  switch (action.type) {
    case "react":
      return `(${action.remove ? "took back" : "reacted with"} ${action.emoji})`;
    case "pin":
      return action.remove ? "(unpinned)" : "(pinned)";
    case "poll":
      return `(poll) ${action.question}: ${action.options.join(" / ")}`;
    case "thread":
      return action.text;
  }
}
