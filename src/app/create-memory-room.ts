/** Memory with what it stands on: the agents' folders, the chats they know, and what turns text into vectors. */
import { readdir } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Memory, MemoryVisibility } from "../contracts/memory.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { Store } from "../contracts/store.ts";
import { createEmbedder, createMemory } from "../memory/index.ts";
import { mainAgentId } from "../sessions/index.ts";
import type { buildLayout } from "../store/index.ts";
import type { MomConfig } from "./config-schema.ts";

interface MemoryRoomParts {
  layout: ReturnType<typeof buildLayout>;
  clock: Clock;
  log: Log;
  store: Pick<Store, "sessions" | "transcripts">;
  config(): MomConfig;
  workspaceDirOf(agentId: string): string;
  keyOf(provider: string): Promise<string | undefined>;
}

export interface MemoryRoom {
  readonly memory: Memory;
  /** Is there anything that could be found? Looks at the disk, and starts nothing. */
  hasNotes(agentId: string): Promise<boolean>;
}

/** Conversations that are searched, at most: those used last. */
const mostTranscripts = 500;
const lookAgainMs = 1000;

export function createMemoryRoom(parts: MemoryRoomParts): MemoryRoom {
  const { layout, clock, log, store, config, workspaceDirOf, keyOf } = parts;
  const isOf = (agentId: string) => (session: SessionEntry) => session.agentId === agentId;
  const listTranscripts = async (sessions: readonly SessionEntry[]) => {
    const found = [];
    for (const session of sessions.slice(0, mostTranscripts)) {
      const path = await store.transcripts.path(session.sessionKey);
      if (path === undefined) continue;
      found.push({
        name: session.sessionKey,
        path: relative(layout.workspaceDir, path),
        visibility: toVisibility(session),
      });
    }
    return found;
  };
  const memory = createMemory(
    {
      indexDir: join(layout.stateDir, "memory"),
      clock,
      log,
      async sources(agentId) {
        const sessions = (await store.sessions.list()).filter(isOf(agentId));
        const chats = sessions.filter(({ type }) => type === "dm" || type === "group" || type === "topic");
        return {
          workspaceDir: workspaceDirOf(agentId),
          channelsRoot: layout.workspaceDir,
          // What lies in the folders of other agents' chats is not this one's to know.
          ...(agentId !== mainAgentId && { channels: chats.map(({ channel }) => channel) }),
          ...(config().memory.sessions && { transcripts: await listTranscripts(sessions) }),
        };
      },
      channelFolder: layout.channelFolder,
      resolveFolder: (path) => resolve(layout.dataDir, path),
      createEmbedder: (settings) =>
        createEmbedder(
          { fetch: globalThis.fetch, clock, log, keyOf, packsDir: join(layout.dataDir, "packs") },
          settings,
        ),
    },
    () => config().memory,
  );
  /** By agent: asked twice with every turn. */
  const looks = new Map<string, { at: number; hasNotes: boolean }>();
  return {
    memory,
    async hasNotes(agentId) {
      const { enabled, folders, sessions } = config().memory;
      if (!enabled) return false;
      if (sessions || folders.length > 0) return true;
      // MEMORY.md alone is in the prompt already.
      const known = looks.get(agentId);
      if (known && clock.monotonic() - known.at < lookAgainMs) return known.hasNotes;
      const names = await readdir(join(workspaceDirOf(agentId), "memory")).catch(() => []);
      looks.set(agentId, { at: clock.monotonic(), hasNotes: names.length > 0 });
      return names.length > 0;
    },
  };
}

/** What was said in the owner's own sessions, and in work for them, is the owner's. */
function toVisibility({ type, channel }: SessionEntry): MemoryVisibility {
  return type === "dm" || type === "group" || type === "topic" ? { type: "chat", channel } : { type: "owner" };
}
