/** The gate against names: what policy removed does not run, whoever writes its name in whatever way. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { silentLog } from "../../test/fakes/log.ts";
import { allTools, buildInput, buildPolicyConfig } from "../../test/fakes/policy-case.ts";
import { createRandom, type Random } from "../../test/fakes/random-history.ts";
import { buildRandomPolicy, buildRandomSituation, pickOne } from "../../test/fakes/random-policy.ts";
import { createKeyedQueue } from "../base/keyed-queue.ts";
import type { ToolCall } from "../contracts/model.ts";
import type { Tool, ToolDecision } from "../contracts/tool.ts";
import { createDeclareTool } from "./declare-tool.ts";
import { createPolicy } from "./policy/create-policy.ts";
import { createToolSet } from "./tool-set.ts";

const lookAlikes: Record<string, string> = { a: "а", e: "е", o: "о", s: "ѕ", i: "і", p: "р" };
const spaces = [" ", "\t", "\n", "\u00a0", "\u200b", "\ufeff", "\0"];
const aliases: Record<string, string[]> = {
  bash: ["exec", "EXEC", " Exec"],
  web_fetch: ["web-fetch", "Web-Fetch"],
  web_search: ["web-search"],
  apply_patch: ["apply-patch"],
};
const foreign: unknown[] = [
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "then", ""],
  ...["*", "group:fs", "group:mom", undefined, null, 0, {}, [], ["bash"], { toString: () => "bash" }],
];

function spell(random: Random, name: string): unknown {
  const ways: (() => unknown)[] = [
    () => name,
    () => name.toUpperCase(),
    () => [...name].map((letter) => (random.chance(0.5) ? letter.toUpperCase() : letter)).join(""),
    () => pickOne(random, spaces) + name + pickOne(random, spaces),
    () => [...name].map((letter) => lookAlikes[letter] ?? letter).join(""),
    () => name.split("").join(pickOne(random, spaces)),
    () => pickOne(random, aliases[name] ?? [name]),
    () => name.replaceAll("_", "-"),
    () => `${name}*`,
    () => name.normalize("NFKD"),
    () => `functions.${name}`,
    () => foreign[random.between(0, foreign.length - 1)],
    () => [name],
  ];
  return pickOne(random, ways)();
}

function open(decisions: ToolDecision[]) {
  const ran: string[] = [];
  const tools = allTools.map(
    ({ name }): Tool => ({
      name,
      label: name,
      description: "",
      parameters: Type.Object({}),
      effect: "external",
      describe: () => name,
      async execute() {
        ran.push(name);
        return { content: [], details: undefined };
      },
    }),
  );
  const set = createToolSet({
    declare: createDeclareTool(),
    tools,
    groups: allTools,
    decisions,
    queue: createKeyedQueue(),
    listOrders: async () => [],
    pass: async () => ({ type: "pass" }),
    mayHaveRun: async () => true,
    noteOutside: async () => undefined,
    hostTools: [],
    log: silentLog,
  });
  return { set, ran };
}

test("a tool that policy removed never runs, however its name is written", async () => {
  let [allowedRuns, refusals] = [0, 0];
  for (let seed = 1; seed <= 60; seed++) {
    const random = createRandom(seed);
    const { tools, agents } = buildRandomPolicy(random);
    const policy = createPolicy(buildPolicyConfig(tools, agents));
    const decisions = policy.decide(allTools, buildInput(buildRandomSituation(random)));
    const { set, ran } = open(decisions);
    const allowed = new Set(decisions.flatMap(({ name, allowed }) => (allowed ? [name] : [])));
    for (let n = 0; n < 100; n++) {
      // A caller outside the type system: a model, a hook, a request over HTTP.
      const name = spell(random, pickOne(random, allTools).name) as string;
      const call: ToolCall = { type: "toolCall", id: `c${n}`, name, arguments: {} };
      const outcome = await set.run(call, new AbortController().signal, () => undefined);
      if (outcome.isError) refusals++;
      else allowedRuns++;
    }
    assert.deepEqual(
      [...new Set(ran)].filter((name) => !allowed.has(name)),
      [],
      `seed ${seed}`,
    );
    assert.deepEqual(
      set.declarations.map(({ name }) => name),
      [...allowed],
    );
  }
  assert.ok(allowedRuns > 100 && refusals > 1000, `${allowedRuns} ran, ${refusals} were refused`);
});

test("without a decision nothing runs, and a decision about something else opens nothing", async () => {
  for (const decisions of [[], [{ name: "Bash", allowed: true }], [{ name: "exec", allowed: true }]]) {
    const { set, ran } = open(decisions);
    for (const name of ["bash", "exec", "BASH", "Bash"]) {
      const outcome = await set.run(
        { type: "toolCall", id: "c", name, arguments: {} },
        new AbortController().signal,
        () => undefined,
      );
      assert.equal(outcome.isError, true, name);
    }
    assert.deepEqual(ran, []);
  }
});
