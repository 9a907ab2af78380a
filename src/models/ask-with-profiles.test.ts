/** Rotation: which key is tried when, what a failure leaves in a real auth.json, and what the caller is told. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createRecordingLog } from "../../test/fakes/log.ts";
import type { AuthData, AuthStore, Credential } from "../contracts/auth.ts";
import type { AssistantMessage, ModelFailure, ModelInfo, ModelRequest } from "../contracts/model.ts";
import { createAuthFile } from "../store/index.ts";
import { type AskSettings, askWithProfiles } from "./ask-with-profiles.ts";
import type { OAuthFlow } from "./auth/oauth-flow.ts";
import { createProfilePool, type ProfilePool } from "./auth/profile-pool.ts";
import { emptyUsage } from "./failed-message.ts";
import type { FailureFacts, Provider, ProviderCall, ProviderEvent } from "./provider.ts";
import type { ImplicitCredential } from "./sources.ts";

const model: ModelInfo = {
  ref: "p/m",
  provider: "p",
  id: "m",
  contextWindow: 1000,
  maxOutputTokens: 100,
  input: ["text"],
  reasoning: false,
  price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};
const message = (text: string): AssistantMessage => ({
  role: "assistant",
  content: [{ type: "text", text }],
  api: "test",
  provider: "p",
  model: "m",
  usage: emptyUsage(),
  stopReason: "stop",
  timestamp: 0,
});
const key = (secret: string): Credential => ({ type: "api_key", provider: "p", key: secret });
const ok = { text: "" } as const;
const limited = { text: "rate limit", status: 429 };
const refused = { text: "no", status: 401 };
const unpaid = { text: "no", status: 402 };
const minute = 60_000;

/** What each key meets, by its secret, in turn; the last goes on for ever. `ok` is an answer. */
type Script = Record<string, (FailureFacts | "begin-then-break")[]>;

interface Stage {
  clock: ReturnType<typeof createFakeClock>;
  log: ReturnType<typeof createRecordingLog>;
  path: string;
  store: AuthStore;
  pool: ProfilePool;
  /** Secrets, in the order in which they were sent; "none" without one. */
  sent: string[];
  told: string[];
  ask(overrides?: Partial<ModelRequest>, settings?: Partial<AskSettings>): ReturnType<typeof askWithProfiles>;
  read(): Promise<AuthData>;
}

interface StageParts {
  profiles?: Record<string, Credential>;
  script?: Script;
  implicit?: ImplicitCredential[];
  order?: Record<string, string[]>;
  flow?: OAuthFlow;
}

async function createStage(t: TestContext, parts: StageParts): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "mom-rotate-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "auth.json");
  if (parts.profiles) await writeFile(path, JSON.stringify({ profiles: parts.profiles }), { mode: 0o600 });
  const clock = createFakeClock();
  const log = createRecordingLog();
  const store = createAuthFile({ path, clock, log });
  const pool = createProfilePool({
    store,
    clock,
    log,
    loadFlow: async () => parts.flow,
    order: parts.order ?? {},
    implicitOf: () => parts.implicit ?? [],
  });
  const sent: string[] = [];
  const told: string[] = [];
  const provider = createScriptedProvider(parts.script ?? {}, sent);
  const read = async (): Promise<AuthData> => JSON.parse(await readFile(path, "utf8"));
  const settings: AskSettings = { timeoutMs: 1000, retries: 0, credential: "needed", isProbe: false };
  const ask: Stage["ask"] = (overrides, others) =>
    askWithProfiles(
      { clock, log, pool, load: async () => provider, explainNoKey: async () => "Add one." },
      { ...settings, ...others },
      {
        model,
        system: "",
        messages: [],
        tools: [],
        signal: new AbortController().signal,
        sessionId: "s",
        onRotate: ({ from, to, failure }) => told.push(`${from} > ${to}: ${failure.reason}`),
        onRetry(retry) {
          told.push(`wait ${retry.delayMs}`);
          void clock.advance(retry.delayMs);
        },
        ...overrides,
      },
    );
  return { clock, log, path, store, pool, sent, told, ask, read };
}

function createScriptedProvider(script: Script, sent: string[]): Provider {
  const met = new Map<string, number>();
  async function* ask(call: ProviderCall): AsyncGenerator<ProviderEvent> {
    const secret = call.credential?.secret ?? "none";
    sent.push(secret);
    const steps = script[secret] ?? [ok];
    const n = met.get(secret) ?? 0;
    met.set(secret, n + 1);
    const step = steps[Math.min(n, steps.length - 1)] ?? ok;
    if (step === "begin-then-break") {
      yield { type: "text_delta", delta: "x", contentIndex: 0, partial: message("x") };
      yield { type: "failed", facts: limited };
    } else if (step.text === "") yield { type: "done", message: message(`by ${secret}`) };
    else yield { type: "failed", facts: step };
  }
  return { name: "p", api: "test", secrets: [], list: async () => [model], ask };
}

const two = { "p:a": key("ka"), "p:b": key("kb") };

describe("a key that fails", () => {
  const table: [name: string, facts: FailureFacts, reason: ModelFailure["reason"]][] = [
    ["refused", refused, "auth"],
    ["without credit", unpaid, "billing"],
    ["rate limited", limited, "rate_limit"],
  ];
  for (const [name, facts, reason] of table) {
    test(`${name}: the next one answers, and only the answer is seen`, async (t) => {
      const stage = await createStage(t, { profiles: two, script: { ka: [facts] } });
      const stream = stage.ask();
      const events: string[] = [];
      for await (const event of stream) events.push(event.type);
      const result = await stream.result();
      assert.equal(result.failure, undefined);
      assert.equal(result.profile, "p:b");
      assert.deepEqual(events, ["start", "done"]);
      assert.deepEqual(stage.told, [`p:a > p:b: ${reason}`]);
      assert.deepEqual(stage.sent, ["ka", "kb"]);
      assert.equal((await stage.read()).usageStats["p:a"]?.failureCounts?.[reason], 1);
      assert.doesNotMatch(JSON.stringify(stage.log.lines), /"k[ab]"/);
      await stage.ask().result();
      assert.deepEqual(stage.sent, ["ka", "kb", "kb"], "it rests now");
    });
  }

  test("rests with that model only, when it was limited", async (t) => {
    const stage = await createStage(t, { profiles: { "p:a": key("ka") }, script: { ka: [limited, ok] } });
    await stage.ask().result();
    const other = { ...model, id: "other", ref: "p/other" };
    assert.equal((await stage.ask({ model: other }).result()).failure, undefined);
    assert.equal((await stage.ask().result()).failure?.reason, "rate_limit");
    assert.equal(stage.sent.length, 2);
  });

  test("is not left for a failure that no other key cures", async (t) => {
    const overflow = { text: "too long", status: 400, overflow: true };
    const stage = await createStage(t, { profiles: two, script: { ka: [overflow] } });
    const { failure, profile } = await stage.ask().result();
    assert.deepEqual([failure?.reason, failure?.rule, profile], ["context_overflow", "compact", "p:a"]);
    assert.deepEqual(stage.sent, ["ka"]);
    assert.equal((await stage.store.load()).usageStats["p:a"], undefined, "no mark");
  });

  test("in the middle of its answer is neither left nor marked", async (t) => {
    const stage = await createStage(t, { profiles: two, script: { ka: ["begin-then-break"] } });
    const { failure, message: said } = await stage.ask().result();
    assert.equal(failure?.reason, "rate_limit");
    assert.deepEqual(said.content, [{ type: "text", text: "x" }]);
    assert.deepEqual(stage.sent, ["ka"]);
    assert.equal((await stage.store.load()).usageStats["p:a"], undefined);
  });

  test("all used up: the most telling failure, each key tried once", async (t) => {
    const later = { ...limited, retryAfterMs: 20 * minute };
    const stage = await createStage(t, { profiles: two, script: { ka: [later], kb: [refused] } });
    const { failure } = await stage.ask().result();
    assert.deepEqual([failure?.reason, failure?.rule, failure?.retryAfterMs], ["rate_limit", "rotate", 20 * minute]);
    assert.deepEqual(stage.sent, ["ka", "kb"]);
  });
});

describe("waiting", () => {
  const one = { "p:a": key("ka") };
  for (const [name, facts] of [
    ["without a word for how long", limited],
    ["for a few seconds", { ...limited, retryAfterMs: 8000 }],
  ] as const) {
    test(`limited ${name}, and another key is ready: that one at once, and the first rests`, async (t) => {
      const stage = await createStage(t, { profiles: two, script: { ka: [facts] } });
      const startedAt = stage.clock.now();
      assert.equal((await stage.ask({}, { retries: 3 }).result()).profile, "p:b");
      assert.deepEqual(stage.told, ["p:a > p:b: rate_limit"]);
      assert.deepEqual(stage.sent, ["ka", "kb"]);
      assert.equal(stage.clock.now(), startedAt, "no wait");
      const restsMs = "retryAfterMs" in facts ? facts.retryAfterMs : minute;
      assert.equal((await stage.read()).usageStats["p:a"]?.models?.["m"]?.cooldownUntil, startedAt + restsMs);
    });
  }
  test("limited for a few seconds, and it is the only key: waited, with the same key", async (t) => {
    const soon = { ...limited, retryAfterMs: 8000 };
    const stage = await createStage(t, { profiles: one, script: { ka: [soon, ok] } });
    assert.equal((await stage.ask({}, { retries: 3 }).result()).profile, "p:a");
    assert.deepEqual(stage.told, ["wait 8000"]);
  });
  test("limited, and it is the only key: tried again after growing waits", async (t) => {
    const stage = await createStage(t, { profiles: one, script: { ka: [limited, limited, ok] } });
    assert.equal((await stage.ask({}, { retries: 3 }).result()).profile, "p:a");
    assert.deepEqual(stage.sent, ["ka", "ka", "ka"]);
    assert.equal(stage.told.filter((line) => line.startsWith("wait")).length, 2);
    assert.equal((await stage.store.load()).usageStats["p:a"], undefined, "no mark");
  });
  test("limited, and the other key rests: nothing else is there, so it is waited", async (t) => {
    const stage = await createStage(t, { profiles: two, script: { ka: [ok, limited, ok], kb: [refused] } });
    await stage.ask({ preferredProfile: "p:b" }).result();
    assert.equal((await stage.ask({}, { retries: 3 }).result()).profile, "p:a");
    assert.deepEqual(stage.sent, ["kb", "ka", "ka", "ka"]);
  });
  test("every key is limited: the last one is tried again in place", async (t) => {
    const stage = await createStage(t, { profiles: two, script: { ka: [limited], kb: [limited, ok] } });
    assert.equal((await stage.ask({}, { retries: 3 }).result()).profile, "p:b");
    assert.deepEqual(stage.sent, ["ka", "kb", "kb"]);
  });
  test("limited for longer is not waited, even with one key: it rests as long as was said", async (t) => {
    const later = { ...limited, retryAfterMs: 8001 };
    const stage = await createStage(t, { profiles: one, script: { ka: [later] } });
    assert.equal((await stage.ask({}, { retries: 3 }).result()).failure?.reason, "rate_limit");
    assert.deepEqual(stage.told, []);
    assert.equal((await stage.read()).usageStats["p:a"]?.models?.["m"]?.cooldownUntil, stage.clock.now() + 8001);
  });
  test("all rest, and the first is ready in a few seconds: waited for", async (t) => {
    const stage = await createStage(t, { profiles: { "p:a": key("ka") }, script: { ka: [limited, ok] } });
    await stage.ask().result();
    await stage.clock.advance(minute - 5000);
    const stream = stage.ask();
    while (stage.clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    await stage.clock.advance(4999);
    assert.equal(stage.sent.length, 1);
    await stage.clock.advance(1);
    assert.equal((await stream.result()).failure, undefined);
    assert.deepEqual((await stage.read()).usageStats["p:a"]?.models, undefined, "the success cleared it");
  });
  test("all rest for longer: told at once, with the time", async (t) => {
    const stage = await createStage(t, { profiles: two, script: { ka: [limited], kb: [refused] } });
    await stage.ask().result();
    const { failure, message: said } = await stage.ask().result();
    assert.deepEqual([failure?.reason, failure?.rule, failure?.retryAfterMs], ["rate_limit", "rotate", minute]);
    assert.match(failure?.message ?? "", /in 60 seconds/);
    assert.match(failure?.detail ?? "", /p:a until .*p:b until/);
    assert.equal(said.stopReason, "error");
    assert.deepEqual(stage.sent, ["ka", "kb"]);
  });
  test("an abort ends a wait for a resting key", async (t) => {
    const stage = await createStage(t, { profiles: { "p:a": key("ka") }, script: { ka: [limited] } });
    await stage.ask().result();
    await stage.clock.advance(minute - 5000);
    const stop = new AbortController();
    const stream = stage.ask({ signal: stop.signal });
    while (stage.clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    assert.equal((await stream.result()).message.stopReason, "aborted");
    assert.equal(stage.sent.length, 1);
  });
});

describe("in place", () => {
  const broken = { text: "overloaded", status: 503 };
  test("waits grow, are told, and end with the failure as classified, which says nothing about the key", async (t) => {
    const stage = await createStage(t, { profiles: two, script: { ka: [broken] } });
    const { failure, profile } = await stage.ask({}, { retries: 2 }).result();
    assert.deepEqual([failure?.reason, failure?.rule, profile], ["overloaded", "fall_back", "p:a"]);
    const [first = 0, second = 0] = stage.told.map((line) => Number(line.replace("wait ", "")));
    assert.ok(first >= 800 && first <= 1200 && second >= 1600 && second <= 2400, `${first} ${second}`);
    assert.deepEqual(stage.sent, ["ka", "ka", "ka"]);
    assert.equal((await stage.store.load()).usageStats["p:a"]?.models, undefined);
  });
  test("a passing failure is not seen at all", async (t) => {
    const stage = await createStage(t, { profiles: two, script: { ka: [broken, ok] } });
    assert.equal((await stage.ask({}, { retries: 2 }).result()).profile, "p:a");
    assert.equal((await stage.store.load()).usageStats["p:a"], undefined, "no mark, so no write");
  });
  test("an abort ends a wait, and nothing more is sent", async (t) => {
    const stage = await createStage(t, { profiles: two, script: { ka: [broken] } });
    const stop = new AbortController();
    const { message: said, failure } = await stage
      .ask({ signal: stop.signal, onRetry: () => stop.abort() }, { retries: 2 })
      .result();
    assert.deepEqual([said.stopReason, failure?.reason, stage.sent], ["aborted", "aborted", ["ka"]]);
  });
  test("an abort before the call sends nothing", async (t) => {
    const stage = await createStage(t, { profiles: two });
    assert.equal((await stage.ask({ signal: AbortSignal.abort() }).result()).message.stopReason, "aborted");
    assert.deepEqual(stage.sent, []);
  });
  test("listeners that throw stop nothing", async (t) => {
    const stage = await createStage(t, { profiles: two, script: { ka: [broken, limited] } });
    const fail = () => {
      throw new Error("listener");
    };
    const onRetry: ModelRequest["onRetry"] = ({ delayMs }) => {
      void stage.clock.advance(delayMs);
      fail();
    };
    const { profile } = await stage.ask({ onRetry, onRotate: fail }, { retries: 1 }).result();
    assert.equal(profile, "p:b");
    assert.equal(stage.log.lines.filter(({ level }) => level === "error").length, 2);
  });
});

describe("the choice", () => {
  test("goes round, and a session keeps its key", async (t) => {
    const stage = await createStage(t, { profiles: two });
    const used: (string | undefined)[] = [];
    for (const preferredProfile of [undefined, undefined, "p:b", "p:b", undefined]) {
      await stage.clock.advance(1000);
      const request = preferredProfile === undefined ? {} : { preferredProfile };
      used.push((await stage.ask(request).result()).profile);
    }
    assert.deepEqual(used, ["p:a", "p:b", "p:b", "p:b", "p:a"]);
  });
  test("sees what another process wrote", async (t) => {
    const stage = await createStage(t, { profiles: two });
    await stage.ask().result();
    const other = createAuthFile({ path: stage.path, clock: stage.clock, log: stage.log });
    await other.update((data) => {
      data.order = { p: ["p:a"] };
    });
    await stage.ask().result();
    assert.deepEqual(stage.sent, ["ka", "ka"]);
  });
  test("takes the keys of the config and the environment last, and keeps their figures too", async (t) => {
    const implicit: ImplicitCredential[] = [
      { from: "config", credential: { type: "api_key", secret: "kc" } },
      { from: "environment", credential: { type: "api_key", secret: "ke" } },
    ];
    const stage = await createStage(t, {
      profiles: { "p:a": key("ka") },
      implicit,
      script: { ka: [refused], kc: [unpaid] },
    });
    const { profile } = await stage.ask().result();
    assert.equal(profile, "p:env");
    const data = await stage.read();
    assert.equal(data.usageStats["p:config"]?.disabledReason, "billing");
    assert.doesNotMatch(JSON.stringify(data), /"k[ce]"/, "figures, not keys");
  });
  test("nothing to choose from: said with the fix, or asked without a key where none is needed", async (t) => {
    const stage = await createStage(t, {});
    const { failure } = await stage.ask().result();
    assert.deepEqual([failure?.reason, failure?.rule], ["auth", "rotate"]);
    assert.match(failure?.message ?? "", /Add one\./);
    assert.equal((await stage.ask({}, { credential: "optional" }).result()).failure, undefined);
    assert.deepEqual(stage.sent, ["none"]);
  });
  test("a broken auth.json is told, and nobody is asked", async (t) => {
    const stage = await createStage(t, {});
    await writeFile(stage.path, "{", { mode: 0o600 });
    const { failure } = await stage.ask().result();
    assert.deepEqual([failure?.reason, failure?.rule], ["auth", "give_up"]);
    assert.match(failure?.detail ?? "", /AUTH_FILE_BROKEN/);
    assert.deepEqual(stage.sent, []);
  });
});

describe("a probe", () => {
  test("passes over rests, leaves no mark when it fails, and clears them when it succeeds", async (t) => {
    const stage = await createStage(t, { profiles: { "p:a": key("ka") }, script: { ka: [unpaid, unpaid, ok] } });
    await stage.ask().result();
    const before = await readFile(stage.path, "utf8");
    assert.equal((await stage.ask({}, { isProbe: true }).result()).failure?.reason, "billing");
    assert.equal(await readFile(stage.path, "utf8"), before);
    assert.equal((await stage.ask({}, { isProbe: true }).result()).failure, undefined);
    assert.equal((await stage.read()).usageStats["p:a"]?.disabledUntil, undefined);
  });
});

describe("the last use", () => {
  test("costs no write per turn, and is written now and then and at the end", async (t) => {
    const stage = await createStage(t, { profiles: two });
    let writes = 0;
    const update = stage.store.update;
    stage.store.update = (change) => {
      writes++;
      return update(change);
    };
    for (let turn = 0; turn < 10; turn++) {
      await stage.ask().result();
      await stage.clock.advance(1000);
    }
    assert.equal(writes, 0);
    await stage.clock.advance(30_000);
    await stage.ask().result();
    await stage.pool.close();
    assert.equal(writes, 1);
    const usedAt = stage.clock.now();
    await stage.ask({ preferredProfile: "p:a" }).result();
    await stage.pool.close();
    await stage.pool.close();
    assert.equal(writes, 2);
    assert.equal((await stage.read()).usageStats["p:a"]?.lastUsed, usedAt);
  });
});

describe("a login that has run out", () => {
  const login = (expires: number): Credential => ({
    type: "oauth",
    provider: "p",
    access: "old",
    refresh: "r1",
    expires,
  });
  const createFlow = (refresh: OAuthFlow["refresh"]): OAuthFlow => ({
    warning: "",
    login: () => Promise.reject(new Error("not here")),
    refresh,
  });

  test("is renewed once for many calls, and on disk before it is used", async (t) => {
    let refreshes = 0;
    const stage = await createStage(t, {
      profiles: { "p:me": login(0) },
      flow: createFlow(async (credential) => {
        refreshes++;
        return { type: "refreshed", credential: { ...credential, access: "new", refresh: "r2", expires: 4e12 } };
      }),
      script: { new: [ok] },
    });
    await Promise.all([stage.ask().result(), stage.ask().result(), stage.ask().result()]);
    await stage.ask().result();
    assert.equal(refreshes, 1);
    assert.deepEqual(stage.sent, ["new", "new", "new", "new"]);
    assert.equal(Object((await stage.read()).profiles["p:me"]).refresh, "r2");
  });
  test("that was refused is disabled, and the next profile is tried", async (t) => {
    const stage = await createStage(t, {
      profiles: { "p:me": login(0), "p:b": key("kb") },
      flow: createFlow(async () => ({ type: "refused", detail: "invalid_grant" })),
    });
    assert.equal((await stage.ask().result()).profile, "p:b");
    assert.deepEqual(stage.told, ["p:me > p:b: auth"]);
    assert.equal((await stage.read()).usageStats["p:me"]?.disabledReason, "auth");
  });
  test("that could not be renewed for want of a network rests as a whole, and is not taken for refused", async (t) => {
    let refreshes = 0;
    const stage = await createStage(t, {
      profiles: { "p:me": login(0) },
      flow: createFlow(async (credential) => {
        refreshes++;
        if (refreshes === 1) return { type: "unreachable", detail: "fetch failed" };
        return { type: "refreshed", credential: { ...credential, access: "new", expires: 4e12 } };
      }),
    });
    const startedAt = stage.clock.now();
    assert.equal((await stage.ask().result()).failure?.reason, "timeout");
    const stats = (await stage.read()).usageStats["p:me"];
    assert.deepEqual([stats?.cooldownUntil, stats?.disabledUntil], [startedAt + minute, undefined]);
    const other = { ...model, id: "other", ref: "p/other" };
    assert.match((await stage.ask({ model: other }).result()).failure?.message ?? "", /resting.*in 60 seconds/);
    assert.equal(refreshes, 1, "its server is left alone meanwhile");
    await stage.clock.advance(minute);
    assert.equal((await stage.ask().result()).failure, undefined);
    assert.equal((await stage.read()).usageStats["p:me"]?.cooldownUntil, undefined, "the answer cleared it");
  });
  test("gives way to the next profile when its server cannot be reached", async (t) => {
    const stage = await createStage(t, {
      profiles: { "p:me": login(0), "p:b": key("kb") },
      flow: createFlow(async () => ({ type: "unreachable", detail: "fetch failed" })),
    });
    assert.equal((await stage.ask().result()).profile, "p:b");
    assert.deepEqual(stage.told, ["p:me > p:b: timeout"]);
  });
  test("has ten seconds to be renewed, not the caller's patience: the file is locked meanwhile", async (t) => {
    const stage = await createStage(t, {
      profiles: { "p:me": login(0) },
      flow: createFlow(
        (_credential, signal) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => resolve({ type: "unreachable", detail: "too slow" }));
          }),
      ),
    });
    const stream = stage.ask();
    while (stage.clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    await stage.clock.advance(10_000);
    assert.match((await stream.result()).failure?.detail ?? "", /too slow/);
    assert.equal((await stage.read()).usageStats["p:me"]?.cooldownUntil, stage.clock.now() + minute);
    assert.equal(stage.clock.pending, 0);
  });
  test("an abort does not wait for the renewal, which is kept all the same", async (t) => {
    let finish = () => {};
    const stage = await createStage(t, {
      profiles: { "p:me": login(0) },
      flow: createFlow(async (credential) => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return { type: "refreshed", credential: { ...credential, access: "new", expires: 4e12 } };
      }),
    });
    const stop = new AbortController();
    const stream = stage.ask({ signal: stop.signal });
    while (String(finish) === "() => {}") await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    assert.equal((await stream.result()).message.stopReason, "aborted");
    finish();
    await stage.pool.close();
    assert.equal(Object((await stage.read()).profiles["p:me"]).access, "new");
    assert.deepEqual(stage.sent, []);
  });
});
