/**
 * Who was let in by a code (spec 2.4), as rows: one per person and adapter, pending with a code and its hour, or approved.
 * The code is made, and the post that tells it written, in the transaction that refuses the message (inbox.ts). Approving is
 * one conditional update, so of several processes exactly one does it.
 */
import { randomBytes, randomInt } from "node:crypto";
import { deliveryIdOf } from "../base/ids.ts";
import type { Clock } from "../contracts/clock.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { Pairing, PairingOffer, Pairings } from "../contracts/store.ts";
import type { Database } from "./database.ts";
import type { OutboxRows } from "./outbox.ts";
import { number, optionalText, type Row, text } from "./row.ts";

export interface PairingRows extends Pairings {
  /** Gives the sender a code and posts it, where none waits for them and there is room. Says what it did, for the reason. */
  offerInTransaction(adapter: string, message: ChannelMessage, offer: PairingOffer): string;
}

const validMs = 3600_000;
const mostPending = 3;
const codeLength = 8;
/** Read out and typed by people: nothing that is mistaken for something else. */
const alphabet = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";

interface PairingDeps {
  db: Database;
  clock: Clock;
  outbox: Pick<OutboxRows, "insert">;
}

export function createPairings({ db, clock, outbox }: PairingDeps): PairingRows {
  const find = db.prepare("SELECT approved_at FROM pairings WHERE adapter = ? AND sender_id = ?");
  const countPending = db.prepare("SELECT count(*) AS n FROM pairings WHERE adapter = ? AND approved_at IS NULL");
  const insert = db.prepare(
    `INSERT INTO pairings (adapter, sender_id, username, channel_id, code, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const hasCode = db.prepare("SELECT 1 FROM pairings WHERE code = ?");
  const newestFirst = db.prepare(
    "SELECT * FROM pairings ORDER BY coalesce(approved_at, created_at) DESC, adapter, sender_id",
  );
  const settle = db.prepare(
    `UPDATE pairings SET code = NULL, expires_at = NULL, approved_at = ?1, approved_by = ?2
     WHERE code = ?3 AND (?4 IS NULL OR adapter = ?4) RETURNING *`,
  );
  const remove = db.prepare("DELETE FROM pairings WHERE adapter = ? AND sender_id = ?");
  const overdue = db.prepare("SELECT 1 FROM pairings WHERE expires_at <= ? LIMIT 1");
  const drop = db.prepare("DELETE FROM pairings WHERE expires_at <= ?");

  /** Dropped, not only passed over: a clock that is set back brings no code to life again. */
  const dropOverdue = () => {
    const now = clock.now();
    if (overdue.get(now)) drop.run(now);
  };
  const newCode = (): string => {
    const code = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join("");
    return hasCode.get(code) ? newCode() : code;
  };

  return {
    offerInTransaction(adapter, { channelId, sender }, { toText }) {
      dropOverdue();
      const known = find.get(adapter, sender.id);
      if (known) return known["approved_at"] === null ? "a pairing code waits already" : "approved in this moment";
      if (number(countPending.get(adapter) ?? {}, "n") >= mostPending) {
        return `no pairing code was given, because ${mostPending} wait already`;
      }
      const code = newCode();
      const now = clock.now();
      insert.run(adapter, sender.id, sender.username, channelId, code, now, now + validMs);
      // Named by chance: ids of posts are logged and sent to platforms, and must not tell the code.
      const id = deliveryIdOf(`pair-${randomBytes(8).toString("hex")}`, 0);
      outbox.insert([{ id, channel: { adapter, channelId }, body: { type: "text", text: toText(code) } }]);
      return "a pairing code was given";
    },
    async isApproved(adapter, senderId) {
      return typeof find.get(adapter, senderId)?.["approved_at"] === "number";
    },
    async list() {
      dropOverdue();
      return newestFirst.all().map(toPairing);
    },
    approve: async (typed, by, adapter) =>
      db.transaction(() => {
        dropOverdue();
        const code = typed.replace(/\s/g, "").toUpperCase();
        const row = settle.get(clock.now(), by, code, adapter ?? null);
        return row ? { type: "approved", pairing: toPairing(row) } : { type: "unknown" };
      }),
    revoke: async (adapter, senderId) => remove.run(adapter, senderId).changes === 1,
  };
}

function toPairing(row: Row): Pairing {
  const common = {
    adapter: text(row, "adapter"),
    senderId: text(row, "sender_id"),
    username: text(row, "username"),
    channelId: text(row, "channel_id"),
    createdAt: number(row, "created_at"),
  };
  const approvedBy = optionalText(row, "approved_by");
  return approvedBy === undefined
    ? { ...common, state: "pending", code: text(row, "code"), expiresAt: number(row, "expires_at") }
    : { ...common, state: "approved", approvedAt: number(row, "approved_at"), approvedBy };
}
