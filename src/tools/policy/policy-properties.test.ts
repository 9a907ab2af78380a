/** What holds for every policy, tried on many from a seed: layers only take away, and nobody gains by an order or a cache. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { allTools, buildInput, buildPolicyConfig, type Situation } from "../../../test/fakes/policy-case.ts";
import { createRandom, type Random } from "../../../test/fakes/random-history.ts";
import {
  buildRandomPolicy,
  buildRandomSituation,
  listRules,
  pickEntry,
  pickOne,
  type RawPolicy,
  type RawRules,
} from "../../../test/fakes/random-policy.ts";
import { buildRules } from "./build-rules.ts";
import { createPolicy } from "./create-policy.ts";
import { decideTools } from "./decide-tools.ts";
import { policyLayers } from "./layers.ts";

const toConfig = ({ tools, agents }: RawPolicy) => buildPolicyConfig(tools, agents);
const decide = (policy: RawPolicy, at: Situation) =>
  decideTools(allTools, buildInput(at), buildRules(toConfig(policy)));
const allowed = (policy: RawPolicy, at: Situation) =>
  new Set(decide(policy, at).flatMap(({ name, allowed }) => (allowed ? [name] : [])));

/** A session of somebody, without what is around it. */
function pickIdentity(random: Random): NonNullable<Situation["principal"]> {
  const {
    model: _model,
    isAdmin: _isAdmin,
    confined: _confined,
    missing: _missing,
    ...identity
  } = buildRandomSituation(random);
  return identity;
}

/** How many of the tries said anything: a property that never has a case proves nothing. */
function tryMany(tries: number, attempt: (random: Random, seed: number) => boolean): void {
  let told = 0;
  for (let seed = 1; seed <= tries; seed++) if (attempt(createRandom(seed), seed)) told++;
  assert.ok(told > tries / 20, `only ${told} of ${tries} tries said anything`);
}

function assertNotWider(before: Set<string>, after: Set<string>, seed: number): void {
  assert.deepEqual(
    [...after].filter((name) => !before.has(name)),
    [],
    `seed ${seed}`,
  );
}

test("a tool is there only if none of the nine layers removes it, and the first that does is named", () => {
  tryMany(300, (random, seed) => {
    const [policy, at] = [buildRandomPolicy(random), buildRandomSituation(random)];
    const made = createPolicy(toConfig(policy));
    const decisions = made.decide(allTools, buildInput(at));
    const explained = made.explain(allTools, buildInput(at));
    for (const [n, tool] of allTools.entries()) {
      const verdicts = explained[n] ?? [];
      assert.equal(verdicts.length, 9);
      const first = verdicts.find(({ rule }) => rule !== undefined);
      assert.equal(decisions[n]?.allowed, first === undefined, `seed ${seed} ${tool.name}`);
      assert.equal(decisions[n]?.removedBy?.layer, first?.layer);
      assert.equal(decisions[n]?.removedBy?.rule, first?.rule);
      const removed = verdicts.findIndex(({ verdict }) => verdict === "removed");
      assert.ok(removed === -1 || verdicts.slice(removed + 1).every(({ verdict }) => verdict === "not asked"));
    }
    return decisions.some((each) => each.allowed) && decisions.some((each) => !each.allowed);
  });
});

test("every tool that is removed says by which layer and rule", () => {
  const layers = policyLayers.map(({ name }) => name);
  tryMany(300, (random, seed) => {
    const removed = decide(buildRandomPolicy(random), buildRandomSituation(random)).filter((each) => !each.allowed);
    for (const { removedBy } of removed) {
      assert.ok(removedBy && layers.includes(removedBy.layer) && removedBy.rule.length > 5, `seed ${seed}`);
    }
    return removed.length > 0;
  });
});

test("a rule added in any layer takes away or changes nothing", () => {
  tryMany(600, (random, seed) => {
    const [policy, at] = [buildRandomPolicy(random), buildRandomSituation(random)];
    const added: RawRules = { allow: [pickEntry(random), pickEntry(random), "group:fs"], deny: [pickEntry(random)] };
    const places = {
      byProvider: "*",
      byModel: "*/*",
      bySession: "main",
      byChannel: at.adapter ?? "",
      bySender: `${at.adapter}:${at.sender}`,
    } as const;
    const kind = pickOne(random, ["byProvider", "byModel", "bySession", "byChannel", "bySender"] as const);
    const there: Record<string, RawRules> = policy.tools[kind] ?? {};
    if (Object.hasOwn(there, places[kind])) return false;
    const before = allowed(policy, at);
    there[places[kind]] = added;
    const after = allowed(policy, at);
    assertNotWider(before, after, seed);
    policy.agents = { ...policy.agents, other: added };
    if (at.agentId === "other") assertNotWider(after, allowed(policy, at), seed);
    return after.size < before.size;
  });
});

test("taking an entry out of any allow never widens, not even the last one", () => {
  tryMany(600, (random, seed) => {
    const [policy, at] = [buildRandomPolicy(random), buildRandomSituation(random)];
    const before = allowed(policy, at);
    const lists = listRules(policy).flatMap(({ allow }) => (allow && allow.length > 0 ? [allow] : []));
    if (lists.length === 0) return false;
    const list = pickOne(random, lists);
    const gone = pickOne(random, list);
    list.splice(list.indexOf(gone), 1);
    const after = allowed(policy, at);
    assertNotWider(before, after, seed);
    list.length = 0;
    assertNotWider(after, allowed(policy, at), seed);
    return after.size > 0;
  });
});

test("a deny added anywhere never widens, and removes what it means where it holds", () => {
  tryMany(600, (random, seed) => {
    const [policy, at] = [buildRandomPolicy(random), buildRandomSituation(random)];
    const before = allowed(policy, at);
    const rules = pickOne(random, listRules(policy));
    rules.deny = [...(rules.deny ?? []), pickEntry(random)];
    const after = allowed(policy, at);
    assertNotWider(before, after, seed);
    policy.tools.deny = ["*"];
    assert.equal(allowed(policy, at).size, 0);
    return after.size < before.size;
  });
});

test("deny beats allow in every layer", () => {
  const both: RawRules = { allow: ["*", "read", "group:fs"], deny: ["read"] };
  const places: [layer: string, at: Situation, policy: RawPolicy][] = [
    ["provider", {}, { tools: { byProvider: { lab: both } }, agents: {} }],
    ["model", {}, { tools: { byModel: { "lab/m1": both } }, agents: {} }],
    ["global", {}, { tools: both, agents: {} }],
    ["agent", {}, { tools: {}, agents: { main: both } }],
    ["agent", {}, { tools: {}, agents: { main: { byProvider: { lab: both } } } }],
    ["group/channel/sender", { type: "group" }, { tools: { bySession: { group: both } }, agents: {} }],
    ["group/channel/sender", {}, { tools: { byChannel: { work: both } }, agents: {} }],
    ["group/channel/sender", {}, { tools: { bySender: { "work:U1": both } }, agents: {} }],
    ["sandbox", { confined: "bwrap" }, { tools: { sandbox: both }, agents: {} }],
    ["subagent", { type: "subagent" }, { tools: { bySession: { subagent: both } }, agents: {} }],
  ];
  for (const [layer, at, policy] of places) {
    const verdicts = new Map(decide(policy, at).map((each) => [each.name, each.removedBy?.layer]));
    assert.deepEqual([verdicts.get("read"), verdicts.get("ls")], [layer, undefined], layer);
  }
});

test("the order of entries in a list makes no difference", () => {
  tryMany(300, (random, seed) => {
    const [policy, at] = [buildRandomPolicy(random), buildRandomSituation(random)];
    const before = decide(policy, at);
    const lists = listRules(policy).flatMap(({ allow = [], deny = [] }) => [allow, deny]);
    for (const list of lists) {
      for (let n = list.length - 1; n > 0; n--) {
        const other = random.between(0, n);
        [list[n], list[other]] = [list[other] ?? "", list[n] ?? ""];
      }
    }
    assert.deepEqual(decide(policy, at), before, `seed ${seed}`);
    return lists.some((list) => list.length > 1);
  });
});

test("an errand has nothing that the session it works for has not, nor what its own kind of session has not", () => {
  tryMany(600, (random, seed) => {
    const policy = buildRandomPolicy(random);
    const [at, principal] = [buildRandomSituation(random), pickIdentity(random)];
    const errand: Situation = { ...at, principal };
    const got = allowed(policy, errand);
    const alone = allowed(policy, at);
    const theirs = allowed(policy, { ...at, ...principal });
    assert.deepEqual([...got].sort(), [...alone].filter((name) => theirs.has(name)).sort(), `seed ${seed}`);
    return got.size > 0 && got.size < alone.size;
  });
});

test("the tools that an errand is given only ever take away", () => {
  tryMany(300, (random, seed) => {
    const [policy, at] = [buildRandomPolicy(random), buildRandomSituation(random)];
    const only = [pickEntry(random), pickEntry(random), "read"];
    const before = allowed(policy, at);
    const after = allowed(policy, { ...at, only });
    assertNotWider(before, after, seed);
    assert.equal(allowed(policy, { ...at, only: [] }).size, 0);
    return after.size > 0 && after.size < before.size;
  });
});

test("what is remembered is what would be decided anew, however many turns come between", () => {
  tryMany(20, (random, seed) => {
    const policy = createPolicy(toConfig(buildRandomPolicy(random)));
    const rules = buildRules(toConfig(buildRandomPolicy(createRandom(seed))));
    for (let turn = 0; turn < 400; turn++) {
      const input = buildInput({
        ...buildRandomSituation(random),
        channelId: `C${random.between(1, 40)}`,
        ...(random.chance(0.3) && { principal: pickIdentity(random) }),
        ...(random.chance(0.2) && { only: [pickEntry(random), "group:fs"] }),
      });
      const tools = random.chance(0.2) ? allTools.slice(random.between(0, 9)) : allTools;
      assert.deepEqual(policy.decide(tools, input), decideTools(tools, input, rules), `seed ${seed}`);
    }
    return true;
  });
});

test("whoever gets decisions cannot change those of the next turn", () => {
  const policy = createPolicy(buildPolicyConfig({ deny: ["bash"] }));
  const first = policy.decide(allTools, buildInput());
  assert.throws(() => Object.assign(first[0] ?? {}, { allowed: false }), TypeError);
  first.length = 0;
  assert.equal(policy.decide(allTools, buildInput()).length, allTools.length);
});
