/** An adapter at the fake Telegram, without an app: memory that outlives it, files kept in memory, time that tests move. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { ChannelDeps, ChannelMemory, MenuCommand } from "../../../src/channels/definition.ts";
import type { TelegramAdapter } from "../../../src/channels/telegram/adapter.ts";
import { telegramConfigSchema } from "../../../src/channels/telegram/config.ts";
import { telegramChannel } from "../../../src/channels/telegram/index.ts";
import type { Webhooks } from "../../../src/contracts/gateway.ts";
import type { ChannelAttachment, ChannelMessage } from "../../../src/contracts/message.ts";
import { createFakeClock, type FakeClock } from "../clock.ts";
import { createRecordingLog } from "../log.ts";
import { createTelegramPlatform, type TelegramPlatform, type TelegramPlatformOptions } from "./index.ts";

export function createMemory(): ChannelMemory {
  const values = new Map<string, unknown>();
  return {
    get: async (key) => structuredClone(values.get(key)),
    set: async (key, value) => void values.set(key, structuredClone(value)),
    delete: async (key) => void values.delete(key),
  };
}

export interface SavedFile {
  channelId: string;
  filename: string;
  text: string;
}

/** `saved` gets the files. */
export function createSave(saved: SavedFile[] = []): ChannelDeps["saveAttachment"] {
  return async (channelId, { filename, data, mimeType }): Promise<ChannelAttachment> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of data) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    saved.push({ channelId, filename, text: bytes.toString("utf8") });
    const localPath = `attachments/${saved.length}-${filename.replace(/[^\w]+/g, "_")}`;
    return { filename, localPath, size: bytes.length, ...(mimeType !== undefined && { mimeType }) };
  };
}

export interface StageOptions {
  platform?: TelegramPlatform | TelegramPlatformOptions;
  /** Beside what the platform needs. */
  config?: Record<string, unknown>;
  memory?: ChannelMemory;
  commands?: MenuCommand[];
  clock?: FakeClock;
  /** Where Telegram can call the adapter. */
  webhooks?: Webhooks;
  /** Absent: everything is taken. */
  handle?(message: ChannelMessage): Promise<void>;
}

export interface TelegramStage {
  platform: TelegramPlatform;
  adapter: TelegramAdapter;
  clock: FakeClock;
  log: ReturnType<typeof createRecordingLog>;
  memory: ChannelMemory;
  /** Taken, in order. */
  heard: ChannelMessage[];
  stops: string[];
  saved: SavedFile[];
  /** Lets the network do its part, and `stepMs` pass each time, until it holds. */
  until(isDone: () => boolean, stepMs?: number): Promise<void>;
  /** The next message that was not asked for yet. */
  next(): Promise<ChannelMessage>;
}

const mostLooks = 2_000;

/** Not started. Stops and closes by itself at the end of the test. */
export async function openStage(context: TestContext, options: StageOptions = {}): Promise<TelegramStage> {
  const clock = options.clock ?? createFakeClock();
  const given = options.platform ?? {};
  const platform = "apiUrl" in given ? given : await createTelegramPlatform({ now: clock.now, ...given });
  const log = createRecordingLog();
  const memory = options.memory ?? createMemory();
  const heard: ChannelMessage[] = [];
  const stops: string[] = [];
  const saved: SavedFile[] = [];
  const config = telegramConfigSchema.parse({ ...platform.config, ...options.config });
  const deps = {
    clock,
    log,
    memory,
    saveAttachment: createSave(saved),
    commands: () => options.commands ?? [],
    ...(options.webhooks && { webhooks: options.webhooks }),
  };
  const adapter = telegramChannel.createAdapter("telegram", config, deps);
  adapter.onMessage(async (message) => {
    await options.handle?.(message);
    heard.push(message);
  });
  adapter.onStop(async (channelId, senderId) => void stops.push(`${channelId} by ${senderId}`));
  context.after(async () => {
    await adapter.stop();
    if (platform !== given) await platform.close();
  });
  let asked = 0;
  const until = async (isDone: () => boolean, stepMs = 0) => {
    for (let looks = 0; looks < mostLooks; looks++) {
      if (isDone()) return;
      await clock.advance(stepMs);
      // As long as a call takes that the adapter may be waiting for.
      await fetch(platform.apiUrl).then((response) => response.text());
    }
    assert.fail("it never happened");
  };
  const next = async () => {
    asked++;
    await until(() => heard.length >= asked);
    return heard[asked - 1] ?? assert.fail();
  };
  return { platform, adapter, clock, log, memory, heard, stops, saved, until, next };
}
