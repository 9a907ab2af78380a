/** The real app with fakes at its edges: a chat platform and a model endpoint, both real servers on loopback. */
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, type AppParts, createApp } from "../../src/app/index.ts";
import { createSystemClock } from "../../src/base/clock.ts";
import type { AgentSessionEvent } from "../../src/contracts/agent.ts";
import { createLogger, createRedactor } from "../../src/observability/index.ts";
import { chatRules, createChatAdapter } from "../fakes/chat-adapter.ts";
import { type ChatServer, createChatServer } from "../fakes/chat-server.ts";
import type { ModelServer, Script, SeenRequest } from "../fakes/model-server.ts";
import { createOpenAiServer } from "../fakes/openai-server.ts";

export interface World {
  dataDir: string;
  chat: ChatServer;
  model: ModelServer;
  events: AgentSessionEvent[];
  logText(): string;
  /** The text of a file of the data directory. */
  read(path: string): Promise<string>;
  /** Replaces auth.json, as another process would. */
  writeAuth(auth: object): Promise<void>;
  /** Starts mom on the data directory; several times in a row is several lives. */
  start(parts?: Partial<AppParts>): Promise<App>;
  close(): Promise<void>;
}

interface WorldOptions {
  respond?: Script;
  /** Merged into the config. */
  config?: Record<string, unknown>;
  models?: Record<string, unknown>;
  /** Settings of the model `lab/m1`. */
  m1?: Record<string, unknown>;
  /** Further models of the same endpoint. */
  extraModels?: Record<string, unknown>[];
  /** The content of auth.json. */
  auth?: object;
  nonce?: "enforced" | "searchable" | "ignored";
}

const settlesBy = { enforced: "idempotent", searchable: "lookup", ignored: "blind" } as const;

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const nonce = options.nonce ?? "enforced";
  const dataDir = await mkdtemp(join(tmpdir(), "mom-flow-"));
  const chat = await createChatServer({ nonce });
  const model = await createOpenAiServer({ respond: options.respond ?? echo });
  const events: AgentSessionEvent[] = [];
  const lines: string[] = [];
  const apps: App[] = [];
  await mkdir(dataDir, { recursive: true });
  await writeFile(join(dataDir, "config.json"), JSON.stringify(buildConfig(model.url, options)));
  const writeAuth = async (auth: object) => {
    const path = join(dataDir, "auth.json");
    await writeFile(`${path}.new`, JSON.stringify(auth), { mode: 0o600 });
    await rename(`${path}.new`, path);
  };
  if (options.auth) await writeAuth(options.auth);
  return {
    dataDir,
    chat,
    model,
    events,
    logText: () => lines.join("\n"),
    read: (path) => readFile(join(dataDir, path), "utf8"),
    writeAuth,
    async start(parts = {}) {
      const clock = createSystemClock();
      const sink = {
        write: (record: unknown) => void lines.push(JSON.stringify(record)),
        flush: async () => {},
        close: async () => {},
      };
      const log = createLogger({ clock, redactor: createRedactor(), sinks: [sink] }, { level: "debug" });
      const adapter = createChatAdapter({ url: chat.url, settles: settlesBy[nonce], onEvent: (e) => events.push(e) });
      const app = await createApp({
        dataDir,
        version: "0.0.0",
        env: { PATH: process.env["PATH"], HOME: dataDir },
        clock,
        log,
        adapters: [{ adapter, rules: chatRules }],
        ...parts,
      });
      apps.push(app);
      return app;
    },
    async close() {
      for (const app of apps) await app.stop();
      await chat.close();
      await model.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export function buildConfig(
  modelUrl: string,
  { config, models, m1, extraModels = [], auth }: WorldOptions = {},
): object {
  const lab = {
    api: "openai-completions",
    baseUrl: modelUrl,
    ...(auth === undefined && { apiKey: "secret-test-key" }),
    models: [{ id: "m1", price: { input: 1, output: 2 }, ...m1 }, ...extraModels],
  };
  const gateway = { enabled: false };
  return { adapters: {}, gateway, models: { default: "lab/m1", providers: { lab }, ...models }, ...config };
}

/** Text of the newest user message in a request, without the time and the `[name]: ` before it. */
export function lastUserText(request: SeenRequest): string {
  const messages = request.body["messages"] as { role: string; content: unknown }[];
  const content = messages.findLast((message) => message.role === "user")?.content;
  const text =
    typeof content === "string" ? content : (content as { text: string }[]).map((part) => part.text).join("");
  return text.replace(/^\(\d{4}-\d\d-\d\d \d\d:\d\d\)\n/, "").replace(/^\[[^\]]*\]: /, "");
}

const echo = (request: SeenRequest) => ({ type: "answer" as const, text: `echo ${lastUserText(request)}` });

let lastId = 0;
export const say = (chat: ChatServer, text: string, more: Partial<Parameters<ChatServer["say"]>[0]> = {}) =>
  chat.say({ id: `m${++lastId}`, channel: "D1", user: "U1", text, mention: true, ...more });

/** Turns of the event loop until it is true; the test's own time limit ends a wait for nothing. */
export async function waitFor(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve));
}
