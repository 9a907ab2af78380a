/** Messages as they come in: the commit point of everything. */
import { errandAdapter } from "../base/errand-adapter.ts";
import { newTurnId } from "../base/ids.ts";
import type { Clock } from "../contracts/clock.ts";
import type { ChannelMessage, LogLine } from "../contracts/message.ts";
import type { Accepted, Inbox, Letter, Verdict } from "../contracts/store.ts";
import type { ChannelLogs } from "./channel-logs.ts";
import type { Database } from "./database.ts";
import type { PairingRows } from "./pairings.ts";
import { json } from "./row.ts";
import type { TurnRows } from "./turns.ts";

export interface InboxRows extends Inbox {
  /** Part of a larger transaction. */
  acceptInTransaction(letter: Letter): Accepted;
}

interface InboxDeps {
  db: Database;
  clock: Clock;
  turns: TurnRows;
  logs: ChannelLogs;
  pairings: Pick<PairingRows, "offerInTransaction">;
}

export function createInbox({ db, clock, turns, logs, pairings }: InboxDeps): InboxRows {
  const add = db.prepare(
    `INSERT INTO inbox (adapter, channel_id, message_id, received_at, verdict, reason, message)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const changeReason = db.prepare("UPDATE inbox SET reason = ? WHERE seq = ?");
  const addTurn = db.prepare(
    `INSERT INTO turns (id, seq, kind, lane, state, session_key, route, stopped, created_at, updated_at)
     VALUES (?, ?, ?, ?, 'received', ?, ?, ?, ?, ?)`,
  );
  const heardSince = db.prepare(
    `SELECT message FROM inbox WHERE adapter = ?1 AND channel_id = ?2 AND verdict = 'heard' AND seq < ?3
     AND seq > coalesce((SELECT seq FROM seen WHERE session_key = ?4 AND adapter = ?1 AND channel_id = ?2), 0)
     ORDER BY seq DESC LIMIT ?5`,
  );

  const startTurn = (
    seq: number,
    { adapter, message }: Letter,
    verdict: Extract<Verdict, { type: "turn" }>,
    now: number,
  ): Accepted => {
    const { kind, lane, route } = verdict;
    const speaker = { adapter, channelId: message.channelId, senderId: message.sender.id };
    const interrupted = verdict.interrupts ? turns.interruptInTransaction(lane, speaker) : [];
    // Ended before the command's own turn exists, so that a stop never stops itself.
    const ended = verdict.stops === undefined ? undefined : turns.stopInTransaction(verdict.stops);
    const stopped = ended && JSON.stringify({ running: ended.running.length, waiting: ended.waiting });
    const id = newTurnId(now);
    addTurn.run(id, seq, kind, lane, route.sessionKey, JSON.stringify(route), stopped ?? null, now, now);
    return { type: "accepted", seq, turnId: id, stopped: [...new Set([...interrupted, ...(ended?.running ?? [])])] };
  };
  /** Whether a code was given belongs to the reason: it is what an operator looks for when somebody asks for one. */
  const pair = (seq: number, adapter: string, message: ChannelMessage, verdict: Verdict): Verdict => {
    if (verdict.type !== "refused" || !verdict.pairing) return verdict;
    const reason = `${verdict.reason}; ${pairings.offerInTransaction(adapter, message, verdict.pairing)}`;
    changeReason.run(reason, seq);
    return { type: "refused", reason };
  };
  const acceptInTransaction = (letter: Letter): Accepted => {
    const { adapter, message, verdict } = letter;
    const now = clock.now();
    const { channelId, id } = message;
    const reason = verdict.type === "refused" ? verdict.reason : null;
    const added = add.run(adapter, channelId, id, now, verdict.type, reason, JSON.stringify(message));
    if (added.changes === 0) return { type: "duplicate" };
    const seq = added.lastId;
    // Errands are nobody's words: what comes of them is in their session's transcript.
    if (adapter !== errandAdapter)
      logs.insert({ adapter, channelId }, toLogLine(message, pair(seq, adapter, message, verdict)));
    return verdict.type === "turn" ? startTurn(seq, letter, verdict, now) : { type: "accepted", seq, stopped: [] };
  };

  return {
    acceptInTransaction,
    async accept(letter) {
      const accepted = db.transaction(() => acceptInTransaction(letter));
      logs.kick();
      return accepted;
    },
    async unseen(sessionKey, { adapter, channelId }, beforeSeq, limit) {
      return heardSince
        .all(adapter, channelId, beforeSeq, sessionKey, limit)
        .map((row) => toLogLine(json<ChannelMessage>(row, "message"), { type: "heard" }))
        .reverse();
    },
  };
}

function toLogLine(message: ChannelMessage, verdict: Verdict): LogLine {
  const { id, timestamp, sender, attachments, isMention, replyTo, change, metadata } = message;
  return {
    id,
    ts: timestamp,
    sender,
    text: message.text,
    attachments,
    ...(isMention && { isMention: true }),
    ...(replyTo !== undefined && { replyTo }),
    ...(change && { event: change.type, ref: change.ref }),
    ...(verdict.type === "refused" && { refused: verdict.reason }),
    ...(typeof metadata?.["outside"] === "string" && { outside: metadata["outside"] }),
  };
}
