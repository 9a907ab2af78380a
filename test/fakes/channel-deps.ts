/** What an adapter is given, for its tests: memory that outlives it, and a folder for the files that people send. */
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { appendFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChannelError } from "../../src/base/errors.ts";
import type { ChannelDeps, ChannelMemory, MenuCommand } from "../../src/channels/definition.ts";
import type { Clock } from "../../src/contracts/clock.ts";
import type { Log } from "../../src/contracts/log.ts";
import { createFakeClock } from "./clock.ts";
import { silentLog } from "./log.ts";

export interface FakeMemory extends ChannelMemory {
  /** By key, as JSON: what a second adapter would find. */
  readonly values: ReadonlyMap<string, string>;
}

/** Values are copied through JSON, like those that went to a disk. Pass it to a second adapter to play a restart. */
export function createFakeMemory(): FakeMemory {
  const values = new Map<string, string>();
  return {
    values,
    async get(key) {
      const text = values.get(key);
      return text === undefined ? undefined : JSON.parse(text);
    },
    async set(key, value) {
      values.set(key, JSON.stringify(value));
    },
    async delete(key) {
      values.delete(key);
    },
  };
}

export interface ChannelDepsOptions {
  /** Absent: a fake one. */
  clock?: Clock;
  log?: Log;
  /** Of an earlier adapter. */
  memory?: ChannelMemory;
  commands?: MenuCommand[];
}

export interface FakeChannelDeps extends ChannelDeps {
  /** Files are kept here; `localPath` is relative to it. Made when the first one comes. */
  readonly dir: string;
  /** Removes the folder. Happens when the process ends, too. */
  dispose(): void;
}

export function createChannelDeps({ clock, log, memory, commands }: ChannelDepsOptions = {}): FakeChannelDeps {
  const dir = join(tmpdir(), `mom-deps-${randomUUID()}`);
  let files = 0;
  const dispose = () => {
    process.off("exit", dispose);
    rmSync(dir, { recursive: true, force: true });
  };
  const ensureDir = () => {
    if (mkdirSync(dir, { recursive: true }) !== undefined) process.once("exit", dispose);
  };
  return {
    clock: clock ?? createFakeClock(),
    log: log ?? silentLog,
    memory: memory ?? createFakeMemory(),
    dir,
    async saveAttachment(_channelId, { filename, data, mimeType, maxBytes }) {
      const localPath = `file-${++files}`;
      let size = 0;
      ensureDir();
      await appendFile(join(dir, localPath), "");
      try {
        for await (const chunk of data) {
          size += chunk.byteLength;
          if (size > maxBytes) throw new ChannelError("ATTACHMENT_TOO_LARGE", `"${filename}" is too large`);
          await appendFile(join(dir, localPath), chunk);
        }
      } catch (error) {
        await rm(join(dir, localPath), { force: true });
        throw error;
      }
      return { filename, localPath, size, ...(mimeType !== undefined && { mimeType }) };
    },
    commands: () => commands ?? [{ name: "stop", summary: "Ends what runs." }],
    dispose,
  };
}
