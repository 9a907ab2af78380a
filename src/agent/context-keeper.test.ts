import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import type { EntryId, SessionKey } from "../contracts/ids.ts";
import type { ModelInfo, ModelMessage } from "../contracts/model.ts";
import type { TranscriptEntry } from "../contracts/transcript.ts";
import type { NewStep } from "../contracts/turn.ts";
import type { OneAnswer } from "./ask-once.ts";
import { createTokenEstimator } from "./compaction/token-estimate.ts";
import { createContextLoader } from "./context/load-context.ts";
import { createContextKeeper } from "./context-keeper.ts";

const model: ModelInfo = {
  ref: "lab/m",
  provider: "lab",
  id: "m",
  contextWindow: 10_000,
  maxOutputTokens: 1000,
  input: ["text"],
  reasoning: false,
  price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

/** A transcript in memory: what is recorded is what is read. */
function setUp(texts: readonly string[], answer: () => OneAnswer, parts: { contextWindow?: number } = {}) {
  const entries: TranscriptEntry[] = [];
  const add = (entry: Omit<TranscriptEntry, "parentId">) =>
    void entries.push({ ...entry, parentId: entries.at(-1)?.id ?? null } as TranscriptEntry);
  const say = (message: ModelMessage) =>
    add({ type: "message", id: `e${entries.length}` as EntryId, timestamp: "", message } as TranscriptEntry);
  for (const text of texts) {
    say({ role: "user", content: text, timestamp: 1 });
    say({
      role: "assistant",
      content: [{ type: "text", text: "ok" }],
      api: "x",
      provider: "lab",
      model: "m",
      usage: {
        input: 0,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 0,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
      stopReason: "stop",
      timestamp: 1,
    });
  }
  say({ role: "user", content: "and now?", timestamp: 1 });
  const steps: NewStep[] = [];
  const learnedWindows = new Map<string, number>();
  const keeper = createContextKeeper({
    contexts: createContextLoader({ transcripts: { context: async () => ({ entries, cut: false }) } }),
    clock: createFakeClock(),
    estimate: createTokenEstimator(),
    sessionKey: "agent:main:main" as SessionKey,
    model: { ...model, contextWindow: parts.contextWindow ?? model.contextWindow },
    fixedTokens: 1000,
    record: async (step) => {
      steps.push(step);
      for (const entry of step.entries) add(entry);
    },
    ask: async () => answer(),
    takeUsage: () => [],
    onEvent: async () => undefined,
    signal: new AbortController().signal,
    learnedWindows,
    putOff: new Set(),
  });
  return { keeper, steps, learnedWindows };
}

const ok = (): OneAnswer => ({ type: "ok", text: "What mattered." });
const failed = (): OneAnswer => ({ type: "failed", reason: "rate limited" });
/** Some 500 tokens. */
const long = "word ".repeat(400);
const many = (count: number) => Array.from({ length: count }, () => long);

test("what fits is sent as it is, and nothing is recorded", async () => {
  const { keeper, steps } = setUp(many(3), ok);
  assert.equal((await keeper.prepare()).length, 7);
  assert.deepEqual(steps, []);
});

test("before the window is full, what is old becomes a summary", async () => {
  const { keeper, steps } = setUp(many(15), ok);
  const messages = await keeper.prepare();
  assert.match(JSON.stringify(messages[0]), /What mattered/);
  assert.ok(messages.length < 31);
  assert.deepEqual(
    steps.map(({ body }) => body.type),
    ["compaction"],
  );
});

test("a summary that fails for now is put off as long as everything fits, and made mechanically when it does not", async () => {
  const near = setUp(many(14), failed);
  assert.equal((await near.keeper.prepare()).length, 29);
  assert.deepEqual(near.steps, []);
  assert.ok((await near.keeper.prepare()).length < 29, "but only once");
  const over = setUp(many(25), failed);
  assert.ok((await over.keeper.prepare()).length < 51);
  assert.equal(over.steps[0]?.entries[0]?.type, "compaction");
});

test("hundreds of short messages are shortened once, at the start of a turn", async () => {
  const { keeper } = setUp(
    Array.from({ length: 250 }, (_, n) => `message ${n}`),
    ok,
    { contextWindow: 200_000 },
  );
  const messages = await keeper.prepare();
  assert.ok(messages.length < 400, `${messages.length}`);
});

test("a refusal far below the window teaches nothing about it, one near it does", async () => {
  const far = setUp(many(4), ok, { contextWindow: 200_000 });
  assert.equal(await far.keeper.shrink(), true);
  assert.equal(far.learnedWindows.size, 0);
  const near = setUp(many(12), ok);
  await near.keeper.shrink();
  const learnt = near.learnedWindows.get("lab/m") ?? 0;
  assert.ok(learnt > 5000 && learnt < 10_000, `${learnt}`);
});

test("shrinking ends: when nothing can be gained it says so", async () => {
  const { keeper } = setUp([], ok);
  assert.equal(await keeper.shrink(), false);
});

test("on request it is shortened whatever its size", async () => {
  const { keeper } = setUp(many(6), ok, { contextWindow: 1_000_000 });
  const result = await keeper.compact("keep names");
  assert.equal(result.type, "compacted");
});
