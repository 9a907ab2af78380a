/**
 * `log.jsonl` of every channel, projected from the database: a line is a row first, in the same transaction as what it
 * tells of, then a line in the file, and only then is the row dropped. After a crash the rows that are left are compared
 * with the end of the file, so that every line is there once.
 */
import { join } from "node:path";
import { errorText } from "../base/errors.ts";
import { createKeyedQueue } from "../base/keyed-queue.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelRef, LogLine } from "../contracts/message.ts";
import type { Database } from "./database.ts";
import type { JsonlFiles } from "./jsonl-files.ts";
import type { Layout } from "./layout.ts";
import { number, text } from "./row.ts";

export interface ChannelLogs {
  /** Inside a transaction. */
  insert(channel: ChannelRef, line: LogLine): void;
  /** After it: the line will be in its file soon. Never throws; a full disk is tried again. */
  kick(): void;
  /** Everything inserted so far is in its file. Throws when it cannot be written. */
  flush(): Promise<void>;
  /** Once, at opening: writes what a crash has left behind. */
  heal(): Promise<number>;
  tail(channel: ChannelRef, limit: number): Promise<LogLine[]>;
  /** Drops the lines that are not in the chat's file yet, and runs `work` (removing it, say) with nobody writing. */
  drop(channel: ChannelRef, work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

interface ChannelLogDeps {
  db: Database;
  files: JsonlFiles;
  layout: Layout;
  clock: Clock;
  log: Log;
}

/** Lines that come close together share one sync. */
const gatherMs = 20;
const retryMs = 5000;
const batchRows = 500;
/** How far back a line that a crash left unconfirmed can be in its file: no more than one batch. */
const healLines = 2 * batchRows;

export function createChannelLogs({ db, files, layout, clock, log }: ChannelLogDeps): ChannelLogs {
  const add = db.prepare("INSERT INTO log_lines (adapter, channel_id, line) VALUES (?, ?, ?)");
  const next = db.prepare("SELECT seq, adapter, channel_id, line FROM log_lines WHERE seq > ? ORDER BY seq LIMIT ?");
  const drop = db.prepare("DELETE FROM log_lines WHERE seq IN (SELECT value FROM json_each(?))");
  const dropChat = db.prepare("DELETE FROM log_lines WHERE adapter = ? AND channel_id = ?");
  const queue = createKeyedQueue();
  let mustCompare = true;
  let cancelTimer: (() => void) | undefined;
  let closed = false;

  const pathOf = (channel: ChannelRef) => join(layout.channelDir(channel), "log.jsonl");
  const nextBatch = (afterSeq: number) => {
    const byFile = new Map<string, { lines: LogLine[]; seqs: number[] }>();
    let last = afterSeq;
    for (const row of next.all(afterSeq, batchRows)) {
      const path = pathOf({ adapter: text(row, "adapter"), channelId: text(row, "channel_id") });
      const batch = byFile.get(path) ?? { lines: [], seqs: [] };
      last = number(row, "seq");
      batch.lines.push(JSON.parse(text(row, "line")));
      batch.seqs.push(last);
      byFile.set(path, batch);
    }
    return { byFile, last };
  };
  /** One file after the other; one that cannot be written keeps its rows and holds up no other. */
  const project = () =>
    queue.run("project", async () => {
      const failed = new Map<string, unknown>();
      let written = 0;
      for (let seq = 0; ; ) {
        const { byFile, last } = nextBatch(seq);
        if (byFile.size === 0) break;
        seq = last;
        for (const [path, { lines, seqs }] of byFile) {
          if (failed.has(path)) continue;
          try {
            // After a crash or a failure some of them may be there already.
            const missing = mustCompare ? withoutPresent(lines, await lastKeys(files, path, healLines)) : lines;
            if (missing.length > 0) await files.append(path, missing);
            written += missing.length;
            drop.run(JSON.stringify(seqs));
          } catch (error) {
            failed.set(path, error);
          }
        }
      }
      mustCompare = failed.size > 0;
      for (const error of failed.values()) throw error;
      return written;
    });
  const flush = async () => {
    await project();
  };
  const arm = (delayMs: number) => {
    if (cancelTimer || closed) return;
    cancelTimer = clock.after(delayMs, () => {
      cancelTimer = undefined;
      flush().catch((error: unknown) => {
        log.error("Channel logs cannot be written; trying again", { error: errorText(error) });
        arm(retryMs);
      });
    });
  };

  return {
    insert: ({ adapter, channelId }, line) => void add.run(adapter, channelId, JSON.stringify(line)),
    kick: () => arm(gatherMs),
    flush,
    heal: project,
    async tail(channel, limit) {
      // A log that cannot be written can still be read, and so can the others.
      await flush().catch(() => undefined);
      const lines: LogLine[] = [];
      for await (const { value: line } of files.backwards(pathOf(channel))) {
        if (lines.length >= limit) break;
        if (isLogLine(line)) lines.push(line);
      }
      return lines.reverse();
    },
    drop: (channel, work) =>
      queue.run("project", async () => {
        dropChat.run(channel.adapter, channel.channelId);
        await files.exclusively(pathOf(channel), work);
      }),
    async close() {
      closed = true;
      cancelTimer?.();
      cancelTimer = undefined;
      try {
        await flush();
      } catch (error) {
        log.warn("Channel logs are not up to date; the next start writes what is missing", { error });
      }
    },
  };
}

/** What makes a line itself: an edit or a deletion tells of the same message again. */
const keyOf = ({ id, event, ref }: LogLine) => JSON.stringify([id, event ?? "", ref ?? ""]);

const withoutPresent = (lines: LogLine[], present: Set<string>) => lines.filter((line) => !present.has(keyOf(line)));

async function lastKeys(files: JsonlFiles, path: string, limit: number): Promise<Set<string>> {
  const keys = new Set<string>();
  let seen = 0;
  for await (const { value: line } of files.backwards(path)) {
    if (seen++ >= limit) break;
    if (isLogLine(line)) keys.add(keyOf(line));
  }
  return keys;
}

export function isLogLine(value: unknown): value is LogLine {
  return (
    typeof value === "object" &&
    value !== null &&
    "id" in value &&
    typeof value.id === "string" &&
    "ts" in value &&
    typeof value.ts === "string" &&
    "sender" in value &&
    typeof value.sender === "object"
  );
}
