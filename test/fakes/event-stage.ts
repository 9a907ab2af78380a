/** Event files on a real store, a real scheduler and real folders, with a clock that the test moves and a crash where it wants one. */

import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { EventsConfig } from "../../src/automation/events/config.ts";
import { createEventFiles } from "../../src/automation/events/create-event-files.ts";
import type { EventRoot } from "../../src/automation/events/event-item.ts";
import type { WatchPath } from "../../src/automation/events/watch-folders.ts";
import { createScheduler } from "../../src/automation/scheduler.ts";
import type { ErrandPorts } from "../../src/contracts/errand-ports.ts";
import type { SessionKey } from "../../src/contracts/ids.ts";
import type { ChannelRef } from "../../src/contracts/message.ts";
import type { Letter, Store } from "../../src/contracts/store.ts";
import { buildLayout, openStore } from "../../src/store/index.ts";
import { createFakeClock, type FakeClock } from "./clock.ts";
import { crashAt, type DueCrash } from "./crash-at.ts";
import { createRecordingLog } from "./log.ts";
import { createTempFolder, type TempFolder } from "./temp-folder.ts";

export const ownChat: ChannelRef = { adapter: "slack", channelId: "C1" };
export const otherChat: ChannelRef = { adapter: "slack", channelId: "C2" };
const chatRootFolder = "channels/slack/C1/events";

export interface EventStage extends TempFolder {
  clock: FakeClock;
  log: ReturnType<typeof createRecordingLog>;
  /** Adapters that run; a test may change it. */
  running: Set<string>;
  /** Chats that files in `workspace/events` may not speak in, by id. */
  closed: Set<string>;
  /** Reasons by chat id: what is said there is refused. */
  refusals: Map<string, string>;
  config: EventsConfig;
  /** How folders are watched; absent: by the system. */
  watch?: WatchPath;
  /** A life of the process. The one before it must have ended. */
  begin(crash?: DueCrash): Promise<EventLife>;
  /** Writes a file into `workspace/<folder>`. */
  write(name: string, value: unknown, folder?: string): Promise<string>;
  /** Names below `workspace/<folder>`; empty where there is no such folder. */
  names(folder?: string): Promise<string[]>;
  read(path: string): Promise<string>;
  exists(path: string): Promise<boolean>;
}

export interface EventLife {
  store: Store;
  events: ReturnType<typeof createEventFiles>;
  /** Looks at the folders, serves what is due, and looks again: what a moment of real life does. */
  settle(): Promise<void>;
  /** What started turns, oldest first: `chat text`. */
  said(): Promise<string[]>;
  /** What was only heard in the chat. */
  heard(channel?: ChannelRef): Promise<string[]>;
  ledger(): Promise<string[]>;
  end(): Promise<void>;
}

export async function openEventStage(context: TestContext, startMs?: number): Promise<EventStage> {
  const folder = await createTempFolder(context);
  const clock = createFakeClock(startMs);
  const log = createRecordingLog();
  const running = new Set(["slack"]);
  const refusals = new Map<string, string>();
  const closed = new Set<string>();
  const workspace = join(folder.dir, "workspace");
  const config: EventsConfig = { enabled: true, maxLatenessMinutes: 1440 };
  const ports = buildPorts(running, refusals, clock);
  const watching: Pick<EventStage, "watch"> = {};

  const begin = async (crash?: DueCrash): Promise<EventLife> => {
    const routesOf = () => [];
    const store = await openStore({ layout: buildLayout(folder.dir), clock, log, role: "owner", routesOf });
    const due = crash ? crashAt(store.due, crash) : store.due;
    const scheduler = createScheduler({ due, clock, log, kv: store.kv });
    const events = createEventFiles(
      {
        due,
        scheduler,
        clock,
        log,
        ports,
        roots: () => buildRoots(workspace, closed),
        adapters: () => ["slack", "discord"],
        isUnknownChat: ({ channelId }) => channelId === "C404",
        ...(watching.watch && { watch: watching.watch }),
      },
      () => config,
    );
    scheduler.register("event", events.handler);
    const seqs = 2 ** 40;
    return {
      store,
      events,
      async settle() {
        await events.start().catch(() => undefined);
        await events.look().catch(() => undefined);
        await scheduler.start();
        await events.look().catch(() => undefined);
      },
      async said() {
        const turns = await store.turns.list({ limit: 1000 });
        const sorted = turns.toSorted((a, b) => a.seq - b.seq);
        return sorted.map(({ message }) => `${message.channelId} ${message.text}`);
      },
      async heard(channel = ownChat) {
        const lines = await store.inbox.unseen(keyOf(channel), channel, seqs, 1000);
        return lines.map(({ text }) => text).filter((text) => text.includes(":failed]"));
      },
      async ledger() {
        const rows = await store.due.ledger({ source: "event", limit: 1000 });
        return rows.map(({ id, state }) => `${id} ${state}`).reverse();
      },
      async end() {
        await events.stop().catch(() => undefined);
        await scheduler.stop().catch(() => undefined);
        await store.close();
      },
    };
  };
  return Object.assign(watching, {
    ...folder,
    clock,
    log,
    running,
    closed,
    refusals,
    config,
    begin,
    write: (name, value, where = "events") =>
      folder.put(join("workspace", where, name), typeof value === "string" ? value : JSON.stringify(value)),
    names: async (where = "events") => (await readdir(join(workspace, where)).catch(() => [])).sort(),
    read: (path) => readFile(join(workspace, path), "utf8"),
    exists: (path) =>
      stat(join(workspace, path)).then(
        () => true,
        () => false,
      ),
  } satisfies EventStage);
}

const asker = { id: "U1", username: "ann" };

function buildRoots(workspaceDir: string, closed: ReadonlySet<string>): EventRoot[] {
  const common = { workspaceDir, askerOf: async () => asker, agentId: "main" };
  return [
    { ...common, label: "events", folder: "events", mayUse: ({ channelId }) => !closed.has(channelId) },
    {
      ...common,
      label: chatRootFolder,
      folder: chatRootFolder,
      home: ownChat,
      mayUse: ({ adapter, channelId }) => adapter === ownChat.adapter && channelId === ownChat.channelId,
    },
  ];
}

const keyOf = ({ adapter, channelId }: ChannelRef) => `agent:main:${adapter}:${channelId}` as SessionKey;

/** The house as far as event files see it: everybody is admitted where the test does not refuse. */
function buildPorts(
  running: ReadonlySet<string>,
  refusals: ReadonlyMap<string, string>,
  clock: FakeClock,
): Pick<ErrandPorts, "toChatLetter" | "ownerOf"> {
  return {
    async toChatLetter({ channel, sender }, { id, text, outside, isHeard }) {
      if (!running.has(channel.adapter)) return undefined;
      const message: Letter["message"] = {
        id,
        channelId: channel.channelId,
        timestamp: new Date(clock.now()).toISOString(),
        sender: { ...sender, isBot: false },
        text,
        attachments: [],
        isMention: true,
        ...(outside !== undefined && { metadata: { outside } }),
      };
      const reason = refusals.get(channel.channelId);
      const sessionKey = keyOf(channel);
      const route = { sessionKey, type: "group" as const, agentId: "main", channel };
      const verdict: Letter["verdict"] =
        reason !== undefined
          ? { type: "refused", reason }
          : isHeard
            ? { type: "heard" }
            : { type: "turn", kind: "agent", lane: sessionKey, route };
      return { adapter: channel.adapter, message, verdict };
    },
    async ownerOf() {
      const channel = ownChat;
      return { channel, sender: asker, sessionKey: keyOf(channel), sessionType: "main", agentId: "main" };
    },
  };
}
