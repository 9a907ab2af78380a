/** Turns as rows: the state machine of `contracts/turn.ts`, claimed by lease, with the steps of unfinished ones. */
import { StoreError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { SessionKey, TurnId } from "../contracts/ids.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { SessionRoute } from "../contracts/session.ts";
import type { Letter, Turns } from "../contracts/store.ts";
import type { ClaimedTurn, NewStep, StepBody, Turn, TurnOutcome, TurnState, TurnStep } from "../contracts/turn.ts";
import type { ChannelLogs } from "./channel-logs.ts";
import type { Database } from "./database.ts";
import type { OutboxRows } from "./outbox.ts";
import { buildWhere, json, number, optionalText, type Row, text } from "./row.ts";
import type { SessionRows } from "./sessions.ts";
import type { TranscriptFiles } from "./transcripts.ts";
import type { UsageRows } from "./usage.ts";

export interface TurnRows extends Turns {
  /** Part of a larger transaction: `accept` ends a session's turns and records the command in one step. */
  stopInTransaction(sessionKey: SessionKey): { running: TurnId[]; waiting: number };
  /** Part of a larger transaction: marks the lane's running turn as to be stopped, if it is the same person's in the same chat. */
  interruptInTransaction(lane: string, speaker: Speaker): TurnId[];
}

/** Who speaks, and where. */
export interface Speaker {
  adapter: string;
  channelId: string;
  senderId: string;
}

interface TurnDeps {
  db: Database;
  clock: Clock;
  owner: string;
  outbox: OutboxRows;
  usage: UsageRows;
  transcripts: TranscriptFiles;
  sessions: Pick<SessionRows, "ensure" | "nameLife" | "touchInTransaction">;
  logs: Pick<ChannelLogs, "kick">;
  /** Part of a larger transaction: the inbox takes it. */
  acceptInTransaction(letter: Letter): unknown;
}

const columns = `t.*, i.adapter, i.message`;
/** Messages that one turn takes in at a time. */
const mostAbsorbed = 20;

/** Only what the same person says in the same chat belongs to a running turn: rights and the reply's place depend on it. */
function isSameConversation(turn: Turn, { adapter, channelId, senderId }: Speaker): boolean {
  const { message } = turn;
  return (
    turn.kind === "agent" &&
    turn.adapter === adapter &&
    message.channelId === channelId &&
    message.sender.id === senderId
  );
}

const toSpeaker = ({ adapter, message }: Turn): Speaker => ({
  adapter,
  channelId: message.channelId,
  senderId: message.sender.id,
});

export function createTurns(deps: TurnDeps): TurnRows {
  const { db, clock, owner, outbox, usage, transcripts, sessions, logs, acceptInTransaction } = deps;
  // A unary plus keeps a column's index out of a plan: open turns are few, a session's turns are many.
  const queueAll = db.prepare("UPDATE turns SET state = 'queued', updated_at = ? WHERE state = 'received'");
  // A lease of our own never runs out: a clock that jumps must not make us take our own turn twice.
  const findInterrupted = db.prepare(
    `SELECT t.id FROM turns t JOIN inbox i ON i.seq = t.seq WHERE t.state = 'running'
     AND (t.lease_until = 0 OR (t.lease_until <= ? AND t.lease_owner <> ?))
     AND i.adapter IN (SELECT value FROM json_each(?)) ORDER BY +t.seq LIMIT 1`,
  );
  const findQueued = db.prepare(
    `SELECT t.id FROM turns t JOIN inbox i ON i.seq = t.seq WHERE t.state = 'queued'
     AND i.adapter IN (SELECT value FROM json_each(?))
     AND NOT EXISTS (SELECT 1 FROM turns r WHERE r.state = 'running' AND r.lane = t.lane) ORDER BY t.seq LIMIT 1`,
  );
  const take = db.prepare(
    `UPDATE turns SET state = 'running', attempt = attempt + 1, lease_owner = ?, lease_until = ?, updated_at = ?
     WHERE id = ?`,
  );
  const byId = db.prepare(`SELECT ${columns} FROM turns t JOIN inbox i ON i.seq = t.seq WHERE t.id = ?`);
  const byMessage = db.prepare(
    `SELECT ${columns} FROM inbox i JOIN turns t ON t.seq = i.seq
     WHERE i.adapter = ? AND i.channel_id = ? AND i.message_id = ?`,
  );
  const extend = db.prepare(
    `UPDATE turns SET lease_until = ? WHERE id = ? AND attempt = ? AND lease_owner = ? AND state = 'running'`,
  );
  const touch = db.prepare(
    `UPDATE turns SET updated_at = ? WHERE id = ? AND attempt = ? AND lease_owner = ? AND state = 'running'`,
  );
  const addStep = db.prepare(
    `INSERT INTO steps (turn_id, n, body, entries, session_id, parent)
     VALUES (?, (SELECT coalesce(max(n), -1) + 1 FROM steps WHERE turn_id = ?), ?, ?, ?, ?)`,
  );
  const stepsOf = db.prepare("SELECT n, body, entries, session_id, parent FROM steps WHERE turn_id = ? ORDER BY n");
  const dropSteps = db.prepare("DELETE FROM steps WHERE turn_id = ?");
  const setSeen = db.prepare(
    `INSERT INTO seen (session_key, adapter, channel_id, seq) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET seq = max(seq, excluded.seq)`,
  );
  const waiting = db.prepare(
    `SELECT ${columns} FROM turns t JOIN inbox i ON i.seq = t.seq
     WHERE t.state = 'queued' AND t.lane = ? ORDER BY t.seq LIMIT ${mostAbsorbed}`,
  );
  const runningOn = db.prepare(
    `SELECT ${columns} FROM turns t JOIN inbox i ON i.seq = t.seq WHERE t.state = 'running' AND t.lane = ?`,
  );
  const markOne = db.prepare("UPDATE turns SET stop_requested = 1, updated_at = ? WHERE id = ?");
  const merge = db.prepare("UPDATE turns SET state = 'done', merged_into = ?, updated_at = ? WHERE id = ?");
  const end = db.prepare(
    `UPDATE turns SET state = ?, outcome = ?, error = ?, lease_owner = NULL, lease_until = 0, updated_at = ?
     WHERE id = ? AND attempt = ? AND lease_owner = ? AND state = 'running'`,
  );
  const giveBack = db.prepare(
    `UPDATE turns SET lease_until = 0, releases = releases + 1
     WHERE id = ? AND attempt = ? AND lease_owner = ? AND state = 'running'`,
  );
  const wasStopped = db.prepare("SELECT stop_requested FROM turns WHERE id = ?");
  const hasOpenPosts = db.prepare("SELECT 1 FROM outbox WHERE turn_id = ? AND state IN ('pending', 'sending') LIMIT 1");
  // Commands beside the session's own lane only look; a stop is one of them.
  const markStop = db.prepare(
    `UPDATE turns SET stop_requested = 1, updated_at = ?
     WHERE state = 'running' AND +session_key = ? AND (kind = 'agent' OR lane = session_key) RETURNING id`,
  );
  const dropWaiting = db.prepare(
    `UPDATE turns SET state = 'stopped', outcome = 'stopped', stop_requested = 1, updated_at = ?
     WHERE state = 'queued' AND +session_key = ? AND kind = 'agent'`,
  );
  const countStates = db.prepare("SELECT state, count(*) AS n FROM turns GROUP BY state");

  const leaseLost = (turn: ClaimedTurn) =>
    new StoreError("LEASE_LOST", `Turn ${turn.id} is being worked on elsewhere`, {
      hint: "Two processes share one store; this one has stopped working on the turn.",
    });
  const insertStep = (turn: ClaimedTurn, step: NewStep) => {
    if (touch.run(clock.now(), turn.id, turn.token, owner).changes !== 1) throw leaseLost(turn);
    const { sessionKey, agentId, channel } = turn.route;
    const { sessionId } = sessions.ensure(turn.route);
    const parent = step.parentId === undefined ? null : JSON.stringify(step.parentId);
    addStep.run(turn.id, turn.id, JSON.stringify(step.body), JSON.stringify(step.entries), sessionId, parent);
    if (step.body.type === "input") setSeen.run(sessionKey, channel.adapter, channel.channelId, step.body.seenSeq);
    for (const entry of step.entries) {
      if (entry.type === "session_info") sessions.nameLife(sessionKey, sessionId, entry.name);
    }
    const sender = `${turn.adapter}:${turn.message.sender.id}`;
    for (const call of step.usage ?? []) usage.add({ sessionKey, agentId, sender, ...call });
  };
  /** Before anything is recorded: a step that can never be written would hold its turn up for good. */
  const ensureChainable = async (turn: ClaimedTurn, { entries, parentId }: NewStep) => {
    if (parentId === undefined) return;
    if (entries.length === 0) throw stepInvalid("A step that goes on from an earlier entry has no entry of its own");
    if (parentId !== null) await transcripts.ensureEntry(turn.route, parentId);
  };
  const stopInTransaction = (sessionKey: SessionKey) => {
    queueAll.run(clock.now());
    const running = markStop.all(clock.now(), sessionKey).map((row) => text(row, "id") as TurnId);
    return { running, waiting: dropWaiting.run(clock.now(), sessionKey).changes };
  };

  const interruptInTransaction = (lane: string, speaker: Speaker) => {
    const running = runningOn.all(lane).map(toTurn);
    const theirs = running.filter((turn) => isSameConversation(turn, speaker)).map(({ id }) => id);
    for (const id of theirs) markOne.run(clock.now(), id);
    return theirs;
  };

  /**
   * A crash may have come between a step's commit and its lines in the transcript. What the turn did before it began a new
   * life is in the old life's file: the turn waited for it.
   */
  const healTranscript = async (turn: ClaimedTurn) => {
    try {
      const rows = stepsOf.all(turn.id);
      const life = rows.length > 0 ? sessions.ensure(turn.route).sessionId : undefined;
      const isOfThisLife = (row: Row) => (optionalText(row, "session_id") ?? life) === life;
      await transcripts.ensure(turn.route, rows.filter(isOfThisLife).map(toStep));
    } catch (error) {
      giveBack.run(turn.id, turn.token, owner);
      throw error;
    }
  };

  return {
    stopInTransaction,
    interruptInTransaction,
    async claim(leaseMs, adapters) {
      const now = clock.now();
      const running = JSON.stringify(adapters);
      const found = db.transaction(() => {
        queueAll.run(now);
        const interrupted = findInterrupted.get(now, owner, running);
        const row = interrupted ?? findQueued.get(running);
        if (!row) return undefined;
        const id = text(row, "id");
        take.run(owner, now + leaseMs, now, id);
        return { id, interrupted: interrupted !== undefined };
      });
      if (!found) return undefined;
      const read = (): ClaimedTurn => {
        const turn = toTurn(byId.get(found.id));
        return { ...turn, token: turn.attempt };
      };
      if (found.interrupted) await healTranscript(read());
      // Read last, so that a stop which came meanwhile is seen.
      return read();
    },
    async renew(turn, leaseMs) {
      return extend.run(clock.now() + leaseMs, turn.id, turn.token, owner).changes === 1;
    },
    async release(turn) {
      giveBack.run(turn.id, turn.token, owner);
    },
    async record(turn, step) {
      await ensureChainable(turn, step);
      db.transaction(() => insertStep(turn, step));
      if (step.entries.length > 0) await transcripts.append(turn.route, step);
    },
    async steps(turn) {
      return stepsOf.all(turn.id).map(toStep);
    },
    async absorb(turn, buildStep) {
      const taken = db.transaction(() => {
        queueAll.run(clock.now());
        const waits = waiting.all(turn.lane).map(toTurn);
        const speaker = toSpeaker(turn);
        // What calls a template or a skill is put together at the start of a turn of its own, and what is made of text from
        // outside is noted there, before anything is done with it.
        const isApart = (each: Turn) =>
          !isSameConversation(each, speaker) ||
          /^\s*\//.test(each.message.text) ||
          // Whoever sent an errand waits for its own end, and rights are those of its own principal.
          each.message.errand !== undefined ||
          each.message.metadata?.["outside"] !== undefined;
        const end = waits.findIndex(isApart);
        const turns = end === -1 ? waits : waits.slice(0, end);
        if (turns.length === 0) return undefined;
        const messages = turns.map((each) => each.message);
        const step = buildStep(messages);
        if (step.parentId !== undefined)
          throw stepInvalid("Messages that are taken into a turn go on from its last entry");
        insertStep(turn, step);
        for (const each of turns) merge.run(turn.id, clock.now(), each.id);
        return { messages, step };
      });
      if (!taken) return [];
      if (taken.step.entries.length > 0) await transcripts.append(turn.route, taken.step);
      return taken.messages;
    },
    async finish(turn, { outcome, error, deliveries, letters = [] }) {
      db.transaction(() => {
        // A stop that came while the answer was on its way out still counts: the person was told that it is over.
        const isStopped = wasStopped.get(turn.id)?.["stop_requested"] === 1;
        const result: TurnOutcome = isStopped ? "stopped" : outcome;
        if (!isStopped) outbox.insert(deliveries);
        const state: TurnState = hasOpenPosts.get(turn.id) ? "delivering" : result;
        const ended = end.run(state, result, error ?? null, clock.now(), turn.id, turn.token, owner);
        if (ended.changes !== 1) throw leaseLost(turn);
        dropSteps.run(turn.id);
        // After its own end: what they stop cannot be this turn.
        for (const letter of letters) acceptInTransaction(letter);
        // The rest after a conversation begins when its last turn ends; a command is no part of it.
        if (turn.kind === "agent") sessions.touchInTransaction(turn.route.sessionKey);
      });
      if (letters.length > 0) logs.kick();
    },
    async requestStop(sessionKey) {
      return db.transaction(() => stopInTransaction(sessionKey));
    },
    async ofMessage({ adapter, channelId }, messageId) {
      const row = byMessage.get(adapter, channelId, messageId);
      return row && toTurn(row);
    },
    async get(id) {
      const row = byId.get(id);
      return row && toTurn(row);
    },
    async list({ sessionKey, states, limit }) {
      const where = buildWhere({ "t.session_key": sessionKey && [sessionKey], "t.state": states });
      const sql = `SELECT ${columns} FROM turns t JOIN inbox i ON i.seq = t.seq ${where.sql} ORDER BY t.seq DESC LIMIT ?`;
      return db
        .prepare(sql)
        .all(...where.values, limit)
        .map(toTurn)
        .reverse();
    },
    async counts() {
      const counts: Record<TurnState, number> = {
        received: 0,
        queued: 0,
        running: 0,
        delivering: 0,
        done: 0,
        failed: 0,
        stopped: 0,
      };
      for (const row of countStates.all()) counts[text(row, "state") as TurnState] = number(row, "n");
      return counts;
    },
  };
}

function toTurn(row: Row | undefined): Turn {
  if (!row)
    throw new StoreError("DATABASE_FAILED", "A turn has vanished from the database", { hint: "Run `mom doctor`." });
  const stopped = optionalText(row, "stopped");
  const error = optionalText(row, "error");
  const mergedInto = optionalText(row, "merged_into");
  return {
    id: text(row, "id") as TurnId,
    seq: number(row, "seq"),
    kind: text(row, "kind") as Turn["kind"],
    lane: text(row, "lane"),
    state: text(row, "state") as TurnState,
    route: json<SessionRoute>(row, "route"),
    adapter: text(row, "adapter"),
    message: json<ChannelMessage>(row, "message"),
    attempt: number(row, "attempt"),
    crashes: Math.max(0, number(row, "attempt") - number(row, "releases") - 1),
    stopRequested: number(row, "stop_requested") === 1,
    createdAt: number(row, "created_at"),
    updatedAt: number(row, "updated_at"),
    ...(stopped !== undefined && { stopped: JSON.parse(stopped) }),
    ...(error !== undefined && { error }),
    ...(mergedInto !== undefined && { mergedInto: mergedInto as TurnId }),
  };
}

function toStep(row: Row): TurnStep {
  const parent = optionalText(row, "parent");
  return {
    n: number(row, "n"),
    body: json<StepBody>(row, "body"),
    entries: json(row, "entries"),
    ...(parent !== undefined && { parentId: JSON.parse(parent) }),
  };
}

const stepInvalid = (message: string) =>
  new StoreError("STEP_INVALID", `${message}; it was not recorded`, {
    hint: "This is a bug in mom: please report what you did.",
  });
