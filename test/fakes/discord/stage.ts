/** A Discord with an adapter on it, and time that the test moves: for the tests of `src/channels/discord/`. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { MenuCommand } from "../../../src/channels/definition.ts";
import type { DiscordAdapter } from "../../../src/channels/discord/adapter.ts";
import { type DiscordConfig, discordConfigSchema } from "../../../src/channels/discord/config.ts";
import { discordChannel } from "../../../src/channels/discord/index.ts";
import type { SendResult } from "../../../src/contracts/channel.ts";
import type { DeliveryId } from "../../../src/contracts/ids.ts";
import type { ChannelMessage } from "../../../src/contracts/message.ts";
import { createChannelDeps, createFakeMemory } from "../channel-deps.ts";
import { createFakeClock, type FakeClock } from "../clock.ts";
import { createRecordingLog } from "../log.ts";
import { createDiscordPlatform, type DiscordPlatform } from "./index.ts";

/** One run of mom: what she heard, and a handler that the test may replace. */
export interface Life {
  adapter: DiscordAdapter;
  heard: ChannelMessage[];
  log: ReturnType<typeof createRecordingLog>;
  /** The folder of the files that were fetched. */
  dir: string;
  send(
    text: string,
    more?: { deliveryId?: string; channelId?: string; createdAt?: number; isUncertain?: true },
  ): Promise<SendResult>;
}

export interface DiscordStage {
  platform: DiscordPlatform;
  clock: FakeClock;
  /** How long each wait was asked for, milliseconds. */
  slept: number[];
  memory: ReturnType<typeof createFakeMemory>;
  /** Another life on the same memory. Not started. */
  open(more?: Partial<DiscordConfig>, handle?: (message: ChannelMessage) => Promise<void>): Life;
  /** The memory as it is now: what a life that begins after a SIGKILL finds. */
  killNow(): void;
  /** Looks again and again, letting `stepMs` of mom's time pass each time; fails when it never holds. */
  until(isDone: () => boolean, stepMs?: number): Promise<void>;
}

const mostLooks = 20_000;

export async function createDiscordStage(
  t: TestContext,
  { commands = [] }: { commands?: MenuCommand[] } = {},
): Promise<DiscordStage> {
  const clock = createFakeClock();
  const slept: number[] = [];
  const { sleep } = clock;
  clock.sleep = (delayMs, signal) => {
    slept.push(delayMs);
    return sleep(delayMs, signal);
  };
  const platform = await createDiscordPlatform({ now: clock.now });
  const lives: DiscordAdapter[] = [];
  let memory = createFakeMemory();
  let number = 0;
  t.after(async () => {
    for (const adapter of lives) await adapter.stop();
    await platform.close();
  });
  return {
    platform,
    clock,
    slept,
    get memory() {
      return memory;
    },
    open(more = {}, handle) {
      const log = createRecordingLog();
      const deps = createChannelDeps({ clock, log, memory, commands });
      const config = discordConfigSchema.parse({ ...platform.config, ...more });
      const adapter = discordChannel.createAdapter("discord", config, deps);
      const heard: ChannelMessage[] = [];
      adapter.onMessage(async (message) => {
        await handle?.(message);
        heard.push(message);
      });
      lives.push(adapter);
      const send: Life["send"] = (text, more = {}) => {
        const { deliveryId = `d.${++number}`, channelId = platform.chats.owner, ...rest } = more;
        return adapter.sendMessage(channelId, { deliveryId: deliveryId as DeliveryId, text, ...rest });
      };
      return { adapter, heard, log, dir: deps.dir, send };
    },
    killNow() {
      const copy = createFakeMemory();
      for (const [key, text] of memory.values) void copy.set(key, JSON.parse(text));
      memory = copy;
    },
    async until(isDone, stepMs = 0) {
      for (let looks = 0; !isDone(); looks++) {
        assert.ok(looks < mostLooks, "it never came to pass");
        await clock.advance(stepMs);
        await platform.roundTrip();
      }
    },
  };
}
