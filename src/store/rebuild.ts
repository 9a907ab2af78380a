/**
 * When the database is damaged it is set aside, never deleted, and a new one is filled from the channel folders: which
 * messages were already handled (so that a platform which sends them again does not start old turns), and the sessions.
 * Standing orders, reminders and jobs (`salvage-due.ts`) are read from the damaged file itself, where that still can be done.
 * Unfinished turns, pending posts, usage and pairings were only in the database; what cannot be rebuilt is said. Where the text of a conversation came from is not
 * known any more, so every one that there is counts as having some from outside.
 */
import type { Dirent } from "node:fs";
import { readdir, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { StoreError } from "../base/errors.ts";
import { useFolder } from "../base/open-within.ts";
import type { Clock } from "../contracts/clock.ts";
import type { SessionId, SessionKey } from "../contracts/ids.ts";
import type { ChannelRef } from "../contracts/message.ts";
import type { SessionRoute } from "../contracts/session.ts";
import { isLogLine } from "./channel-logs.ts";
import { type Database, openDatabase } from "./database.ts";
import { decodeId } from "./encode-id.ts";
import type { JsonlFiles } from "./jsonl-files.ts";
import type { Layout } from "./layout.ts";
import { openDir } from "./open-regular.ts";
import type { SessionRows } from "./sessions.ts";
import { readHeader } from "./transcript-lines.ts";

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

/**
 * What an owner has forbidden must outlive the database if it can. Returns how many orders were found; undefined when the
 * damage is where they were.
 */
export function salvageStandingOrders(db: Database, damagedPath: string): number | undefined {
  const columns = "agent_id, n, turn_id, text, deny_tools, deny_recipients, given_by, created_at, removed_at";
  try {
    const damaged = openDatabase(damagedPath, { readOnly: true });
    try {
      const rows = damaged.prepare(`SELECT ${columns} FROM standing_orders`).all();
      const add = db.prepare(`INSERT OR IGNORE INTO standing_orders (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
      db.transaction(() => {
        for (const row of rows) add.run(...Object.values(row));
      });
      return rows.filter((row) => row["removed_at"] === null).length;
    } finally {
      damaged.close();
    }
  } catch (error) {
    const isDamage = error instanceof StoreError && error.code === "DATABASE_DAMAGED";
    // Anything else means that there was no such table yet.
    return isDamage ? undefined : 0;
  }
}

/** Every chat that has a folder, also when no row knows it. Folders that no id gives are not ours. */
export async function listChannels(layout: Layout): Promise<ChannelRef[]> {
  const found: ChannelRef[] = [];
  for (const adapterName of await folderNames(layout, layout.channelsDir)) {
    for (const channelName of await folderNames(layout, join(layout.channelsDir, adapterName))) {
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
  /**
   * The sessions that a channel can have had, the likeliest first. A file's own word counts only if it names one of them, or
   * a topic of a group among them.
   */
  routesOf(channel: ChannelRef): SessionRoute[];
}

export async function rebuildFromFiles(deps: RebuildDeps): Promise<{ messages: number; sessions: number }> {
  const { db, files, layout, clock, sessions, routesOf } = deps;
  const addHandled = db.prepare(
    `INSERT INTO inbox (adapter, channel_id, message_id, received_at, verdict, reason, message)
     VALUES (?, ?, ?, ?, 'restored', NULL, ?) ON CONFLICT DO NOTHING`,
  );
  // As the desk for approvals keeps it (src/tools/approvals/taint.ts).
  const noteOutside = db.prepare(
    "INSERT INTO kv (scope, key, value) VALUES ('outside', ?, ?) ON CONFLICT (scope, key) DO NOTHING",
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
    for (const path of await lifePaths(layout, layout.channelDir(channel))) {
      // A file that is refused or has no header is begun again when its session next speaks.
      const header = await readHeader(files, path).catch(() => undefined);
      if (header?.line["type"] !== "session") continue;
      // Also for lives that are over: they can be taken up again.
      noteOutside.run(header.id, JSON.stringify(["unknown (database was rebuilt)"]));
      if (basename(path) !== presentName) continue;
      const route = pickRoute(routesOf(channel), header.sessionKey);
      if (!route) continue;
      sessions.restore(route, header.id as SessionId, clock.now());
      restored++;
    }
  }
  return { messages, sessions: restored };
}

function pickRoute(routes: SessionRoute[], sessionKey: string | undefined): SessionRoute | undefined {
  if (sessionKey === undefined) return routes[0];
  const listed = routes.find((route) => route.sessionKey === sessionKey);
  if (listed) return listed;
  const group = routes.find((route) => isTopicOf(route, sessionKey));
  return group && { ...group, sessionKey: sessionKey as SessionKey, type: "topic" };
}

/** One field of a key as it is written there; ids of platforms are short. */
const keyField = /^(?:[^%:#]|%25|%3A|%23){1,500}$/;

/** Topics come and go and nobody lists them; their keys are those of their group with one field more. */
function isTopicOf({ type, sessionKey }: SessionRoute, candidate: string): boolean {
  const [prefix, agentId, , ...chat] = sessionKey.split(":");
  const start = `${[prefix, agentId, "topic", ...chat].join(":")}:`;
  return type === "group" && candidate.startsWith(start) && keyField.test(candidate.slice(start.length));
}

const presentName = "context.jsonl";
/** Tools can fill a folder; `life-files` looks at no more names either. */
const mostNames = 20_000;

/** The channel's own lives first, then those of other sessions that were opened there; in each folder the present one first. */
async function lifePaths(layout: Layout, channelDir: string): Promise<string[]> {
  const others = await folderNames(layout, join(channelDir, "sessions"));
  const paths: string[] = [];
  for (const dir of [channelDir, ...others.map((name) => join(channelDir, "sessions", name))]) {
    const names = await listNames(layout, dir, (item) => item.isFile() && isLifeName(item.name));
    paths.push(...[presentName, ...names.filter((name) => name !== presentName)].map((name) => join(dir, name)));
  }
  return paths;
}

const isLifeName = (name: string) => name.endsWith(".jsonl") && !name.startsWith(".") && name !== "log.jsonl";

const folderNames = (layout: Layout, path: string) => listNames(layout, path, (item) => item.isDirectory());

async function listNames(
  { workspaceDir }: Layout,
  path: string,
  isWanted: (item: Dirent) => boolean,
): Promise<string[]> {
  try {
    const folder = await openDir(workspaceDir, path);
    if (!folder) return [];
    const items = await useFolder(folder, ({ entry }) => readdir(entry("."), { withFileTypes: true }));
    return items
      .filter(isWanted)
      .slice(0, mostNames)
      .map((item) => item.name);
  } catch {
    return [];
  }
}
