/** The rules of auth profiles as tables, straight from spec 4.2. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Credential, UsageStats } from "../../contracts/auth.ts";
import type { ModelFailure, ModelFailureReason } from "../../contracts/model.ts";
import { billingDisableMs, cooldownMs } from "./cooldown.ts";
import { buildCoolingFailure } from "./failures.ts";
import { markFailure, markSuccess } from "./marks.ts";
import { orderProfiles } from "./order-profiles.ts";
import { pickMostTelling } from "./pick-most-telling.ts";
import { listProfiles, statsOf } from "./profile.ts";

const now = Date.UTC(2026, 0, 1);
const minute = 60_000;
const hour = 60 * minute;

describe("cooldown", () => {
  for (const [count, minutes] of [
    [1, 1],
    [2, 5],
    [3, 25],
    [4, 60],
    [5, 60],
    [40, 60],
  ] as const)
    test(`failure ${count} rests ${minutes} min`, () => assert.equal(cooldownMs(count), minutes * minute));
  for (const [count, hours] of [
    [1, 5],
    [2, 10],
    [3, 20],
    [4, 24],
    [50, 24],
  ] as const)
    test(`billing failure ${count} disables for ${hours} h`, () => assert.equal(billingDisableMs(count), hours * hour));
});

describe("marks of a failure", () => {
  const fail = (reason: ModelFailureReason, stats: UsageStats = {}, retryAfterMs?: number) =>
    markFailure(stats, {
      failure: { reason, ...(retryAfterMs !== undefined && { retryAfterMs }) },
      model: "m",
      nowMs: now,
    });

  for (const reason of ["format", "context_overflow", "aborted", "unknown", "timeout", "overloaded"] as const)
    test(`${reason} leaves none`, () => {
      const stats = { lastUsed: 5 };
      assert.equal(fail(reason, stats), stats);
    });
  test("rate_limit cools the model only", () =>
    assert.deepEqual(fail("rate_limit", { lastUsed: 5 }), {
      lastUsed: 5,
      failureCounts: { rate_limit: 1 },
      models: { m: { errorCount: 1, cooldownUntil: now + minute } },
    }));
  test("overloaded cools the model when the provider names a time", () =>
    assert.deepEqual(fail("overloaded", {}, 30_000).models, { m: { errorCount: 1, cooldownUntil: now + 30_000 } }));
  test("auth disables the profile, by the formula", () =>
    assert.deepEqual(fail("auth", { errorCount: 1 }), {
      errorCount: 2,
      disabledUntil: now + 5 * minute,
      disabledReason: "auth",
      failureCounts: { auth: 1 },
    }));
  test("billing disables the profile for hours, doubling", () => {
    const first = fail("billing");
    assert.equal(first.disabledUntil, now + 5 * hour);
    const second = markFailure(first, { failure: { reason: "billing" }, model: "m", nowMs: now + 6 * hour });
    assert.equal(second.disabledUntil, now + 16 * hour);
    assert.equal(second.disabledReason, "billing");
  });
  test("without a model the whole profile cools", () =>
    assert.deepEqual(markFailure({}, { failure: { reason: "rate_limit" }, nowMs: now }), {
      failureCounts: { rate_limit: 1 },
      errorCount: 1,
      cooldownUntil: now + minute,
    }));
  test("without a model a timeout counts too: it was the login's server that could not be reached", () => {
    const first = markFailure({ lastUsed: 5 }, { failure: { reason: "timeout" }, nowMs: now });
    const expected = { lastUsed: 5, failureCounts: { timeout: 1 }, errorCount: 1, cooldownUntil: now + minute };
    assert.deepEqual(first, expected);
    const second = markFailure(first, { failure: { reason: "timeout" }, nowMs: now + minute });
    assert.equal(second.cooldownUntil, now + 6 * minute);
  });
  test("the next failure rests longer, after the first rest is over", () => {
    const again = fail("rate_limit", { models: { m: { errorCount: 2, cooldownUntil: now - 1 } } });
    assert.deepEqual(again.models, { m: { errorCount: 3, cooldownUntil: now + 25 * minute } });
  });
  test("calls that failed together count once", () => {
    const twice = fail("rate_limit", fail("rate_limit"));
    assert.deepEqual(twice.models, { m: { errorCount: 1, cooldownUntil: now + minute } });
    assert.deepEqual(twice.failureCounts, { rate_limit: 2 });
    assert.equal(fail("billing", fail("billing")).disabledUntil, now + 5 * hour);
  });
  test("the provider's own time wins over the formula, shorter or longer", () => {
    assert.equal(fail("rate_limit", {}, 9000).models?.["m"]?.cooldownUntil, now + 9000);
    assert.equal(fail("rate_limit", {}, 3 * hour).models?.["m"]?.cooldownUntil, now + 3 * hour);
    assert.equal(fail("billing", {}, hour).disabledUntil, now + hour);
    assert.equal(fail("rate_limit", fail("rate_limit"), 2 * hour).models?.["m"]?.cooldownUntil, now + 2 * hour);
    assert.equal(fail("rate_limit", {}, 1e15).models?.["m"]?.cooldownUntil, now + 7 * 24 * hour, "within reason");
  });
  test("other models and what is unknown stay", () => {
    const stats = { models: { other: { errorCount: 3 } }, later: "field" };
    const marked = fail("overloaded", stats);
    assert.deepEqual(marked.models?.["other"], { errorCount: 3 });
    assert.equal(Object(marked).later, "field");
  });
});

describe("marks of a success", () => {
  const succeed = (stats: UsageStats, isProbe = false) => markSuccess(stats, { model: "m", nowMs: now, isProbe });
  test("clears the counts of the profile and of the model", () =>
    assert.deepEqual(
      succeed({
        lastUsed: 1,
        errorCount: 2,
        disabledUntil: now - 1,
        disabledReason: "auth",
        failureCounts: { auth: 2 },
        models: { m: { errorCount: 1, cooldownUntil: now - 1 }, other: { errorCount: 4, cooldownUntil: now + 1 } },
      }),
      { lastUsed: 1, models: { other: { errorCount: 4, cooldownUntil: now + 1 } } },
    ));
  test("changes nothing where there is nothing to clear", () => {
    const stats = { lastUsed: 1, models: { other: { errorCount: 1 } } };
    assert.equal(succeed(stats), stats);
  });
  test("keeps a rest that another call has begun meanwhile", () => {
    const stats = { failureCounts: { rate_limit: 1 }, models: { m: { errorCount: 1, cooldownUntil: now + minute } } };
    assert.deepEqual(succeed(stats).models, stats.models);
    const disabled: UsageStats = { disabledUntil: now + hour, disabledReason: "billing" };
    assert.equal(succeed(disabled), disabled);
  });
  test("of a probe clears that too", () => {
    assert.deepEqual(succeed({ disabledUntil: now + hour, disabledReason: "billing" }, true), {});
    assert.deepEqual(succeed({ models: { m: { errorCount: 1, cooldownUntil: now + hour } } }, true), {});
  });
});

describe("order", () => {
  const key = (id: string): Credential => ({ type: "api_key", provider: "p", key: id });
  interface Row {
    name: string;
    profiles?: Record<string, Credential>;
    stats?: Record<string, UsageStats>;
    order?: string[];
    preferred?: string;
    expected: string[];
  }
  const abc = { "p:a": key("a"), "p:b": key("b"), "p:c": key("c") };
  const cooling = (ms: number): UsageStats => ({ models: { m: { cooldownUntil: now + ms } } });
  const rows: Row[] = [
    { name: "all of the provider, as written", expected: ["p:a", "p:b", "p:c"] },
    {
      name: "none of another provider",
      profiles: { ...abc, "q:a": { ...key("x"), provider: "q" } },
      expected: ["p:a", "p:b", "p:c"],
    },
    {
      name: "the oldest use first",
      stats: { "p:a": { lastUsed: 30 }, "p:b": { lastUsed: 10 }, "p:c": { lastUsed: 20 } },
      expected: ["p:b", "p:c", "p:a"],
    },
    { name: "never used before used", stats: { "p:a": { lastUsed: 1 } }, expected: ["p:b", "p:c", "p:a"] },
    { name: "an order picks and decides between equals", order: ["p:c", "p:a"], expected: ["p:c", "p:a"] },
    {
      name: "an order goes round too",
      order: ["p:c", "p:a"],
      stats: { "p:c": { lastUsed: 9 } },
      expected: ["p:a", "p:c"],
    },
    { name: "names in the order that are not there", order: ["p:x", "p:b", "p:b"], expected: ["p:b"] },
    { name: "an empty order leaves none", order: [], expected: [] },
    {
      name: "those that cool down last, soonest first",
      stats: { "p:a": cooling(9000), "p:b": cooling(5000) },
      expected: ["p:c", "p:b", "p:a"],
    },
    {
      name: "a disabled one cools down too",
      stats: { "p:a": { disabledUntil: now + 1 }, "p:b": { cooldownUntil: now + 2 } },
      expected: ["p:c", "p:a", "p:b"],
    },
    {
      name: "another model's rest does not matter",
      stats: { "p:a": { models: { other: { cooldownUntil: now + hour } } } },
      expected: ["p:a", "p:b", "p:c"],
    },
    { name: "a rest that is over does not matter", stats: { "p:a": cooling(0) }, expected: ["p:a", "p:b", "p:c"] },
    {
      name: "the preferred one in front",
      preferred: "p:c",
      stats: { "p:c": { lastUsed: 99 } },
      expected: ["p:c", "p:a", "p:b"],
    },
    {
      name: "not a preferred one that cools down",
      preferred: "p:c",
      stats: { "p:c": cooling(1) },
      expected: ["p:a", "p:b", "p:c"],
    },
    { name: "nor one that is not in line", preferred: "p:c", order: ["p:a", "p:b"], expected: ["p:a", "p:b"] },
    {
      name: "an expired token is not valid, one that holds is",
      profiles: {
        "p:a": { type: "token", provider: "p", token: "t", expires: now },
        "p:b": { type: "token", provider: "p", token: "t", expires: now + 1 },
        "p:c": { type: "token", provider: "p", token: "t" },
      },
      expected: ["p:b", "p:c"],
    },
    {
      name: "an expired login is valid when it can be renewed",
      profiles: {
        "p:a": { type: "oauth", provider: "p", access: "x", expires: now },
        "p:b": { type: "oauth", provider: "p", access: "x", refresh: "r", expires: now },
      },
      expected: ["p:b"],
    },
  ];
  for (const { name, profiles = abc, stats = {}, expected, ...input } of rows) {
    test(name, () => {
      const data = { profiles, usageStats: stats };
      const candidates = listProfiles(data, "p", []).map((profile) => ({ profile, stats: statsOf(data, profile) }));
      const ordered = orderProfiles({ candidates, model: "m", nowMs: now, ...input });
      assert.deepEqual(
        ordered.map(({ id }) => id),
        expected,
      );
    });
  }

  const implicit = [
    { from: "config", credential: { type: "api_key", secret: "c" } },
    { from: "environment", credential: { type: "api_key", secret: "e" } },
  ] as const;
  const orderWith = (stats: Record<string, UsageStats>, order?: string[]) => {
    const data = { profiles: abc, usageStats: stats };
    const candidates = listProfiles(data, "p", implicit).map((profile) => ({ profile, stats: statsOf(data, profile) }));
    return orderProfiles({ candidates, model: "m", nowMs: now, order }).map(({ id }) => id);
  };
  test("keys of the config and the environment come after those of the file, however long unused", () => {
    const used = { "p:a": { lastUsed: 1 }, "p:b": { lastUsed: 2 }, "p:c": { lastUsed: 3 } };
    assert.deepEqual(orderWith(used), ["p:a", "p:b", "p:c", "p:config", "p:env"]);
  });
  test("unless they are put in line by name", () =>
    assert.deepEqual(orderWith({ "p:a": { lastUsed: 1 } }, ["p:env", "p:a"]), ["p:env", "p:a"]));
});

test("figures about a key that stood there before are none", () => {
  const profile = listProfiles(
    { profiles: { "p:a": { type: "api_key", provider: "p", key: "new" } }, usageStats: {} },
    "p",
    [],
  )[0];
  assert.ok(profile);
  const old = { profiles: {}, usageStats: { "p:a": { keyMark: "of-another-key", disabledUntil: now + hour } } };
  assert.deepEqual(statsOf(old, profile), {});
});

test("the most telling failure passes by itself, and soonest", () => {
  const of = (reason: ModelFailureReason, retryAfterMs?: number): ModelFailure => ({
    reason,
    rule: "rotate",
    detail: "",
    message: "",
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  assert.equal(pickMostTelling([]), undefined);
  assert.equal(pickMostTelling([of("auth"), of("billing")])?.reason, "billing");
  assert.equal(pickMostTelling([of("auth"), of("rate_limit", 9), of("billing")])?.reason, "rate_limit");
  assert.equal(pickMostTelling([of("rate_limit"), of("rate_limit", 9), of("rate_limit", 5)])?.retryAfterMs, 5);
});

test("resting keys are told with the time that is left", () => {
  const says = (ms: number) => {
    const profile = { id: "p:a", provider: "p", from: "auth.json", readyAt: now + ms } as const;
    const failure = buildCoolingFailure(
      "p/m",
      [{ ...profile, credential: { type: "api_key", provider: "p", key: "k" } }],
      now,
    );
    assert.equal(failure.retryAfterMs, ms);
    return failure.message;
  };
  assert.match(says(9000), /in 9 seconds/);
  assert.match(says(10 * minute), /in 10 minutes/);
  assert.match(says(5 * hour), /in about 5 hours/);
});
