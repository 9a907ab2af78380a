/** A Slack adapter on the fake workspace, with a clock that the test moves and a memory that outlives the adapter. */
import type { TestContext } from "node:test";
import type { SlackAdapter } from "../../../src/channels/slack/adapter.ts";
import { slackConfigSchema } from "../../../src/channels/slack/config.ts";
import { slackChannel } from "../../../src/channels/slack/index.ts";
import type { ChannelAttachment, ChannelMessage } from "../../../src/contracts/message.ts";
import { createFakeClock, type FakeClock } from "../clock.ts";
import { createRecordingLog } from "../log.ts";
import { createSlackPlatform, type SlackPlatform } from "./index.ts";

export interface SlackStage {
  platform: SlackPlatform;
  clock: FakeClock;
  log: ReturnType<typeof createRecordingLog>;
  /** What the adapters keep, by key: the same for all of this stage. */
  memory: Map<string, unknown>;
  /** Files that were saved, by name. */
  saved: Map<string, string>;
  /** Lets time pass, a step at a time, until `isDone` holds; real sockets get their turns in between. */
  until(isDone: () => boolean, stepMs?: number): Promise<void>;
  /** Another life of the same login. It is not started. */
  createAdapter(config?: Record<string, unknown>): SlackLife;
}

export interface SlackLife {
  adapter: SlackAdapter;
  heard: ChannelMessage[];
}

export async function createSlackStage(): Promise<SlackStage> {
  const clock = createFakeClock();
  const platform = await createSlackPlatform({ now: clock.now });
  const log = createRecordingLog();
  const memory = new Map<string, unknown>();
  const saved = new Map<string, string>();
  return {
    platform,
    clock,
    log,
    memory,
    saved,
    async until(isDone, stepMs = 0) {
      for (let step = 0; !isDone(); step++) {
        if (step > 2_000) throw new Error("It did not happen");
        await clock.advance(stepMs);
        for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    createAdapter(config = {}) {
      const heard: ChannelMessage[] = [];
      const adapter = slackChannel.createAdapter("slack", slackConfigSchema.parse({ ...platform.config, ...config }), {
        clock,
        log,
        memory: {
          get: async (key) => structuredClone(memory.get(key)),
          set: async (key, value) => void memory.set(key, structuredClone(value)),
          delete: async (key) => void memory.delete(key),
        },
        saveAttachment: async (channelId, { filename, data, mimeType, maxBytes }) =>
          save(saved, channelId, { filename, data, mimeType, maxBytes }),
        commands: () => [],
      });
      adapter.onMessage(async (message) => void heard.push(message));
      adapter.onStop(async () => undefined);
      return { adapter, heard };
    },
  };
}

async function save(
  saved: Map<string, string>,
  channelId: string,
  file: { filename: string; data: AsyncIterable<Uint8Array>; mimeType: string | undefined; maxBytes: number },
): Promise<ChannelAttachment> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.data) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  saved.set(file.filename, bytes.toString("utf8"));
  return {
    filename: file.filename,
    localPath: `attachments/${channelId}-${saved.size}`,
    size: bytes.length,
    ...(file.mimeType !== undefined && { mimeType: file.mimeType }),
  };
}

/** A stage for one test, with one adapter that is started; all of it is gone after the test. */
export async function startSlackStage(
  test: TestContext,
  config?: Record<string, unknown>,
): Promise<SlackStage & SlackLife> {
  const stage = await createSlackStage();
  const life = stage.createAdapter(config);
  test.after(async () => {
    await life.adapter.stop();
    await stage.platform.close();
  });
  await life.adapter.start();
  return { ...stage, ...life };
}
