/**
 * When the database is damaged it is set aside, never deleted, and a new one is filled from the channel folders: which
 * messages were already handled (so that a platform which sends them again does not start old turns), and the sessions.
 * Unfinished turns, pending posts, usage and reminders were only in the database; what cannot be rebuilt is said.
 */
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../contracts/clock.ts";
import type { ChannelRef } from "../contracts/message.ts";
import type { SessionRoute } from "../contracts/session.ts";
import type { TranscriptHeader } from "../contracts/transcript.ts";
import { isLogLine } from "./channel-logs.ts";
import type { Database } from "./database.ts";
import { decodeId } from "./encode-id.ts";
import type { JsonlFiles } from "./jsonl-files.ts";
import type { Layout } from "./layout.ts";
import type { SessionRows } from "./sessions.ts";

/** Renames the database and its side files; returns the new name. */
export async function setAside(databasePath: string, nowMs: number): Promise<string> {
  const aside = `${databasePath}.damaged-${new Date(nowMs).toISOString().replace(/[:.]/g, "-")}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    await rename(databasePath + suffix, aside + suffix).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
  return aside;
}

/** Every chat that has a folder, also when no row knows it. Folders that no id gives are not ours. */
export async function listChannels(layout: Layout): Promise<ChannelRef[]> {
  const found: ChannelRef[] = [];
  for (const adapterName of await folderNames(layout.channelsDir)) {
    for (const channelName of await folderNames(join(layout.channelsDir, adapterName))) {
      const adapter = decodeId(adapterName);
      const channelId = decodeId(channelName);
      if (adapter !== undefined && channelId !== undefined) found.push({ adapter, channelId });
    }
  }
  return found;
}

interface RebuildDeps {
  db: Database;
  files: JsonlFiles;
  layout: Layout;
  clock: Clock;
  sessions: SessionRows;
  /** The sessions that a channel can have had, the likeliest first. A file's own word counts only if it names one of them. */
  routesOf(channel: ChannelRef): SessionRoute[];
}

export async function rebuildFromFiles(deps: RebuildDeps): Promise<{ messages: number; sessions: number }> {
  const { db, files, layout, clock, sessions, routesOf } = deps;
  const addHandled = db.prepare(
    `INSERT INTO inbox (adapter, channel_id, message_id, received_at, verdict, reason, message)
     VALUES (?, ?, ?, ?, 'restored', NULL, ?) ON CONFLICT DO NOTHING`,
  );
  let messages = 0;
  let restored = 0;
  for (const channel of await listChannels(layout)) {
    let batch: unknown[] = [];
    const save = () => {
      db.transaction(() => {
        for (const line of batch) {
          if (!isLogLine(line) || line.sender.isBot) continue;
          const { adapter, channelId } = channel;
          messages += addHandled.run(adapter, channelId, line.id, clock.now(), JSON.stringify({ id: line.id })).changes;
        }
      });
      batch = [];
    };
    for await (const line of files.forwards(join(layout.channelDir(channel), "log.jsonl"))) {
      batch.push(line);
      if (batch.length === 1000) save();
    }
    save();
    for (const path of await transcriptPaths(layout.channelDir(channel))) {
      for await (const line of files.forwards(path)) {
        const header = (line ?? {}) as Partial<TranscriptHeader>;
        const routes = routesOf(channel);
        const route =
          header.sessionKey === undefined ? routes[0] : routes.find((r) => r.sessionKey === header.sessionKey);
        if (typeof header.id === "string" && route) {
          sessions.restore(route, header.id, clock.now());
          restored++;
        }
        break;
      }
    }
  }
  return { messages, sessions: restored };
}

/** The channel's own transcript first, then those of other sessions that were opened there. */
async function transcriptPaths(channelDir: string): Promise<string[]> {
  const others = await folderNames(join(channelDir, "sessions"));
  return [channelDir, ...others.map((name) => join(channelDir, "sessions", name))].map((dir) =>
    join(dir, "context.jsonl"),
  );
}

async function folderNames(path: string): Promise<string[]> {
  try {
    const items = await readdir(path, { withFileTypes: true });
    return items.filter((item) => item.isDirectory()).map((item) => item.name);
  } catch {
    return [];
  }
}
