/** Choosing models: defaults, names, what cannot be had; and what choosing costs. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { createMemoryAuth } from "../../test/fakes/auth-store.ts";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createOpenAiServer } from "../../test/fakes/openai-server.ts";
import { AuthError } from "../base/errors.ts";
import type { AuthData } from "../contracts/auth.ts";
import type { Log } from "../contracts/log.ts";
import type { ModelInfo } from "../contracts/model.ts";
import { createModels, modelsConfig } from "./index.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };
const local = {
  api: "openai-completions",
  baseUrl: "http://127.0.0.1:1/v1",
  models: [{ id: "small" }, { id: "qwen/big" }],
};

/** No Ollama of this machine is asked: at that port nobody listens. */
const noOllama = { baseUrl: "http://127.0.0.1:1" };

function create(
  config: object = {},
  env: Record<string, string> = {},
  auth: Partial<AuthData> = {},
  authOrder: Record<string, string[]> = {},
) {
  const parsed = modelsConfig.parse({ ...config, providers: { ollama: noOllama, ...Object(config).providers } });
  return createModels({ clock: createFakeClock(), log: silent, env, auth: createMemoryAuth(auth), authOrder }, parsed);
}

async function refOf(models: ReturnType<typeof create>, ref?: string): Promise<string> {
  const resolution = await models.resolve(ref);
  return resolution.type === "model" ? resolution.model.ref : `unavailable: ${resolution.message}`;
}

describe("the default", () => {
  const anthropic = { ANTHROPIC_API_KEY: "a-key" };
  const openai = { OPENAI_API_KEY: "o-key" };
  const table: [name: string, config: object, env: Record<string, string>, expected: string | RegExp][] = [
    ["nothing set", {}, {}, "mom/offline"],
    ["an empty key is none", {}, { ANTHROPIC_API_KEY: " ", OPENAI_API_KEY: "" }, "mom/offline"],
    ["an Anthropic key", {}, anthropic, "anthropic/claude-sonnet-5"],
    ["an OpenAI key", {}, openai, "openai/gpt-6-sol"],
    ["both keys", {}, { ...openai, ...anthropic }, "anthropic/claude-sonnet-5"],
    ["a key in the configuration", { providers: { openai: { apiKey: "k" } } }, {}, "openai/gpt-6-sol"],
    ["an endpoint of one's own", { providers: { local } }, {}, "local/small"],
    ["a key before an endpoint of one's own", { providers: { local } }, openai, "openai/gpt-6-sol"],
    [
      "the configured one before everything",
      { default: "local/small", providers: { local } },
      anthropic,
      "local/small",
    ],
    ["an alias", { default: "fast", aliases: { fast: "local/small" }, providers: { local } }, anthropic, "local/small"],
    ["offline by choice", { default: "mom/offline" }, anthropic, "mom/offline"],
    ["a configured one without its key", { default: "openai/gpt-6-sol" }, anthropic, /^unavailable: .*OPENAI_API_KEY/],
    [
      "a configured one that does not exist",
      { default: "anthropic/claude-sonet-5" },
      anthropic,
      /^unavailable: .*anthropic\/claude-sonnet-5/,
    ],
    [
      "a subscription token",
      {},
      { ANTHROPIC_API_KEY: "sk-ant-oat01-abc" },
      /^unavailable: .*subscription token.*API key/,
    ],
  ];
  for (const [name, config, env, expected] of table) {
    test(name, async () => {
      const found = await refOf(create(config, env));
      if (typeof expected === "string") assert.equal(found, expected);
      else assert.match(found, expected);
    });
  }
});

describe("names", () => {
  const models = create(
    { aliases: { fast: "local/small", gone: "local/smal" }, providers: { local } },
    { ANTHROPIC_API_KEY: "k" },
  );
  const table: [ref: string, expected: string | RegExp][] = [
    ["local/small", "local/small"],
    ["local/qwen/big", "local/qwen/big"],
    ["fast", "local/small"],
    ["small", "local/small"],
    ["claude-opus-5-5", "anthropic/claude-opus-5-5"],
    ["locl/small", /no model provider "locl".*Did you mean local\/small\?/],
    ["local/smal", /no model "smal"\. Nearest: local\/small/],
    ["gone", /alias "gone" stands for local\/smal\. .*local\/small/],
    ["fats", /no model or alias "fats"\. Did you mean fast\?/],
    ["mom/online", /Nearest: mom\/offline/],
    [
      "anthropic/claude-9",
      /Nearest: (anthropic\/[\w.-]+, ){2}anthropic\/[\w.-]+\. .*models\.providers\.anthropic\.models/,
    ],
  ];
  for (const [ref, expected] of table) {
    test(ref, async () => {
      const found = await refOf(models, ref);
      if (typeof expected === "string") assert.equal(found, expected);
      else assert.match(found, expected);
    });
  }

  test("a name that two providers share must be said in full", async () => {
    const twice = create({ providers: { a: local, b: local } });
    assert.match(await refOf(twice, "small"), /more than once.*a\/small, b\/small/);
  });
});

test("the list has what can be used, and nothing else", async () => {
  const providers = async (models: ReturnType<typeof create>) =>
    new Set((await models.list()).map(({ provider }) => provider));
  assert.deepEqual(await providers(create()), new Set(["mom"]));
  const all = create({ providers: { local } }, { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" });
  assert.deepEqual(await providers(all), new Set(["anthropic", "openai", "local", "mom"]));
  const sonnet = (await all.list()).find(({ ref }) => ref === "anthropic/claude-sonnet-5");
  assert.ok(sonnet && sonnet.contextWindow >= 200_000 && sonnet.price.output > 0 && sonnet.input.includes("image"));
});

test("a model that the configuration adds to a built-in provider is one of its own", async () => {
  const models = create({
    providers: { anthropic: { apiKey: "k", models: [{ id: "claude-new", contextWindow: 5000 }] } },
  });
  const resolution = await models.resolve("anthropic/claude-new");
  assert.equal(resolution.type === "model" && resolution.model.contextWindow, 5000);
});

describe("keys of auth.json", () => {
  const openai = { type: "api_key", provider: "openai", key: "stored" } as const;
  const old = { type: "token", provider: "openai", token: "t", expires: 1 } as const;
  const table: [name: string, auth: Partial<AuthData>, order: Record<string, string[]>, expected: string | RegExp][] = [
    ["make their provider the default", { profiles: { "openai:a": openai } }, {}, "openai/gpt-6-sol"],
    [
      "that rest are keys all the same",
      { profiles: { "openai:a": openai }, usageStats: { "openai:a": { disabledUntil: 4e12 } } },
      {},
      "openai/gpt-6-sol",
    ],
    ["that have run out are none", { profiles: { "openai:a": old } }, {}, "mom/offline"],
    ["that are not in line are none", { profiles: { "openai:a": openai } }, { openai: ["openai:b"] }, "mom/offline"],
    [
      "the file's order comes before the config's",
      { profiles: { "openai:a": openai }, order: { openai: ["openai:a"] } },
      { openai: ["openai:b"] },
      "openai/gpt-6-sol",
    ],
  ];
  for (const [name, auth, order, expected] of table)
    test(name, async () => assert.equal(await refOf(create({}, {}, auth, order)), expected));

  test("status says of every provider how it stands and what to do", async () => {
    const auth = {
      profiles: { "openai:old": old, "anthropic:a": { ...openai, provider: "anthropic" } },
      usageStats: { "anthropic:a": { disabledUntil: 4e12, disabledReason: "auth" as const } },
    };
    const status = await create({ providers: { local } }, {}, auth, { local: ["local:gone"] }).status();
    const of = (name: string) => status.find((provider) => provider.name === name);
    assert.deepEqual([of("openai")?.usable, of("openai")?.profiles[0]?.state], [false, "expired"]);
    assert.match(of("openai")?.missing ?? "", /openai:old has run out.*mom auth add openai/);
    assert.deepEqual([of("anthropic")?.usable, of("anthropic")?.profiles[0]?.until], [false, 4e12]);
    assert.match(of("anthropic")?.missing ?? "", /resting.*2096-/);
    assert.match(of("google")?.missing ?? "", /No API key for google/);
    assert.equal(of("local")?.usable, true, "it needs none");
    assert.deepEqual(of("mom"), { name: "mom", usable: true, profiles: [] });
    const chosen = await create({}, {}, { profiles: { "openai:a": openai } }, { openai: ["openai:b"] }).status();
    assert.match(chosen.find(({ name }) => name === "openai")?.missing ?? "", /order for openai names openai:b/);
  });

  test("a file that cannot be used is told where a model is looked for", async () => {
    const auth = createMemoryAuth();
    auth.load = () => Promise.reject(new AuthError("AUTH_FILE_BROKEN", "auth.json is broken.", { hint: "Mend it." }));
    const deps = { clock: createFakeClock(), log: silent, env: {}, auth, authOrder: {} };
    const resolution = await createModels(deps, modelsConfig.parse({})).resolve("openai/gpt-6-sol");
    const message = 'mom cannot read her file of keys. The operator finds out why with "mom doctor".';
    assert.deepEqual(resolution, { type: "unavailable", message });
  });
});

test("over the wire: a limited key is left for the next, and every key goes to the log's redaction first", async () => {
  const server = await createOpenAiServer({
    respond: ({ headers }) =>
      headers.authorization === "Bearer key-one"
        ? { type: "status", status: 429, headers: { "retry-after": "600" } }
        : { type: "answer", text: "ok" },
  });
  const learnt: string[] = [];
  try {
    const auth = createMemoryAuth({
      profiles: {
        "local:one": { type: "api_key", provider: "local", key: "key-one" },
        "local:two": { type: "api_key", provider: "local", key: "key-two" },
      },
    });
    const clock = createFakeClock();
    const learnSecrets = (secrets: readonly string[]) => void learnt.push(...secrets);
    const models = createModels(
      { clock, log: silent, env: {}, auth, authOrder: {}, learnSecrets },
      modelsConfig.parse({ providers: { local: { ...local, baseUrl: server.url } } }),
    );
    const resolution = await models.resolve("local/small");
    assert.ok(resolution.type === "model");
    const ask = () =>
      models.stream({
        model: resolution.model,
        system: "",
        messages: [{ role: "user", content: "hello", timestamp: 1 }],
        tools: [],
        signal: AbortSignal.timeout(10_000),
        sessionId: "s",
      });
    assert.equal((await ask().result()).profile, "local:two");
    assert.equal((await ask().result()).profile, "local:two");
    assert.equal(server.requests.length, 3);
    assert.deepEqual(learnt, ["key-one", "key-two"]);
    const stats = (await auth.load()).usageStats["local:one"]?.models?.["small"];
    assert.equal(stats?.cooldownUntil, clock.now() + 600_000);
    await models.close();
    assert.equal((await auth.load()).usageStats["local:two"]?.lastUsed, clock.now());
  } finally {
    await server.close();
  }
});

test("an endpoint without a key gets no key header, and the older form of the request", async () => {
  const server = await createOpenAiServer({ respond: [{ type: "answer", text: "ok" }] });
  try {
    const models = create({ providers: { local: { ...local, baseUrl: server.url, headers: { "x-team": "blue" } } } });
    const resolution = await models.resolve("local/small");
    assert.equal(resolution.type, "model");
    if (resolution.type === "model") await models.check(resolution.model, AbortSignal.timeout(10_000));
    const [seen] = server.requests;
    assert.equal(seen?.headers.authorization, undefined);
    assert.equal(seen?.headers["x-team"], "blue");
    assert.equal(seen?.headers["user-agent"], "mom");
    assert.equal(typeof seen?.body["max_tokens"], "number");
    assert.equal("store" in (seen?.body ?? {}), false);
  } finally {
    await server.close();
  }
});

test("asking a model that is not there is a failure, not an exception", async () => {
  const ghost: ModelInfo = {
    ref: "ghost/x",
    provider: "ghost",
    id: "x",
    contextWindow: 1,
    maxOutputTokens: 1,
    input: ["text"],
    reasoning: false,
    price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  const check = await create().check(ghost, AbortSignal.timeout(10_000));
  assert.equal(check.ok, false);
  assert.match(check.detail, /"ghost" cannot be used/);
});

test("the offline model answers through the port", async () => {
  const models = create();
  const resolution = await models.resolve();
  assert.ok(resolution.type === "model");
  assert.equal((await models.check(resolution.model, AbortSignal.timeout(10_000))).ok, true);
});

describe("the configuration", () => {
  const table: [name: string, config: object, message: RegExp][] = [
    [
      "a provider without an api",
      { providers: { local: { baseUrl: "http://x/v1", models: [{ id: "a" }] } } },
      /"local" needs "api"/,
    ],
    [
      "a provider without models",
      { providers: { local: { api: "openai-completions", baseUrl: "http://x/v1" } } },
      /needs "baseUrl" and at least one entry/,
    ],
    ["the offline provider's name", { providers: { mom: local } }, /built-in offline provider/],
    ["an alias that is no model", { aliases: { fast: "small" } }, /provider\/model/],
    ["an address that is none", { providers: { local: { ...local, baseUrl: "file:///etc" } } }, /URL/i],
  ];
  for (const [name, config, message] of table) {
    test(`refuses ${name}`, () => {
      const result = modelsConfig.safeParse(config);
      assert.match(
        JSON.stringify(result.error?.issues),
        new RegExp(message.source.replaceAll('"', '\\\\"'), message.flags),
      );
    });
  }
  test("has usable defaults", () => {
    assert.deepEqual(modelsConfig.parse({}), {
      fallbacks: [],
      aliases: {},
      providers: {},
      timeoutMs: 120_000,
      retries: 3,
    });
  });
});

test("the room's face loads neither pi-ai nor a vendor's SDK", async () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    await import(${JSON.stringify(new URL("./index.ts", import.meta.url).href)});
    console.log(JSON.stringify(loaded));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  const loaded: unknown = JSON.parse(stdout);
  assert.ok(Array.isArray(loaded) && loaded.length > 5);
  const heavy = loaded.filter((url) =>
    /earendil-works|anthropic-ai|\/openai\/|typebox|\/providers\//.test(String(url)),
  );
  assert.deepEqual(heavy, []);
});
