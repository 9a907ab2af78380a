/** The real app on fake chat platforms, each with its own SDK and the adapter of the catalogue, and a model endpoint. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, type AppParts, createApp } from "../../src/app/index.ts";
import { createSystemClock } from "../../src/base/clock.ts";
import type { LogLine } from "../../src/contracts/message.ts";
import { createFileSink, createLogger, createRedactor } from "../../src/observability/index.ts";
import { createDiscordPlatform } from "../fakes/discord/index.ts";
import type { ModelServer, Script } from "../fakes/model-server.ts";
import { createOpenAiServer } from "../fakes/openai-server.ts";
import type { FakePlatform } from "../fakes/platform.ts";
import { createSlackPlatform } from "../fakes/slack/index.ts";
import { createTelegramPlatform } from "../fakes/telegram/index.ts";
import { buildConfig, lastUserText, waitFor } from "./world.ts";

export const platformMakers = {
  slack: createSlackPlatform,
  discord: createDiscordPlatform,
  telegram: createTelegramPlatform,
};
export type PlatformName = keyof typeof platformMakers;
type PlatformOf<Name extends PlatformName> = Awaited<ReturnType<(typeof platformMakers)[Name]>>;

export interface PlatformWorld {
  dataDir: string;
  model: ModelServer;
  platforms: Map<PlatformName, FakePlatform>;
  /** The fake of that name; it must have been asked for. */
  on<Name extends PlatformName>(name: Name): PlatformOf<Name>;
  start(parts?: Partial<AppParts>): Promise<App>;
  /** Nothing waits, runs or is on its way any more. */
  whenQuiet(app: App): Promise<void>;
  /** Rewrites config.json, as an operator would. */
  configure(change: (adapters: Record<string, Record<string, unknown>>) => void): Promise<void>;
  readChatLog(adapter: string, channelId: string): Promise<LogLine[]>;
  /** What mom has logged so far. */
  readLog(): Promise<string>;
  close(): Promise<void>;
}

interface Options {
  platforms: readonly PlatformName[];
  respond?: Script;
  /** More keys of the config. */
  config?: Record<string, unknown>;
  /** More keys of every adapter. */
  adapter?(platform: FakePlatform): Record<string, unknown>;
}

/** The last line: what others said in a group meanwhile stands before it. */
const echo: Script = (request) => {
  const line = lastUserText(request).split("\n").at(-1) ?? "";
  return { type: "answer", text: `echo ${line.replace(/^\[[^\]]*\]: /, "")}` };
};

/** Adapters are called as their platforms; the owner of each is its admin. */
export async function createPlatformWorld(options: Options): Promise<PlatformWorld> {
  const platforms = new Map<PlatformName, FakePlatform>();
  for (const name of options.platforms) platforms.set(name, await platformMakers[name]());
  const model = await createOpenAiServer({ respond: options.respond ?? echo });
  const dataDir = await mkdtemp(join(tmpdir(), "mom-platform-"));
  const adapters: Record<string, Record<string, unknown>> = {};
  for (const [name, platform] of platforms) {
    adapters[name] = { ...platform.config, admins: [platform.people.owner], ...options.adapter?.(platform) };
  }
  const rest = { sandbox: { mode: "host" }, queue: { mode: "followup" }, ...options.config };
  const save = () =>
    writeFile(
      join(dataDir, "config.json"),
      JSON.stringify(buildConfig(model.url, { config: { ...rest, adapters } }), null, 2),
    );
  await save();
  const clock = createSystemClock();
  const logPath = join(dataDir, "state/logs/mom.log");
  const log = createLogger({ clock, redactor: createRedactor(), sinks: [createFileSink(logPath)] }, { level: "info" });
  const apps: App[] = [];
  return {
    dataDir,
    model,
    platforms,
    on<Name extends PlatformName>(name: Name) {
      const platform = platforms.get(name);
      if (!platform) throw new Error(`${name} is not part of this world`);
      // Made by the maker of that name.
      return platform as PlatformOf<Name>;
    },
    async start(parts = {}) {
      const env = { PATH: process.env["PATH"], HOME: dataDir };
      const app = await createApp({ dataDir, version: "0.0.0", env, clock, log, ...parts });
      apps.push(app);
      return app;
    },
    whenQuiet: ({ store }) =>
      waitFor(async () => {
        const open = await store.outbox.list({ states: ["pending", "sending"], limit: 1 });
        const { received, queued, running, delivering } = await store.turns.counts();
        return open.length === 0 && received + queued + running + delivering === 0;
      }),
    async configure(change) {
      change(adapters);
      await save();
    },
    async readChatLog(adapter, channelId) {
      const text = await readFile(join(dataDir, "workspace/channels", adapter, channelId, "log.jsonl"), "utf8");
      return text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    },
    async readLog() {
      await log.flush();
      return readFile(logPath, "utf8");
    },
    async close() {
      for (const app of apps) await app.stop();
      await log.close();
      for (const platform of platforms.values()) await platform.close();
      await model.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
