/**
 * Chats on their platforms, with the platforms' own SDKs against servers on loopback: from a message there to the reply
 * there, two hundred chats at once, and what the program takes with one platform alone.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createDiscordPlatform } from "../../test/fakes/discord/index.ts";
import type { FakePlatform } from "../../test/fakes/platform.ts";
import { createSlackPlatform } from "../../test/fakes/slack/index.ts";
import { createTelegramPlatform } from "../../test/fakes/telegram/index.ts";
import type { Bench } from "../bench.ts";
import { type Figure, summarise } from "../figure.ts";
import { type Product, startProduct } from "../start-product.ts";
import type { Workshop } from "../workshop.ts";

const platforms = {
  Slack: createSlackPlatform,
  Discord: createDiscordPlatform,
  Telegram: createTelegramPlatform,
};

/** Platforms let a chat have about one post a second: many chats in turn show what mom costs, not what they allow. */
const chatCount = 40;
const parallelChats = 200;
const messagesEach = 2;
const skippedTurns = 20;
const restMs = 2000;
/** Telegram takes thirty posts a second in all, and mom keeps to it: faster messages would measure that. */
const betweenMs = 60;

interface Stage {
  platform: FakePlatform;
  product: Product;
  close(): Promise<void>;
}

export const channelsBench: Bench = {
  name: "channels",
  summary: "messages in and replies out on Slack, Discord and Telegram",
  needsBuild: true,
  async run(workshop) {
    const figures: Figure[] = [];
    for (const [label, create] of Object.entries(platforms)) figures.push(...(await measure(workshop, label, create)));
    return figures;
  },
};

async function openStage(workshop: Workshop, create: () => Promise<FakePlatform>): Promise<Stage> {
  const platform = await create();
  const adapters = { chat: { ...platform.config, dm: "everyone", streaming: false } };
  const dataDir = await workshop.createDataDir(workshop.model.url, { adapters, queue: { mode: "followup" } });
  const product = await startProduct(workshop, dataDir);
  return {
    platform,
    product,
    async close() {
      await product.stop();
      await platform.close();
    },
  };
}

async function measure(workshop: Workshop, label: string, create: () => Promise<FakePlatform>): Promise<Figure[]> {
  const stage = await openStage(workshop, create);
  try {
    await sleep(restMs);
    const idleMiB = stage.product.readMemoryMiB();
    const turns = await takeTurns(stage.platform, skippedTurns + workshop.times(120, 30));
    const rate = await measureParallel(stage.platform);
    return [
      {
        name: `${label}: message in, reply out`,
        unit: "ms",
        value: summarise(turns.slice(skippedTurns)),
        target: { atMost: 15 },
      },
      {
        name: `${label}: ${parallelChats} chats at once`,
        unit: "turns/s",
        value: summarise([rate]),
        note: "the platform's own pace is part of it",
      },
      ...(idleMiB === undefined
        ? []
        : [
            {
              name: `${label}: memory at rest`,
              unit: "MiB" as const,
              value: summarise([idleMiB]),
              ...(label === "Telegram" && { target: { atMost: 130 } }),
            },
          ]),
    ];
  } finally {
    await stage.close();
  }
}

/** One message at a time, from the platform having it to the platform having the reply. */
async function takeTurns(platform: FakePlatform, count: number): Promise<number[]> {
  const chats = Array.from({ length: chatCount }, (_each, n) => platform.addDirectChat(`one-${n}`));
  const costs: number[] = [];
  for (let n = 0; n < count; n++) {
    const { channelId, userId } = chats[n % chats.length] ?? { channelId: "", userId: "" };
    const before = platform.posts(channelId).length;
    const start = performance.now();
    platform.say({ channelId, userId, text: `hello ${n}` });
    await platform.until(() => platform.posts(channelId).length > before);
    costs.push(performance.now() - start);
    await sleep(betweenMs);
  }
  return costs;
}

/** Every chat at once, several messages each; turns per second. */
async function measureParallel(platform: FakePlatform): Promise<number> {
  const chats = Array.from({ length: parallelChats }, (_each, n) => platform.addDirectChat(`all-${n}`));
  const start = performance.now();
  const said = chats.map(({ channelId, userId }) => ({
    channelId,
    ids: Array.from({ length: messagesEach }, (_each, n) => platform.say({ channelId, userId, text: `number ${n}` })),
  }));
  for (const { channelId } of said) await platform.until(() => platform.posts(channelId).length >= messagesEach);
  const seconds = (performance.now() - start) / 1000;
  for (const { channelId } of said) {
    if (platform.posts(channelId).length !== messagesEach)
      throw new Error(`${channelId} got another number of replies`);
  }
  return (parallelChats * messagesEach) / seconds;
}
