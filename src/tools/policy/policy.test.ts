/** The nine policy layers by example: who may use what, by which rule, and names that cannot be taken. */
import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import {
  allTools,
  buildInput,
  buildPolicyConfig,
  otherTools,
  ownTools,
  type Situation,
} from "../../../test/fakes/policy-case.ts";
import { nativeTools } from "../registry.ts";
import { createPolicy } from "./create-policy.ts";
import { policyLayers } from "./layers.ts";
import { nativeNames } from "./native-names.ts";
import { findUnknownNames, isMeant, normaliseToolName, type PolicyTool } from "./tool-names.ts";

type Agents = Record<string, object>;
const decide = (config: object, at?: Situation, agents?: Agents, tools = allTools) =>
  createPolicy(buildPolicyConfig(config, agents)).decide(tools, buildInput(at));
const allowed = (config: object, at?: Situation, tools?: readonly PolicyTool[]) =>
  decide(config, at, {}, tools)
    .filter((decision) => decision.allowed)
    .map((decision) => decision.name)
    .join(" ");

const dm: Situation = { type: "dm", isAdmin: false };
const group: Situation = { type: "group", isAdmin: false };
const topic: Situation = { type: "topic", isAdmin: false };
const subagent: Situation = { type: "subagent" };
const cron: Situation = { type: "cron" };
const boxed: Situation = { confined: "bwrap" };
const unboxed: Situation = { confined: "bwrap", missing: "no user namespaces" };

/** What each tool comes to: `yes`, or the layer that removes it. */
const table: [config: object, at: Situation, expected: string, agents?: Agents][] = [
  // 1 profile
  [{}, {}, "read=yes bash=yes cron=yes gateway=yes weather=yes getStock=yes mcp-files=yes"],
  [{ profile: "full" }, {}, "read=yes tts=yes nodes=yes weather=yes"],
  [{ profile: "minimal" }, {}, "session_status=yes read=profile sessions_list=profile weather=profile"],
  [{ profile: "coding" }, {}, "write=yes process=yes agents_list=yes memory_get=yes image=yes"],
  [{ profile: "coding" }, {}, "tts=profile web_fetch=profile cron=profile message=profile weather=profile"],
  [{ profile: "coding" }, {}, "getStock=profile"],
  [{ profile: "messaging" }, {}, "message=yes attach=yes sessions_list=yes sessions_history=yes sessions_send=yes"],
  [{ profile: "messaging" }, {}, "session_status=yes sessions_spawn=profile agents_list=profile read=profile"],
  [{ profile: "messaging", allow: ["bash"] }, {}, "bash=profile message=global"],
  // 2 provider
  [{ byProvider: { lab: { deny: ["bash"] } } }, {}, "bash=provider read=yes"],
  [{ byProvider: { lab: { deny: ["bash"] } } }, { model: "other/m1" }, "bash=yes"],
  [{ byProvider: { LAB: { deny: ["bash"] } } }, {}, "bash=provider"],
  [{ byProvider: { lab: { profile: "messaging" } } }, {}, "bash=provider message=yes"],
  [{ byProvider: { lab: { allow: ["group:fs"] } } }, {}, "read=yes bash=provider weather=provider"],
  [{ byProvider: { "la*": { deny: ["read"] }, lab: { deny: ["ls"] } } }, {}, "read=provider ls=provider find=yes"],
  [{ profile: "full", byProvider: { lab: { profile: "full", allow: ["*"] } } }, {}, "bash=yes nodes=yes"],
  // 3 model
  [{ byModel: { "lab/m1": { deny: ["bash"] } } }, {}, "bash=model read=yes"],
  [{ byModel: { "lab/m1": { deny: ["bash"] } } }, { model: "lab/m10" }, "bash=yes"],
  [{ byModel: { "lab/m*": { deny: ["bash"] } } }, { model: "lab/m10" }, "bash=model"],
  [{ byModel: { m1: { deny: ["bash"] } } }, { model: "elsewhere/m1" }, "bash=model"],
  [{ byModel: { fast: { deny: ["bash"] } } }, { model: "openai/gpt-mini" }, "bash=model"],
  [{ byModel: { "anthropic/*": { profile: "coding" } } }, { model: "router/anthropic/opus" }, "cron=model read=yes"],
  [{ byModel: { "Lab/M1": { allow: ["read"] } } }, {}, "read=yes ls=model"],
  // 4 global
  [{ deny: ["bash"] }, {}, "bash=global process=yes"],
  [{ deny: ["exec"] }, {}, "bash=global"],
  [{ deny: [" EXEC "] }, {}, "bash=global"],
  [{ deny: ["web-fetch", "apply-patch"] }, {}, "web_fetch=global apply_patch=global web_search=yes"],
  [{ deny: ["group:web"] }, {}, "web_fetch=global web_search=global read=yes"],
  [{ deny: ["*"] }, {}, "read=global weather=global"],
  [{ deny: ["sessions_*"] }, {}, "sessions_list=global session_status=yes"],
  [{ deny: ["GETSTOCK"] }, {}, "getStock=global"],
  [
    { deny: ["group:host"] },
    {},
    "weather=global getStock=global slack_react=global mcp-files=global invoke_tool=global",
  ],
  [{ deny: ["group:files"] }, {}, "mcp-files=global read=yes"],
  [{ deny: ["group:mom"] }, {}, "read=global invoke_tool=global weather=yes getStock=yes"],
  [{ allow: ["group:mom"] }, {}, "read=yes weather=global getStock=global slack_react=global mcp-files=global"],
  [{ allow: ["group:fs"] }, {}, "read=yes getStock=global bash=global"],
  [{ allow: ["weather"] }, {}, "weather=yes invoke_tool=global"],
  [{ allow: [] }, {}, "read=global session_status=global"],
  [{ allow: ["bash"], deny: ["bash"] }, {}, "bash=global"],
  [{ allow: ["read", "exec"], deny: ["group:fs"] }, {}, "read=global bash=yes"],
  // 5 agent
  [{}, {}, "bash=agent read=yes", { main: { deny: ["bash"] } }],
  [{}, { agentId: "other" }, "bash=yes", { main: { deny: ["bash"] } }],
  [{}, {}, "read=yes bash=agent", { main: { allow: ["group:fs"] } }],
  [{}, {}, "cron=agent image=yes", { main: { profile: "coding" } }],
  [{}, {}, "bash=agent", { main: { byProvider: { lab: { deny: ["bash"] } } } }],
  [{}, { model: "x/y" }, "bash=yes", { main: { byProvider: { lab: { deny: ["bash"] } } } }],
  [{ deny: ["bash"] }, {}, "bash=global", { main: { allow: ["bash"] } }],
  // 6 group/channel/sender
  [{}, dm, "read=yes grep=yes web_fetch=yes session_status=yes message=yes attach=yes"],
  [{}, dm, "write=group/channel/sender bash=group/channel/sender memory_search=group/channel/sender"],
  [{}, group, "read=yes ls=yes find=yes grep=yes web_search=yes session_status=yes"],
  [{}, group, "message=group/channel/sender attach=group/channel/sender weather=group/channel/sender"],
  [{}, topic, "read=yes edit=group/channel/sender cron=group/channel/sender"],
  [{ allow: ["bash"] }, group, "bash=group/channel/sender read=global"],
  [{ bySession: { group: { allow: ["bash"] } } }, group, "bash=yes read=group/channel/sender"],
  [{ bySession: { group: { allow: ["bash"] } } }, topic, "bash=group/channel/sender read=yes"],
  [{ bySession: { group: { allow: ["*"], deny: ["bash"] } } }, group, "bash=group/channel/sender write=yes"],
  [{ bySession: { group: { deny: ["read"] } } }, group, "read=group/channel/sender ls=yes bash=group/channel/sender"],
  [{ bySession: { group: { allow: ["bash"] } }, deny: ["bash"] }, group, "bash=global"],
  [{ bySession: { main: { deny: ["bash"] } } }, {}, "bash=group/channel/sender read=yes"],
  [{ bySession: { cron: { allow: ["read"] } } }, cron, "read=yes bash=group/channel/sender"],
  [{}, cron, "bash=yes cron=yes gateway=yes"],
  [{}, { isAdmin: false }, "gateway=group/channel/sender cron=yes"],
  [{ bySession: { dm: { allow: ["gateway"] } } }, dm, "gateway=group/channel/sender"],
  [{ byChannel: { work: { deny: ["bash"] } } }, {}, "bash=group/channel/sender"],
  [{ byChannel: { slack: { deny: ["bash"] } } }, {}, "bash=group/channel/sender"],
  [{ byChannel: { "work/C1": { deny: ["bash"] } } }, {}, "bash=group/channel/sender"],
  [{ byChannel: { "work/C1": { deny: ["bash"] } } }, { channelId: "C2" }, "bash=yes"],
  [
    { byChannel: { work: { allow: ["bash", "read"] } } },
    group,
    "bash=group/channel/sender read=yes ls=group/channel/sender",
  ],
  [{ bySender: { "work:U1": { deny: ["bash"] } } }, {}, "bash=group/channel/sender"],
  [{ bySender: { "slack:U1": { allow: ["read"] } } }, {}, "read=yes ls=group/channel/sender"],
  [{ bySender: { "work:U1": { deny: ["bash"] } } }, { sender: "U2" }, "bash=yes"],
  [{ bySender: { "work:u1": { deny: ["bash"] } } }, {}, "bash=yes"],
  // 7 sandbox
  [{ sandbox: { deny: ["browser"] } }, boxed, "browser=sandbox bash=yes"],
  [{ sandbox: { deny: ["browser"] } }, {}, "browser=yes"],
  [{ sandbox: { allow: ["group:fs"] } }, boxed, "read=yes cron=sandbox"],
  [{}, unboxed, "read=sandbox bash=sandbox browser=sandbox image=sandbox attach=sandbox nodes=sandbox"],
  [{}, unboxed, "invoke_tool=sandbox weather=sandbox getStock=sandbox mcp-files=yes"],
  [{}, unboxed, "web_fetch=yes message=yes cron=yes session_status=yes memory_get=yes"],
  [{ sandbox: { allow: ["bash"] } }, unboxed, "bash=sandbox web_fetch=sandbox"],
  // 8 subagent
  [{}, subagent, "sessions_list=subagent sessions_history=subagent sessions_send=subagent sessions_spawn=subagent"],
  [{}, subagent, "gateway=subagent agents_list=subagent session_status=subagent cron=subagent"],
  [{}, subagent, "memory_search=subagent memory_get=subagent read=yes bash=yes weather=yes"],
  [{ bySession: { subagent: { allow: ["*"] } } }, subagent, "cron=subagent bash=yes"],
  [{ bySession: { subagent: { deny: ["bash"] } } }, subagent, "bash=subagent read=yes"],
  [{ bySession: { subagent: { deny: ["bash"] } } }, {}, "bash=yes"],
];

for (const [config, at, expected, agents] of table) {
  const title = [config, at, agents].map((part) => JSON.stringify(part ?? {}).replaceAll('"', "")).join(" ");
  test(`policy ${title}: ${expected}`, () => {
    const verdicts = new Map(decide(config, at, agents).map((each) => [each.name, each.removedBy?.layer ?? "yes"]));
    for (const pair of expected.split(" ")) {
      const [name = "", verdict] = pair.split("=");
      assert.equal(verdicts.get(name), verdict, name);
    }
  });
}

/** Which key of the config did it, or what mom herself holds to. */
const rules: [config: object, at: Situation, tool: string, rule: string | RegExp][] = [
  [{ profile: "coding" }, {}, "cron", 'not in "coding", which is tools.profile'],
  [{ byProvider: { lab: { deny: ["b*"] } } }, {}, "bash", 'denied by "b*" in tools.byProvider.lab.deny'],
  [
    { byProvider: { lab: { profile: "coding" } } },
    {},
    "cron",
    'not in "coding", which is tools.byProvider.lab.profile',
  ],
  [{ byModel: { "lab/m1": { allow: ["read"] } } }, {}, "bash", "not in tools.byModel.lab/m1.allow"],
  [{ byModel: { "lab/m.1": { allow: [] } } }, { model: "lab/m.1" }, "bash", 'not in tools.byModel."lab/m.1".allow'],
  [{ deny: ["group:runtime", "exec", "b*"] }, {}, "bash", 'denied by "exec" in tools.deny'],
  [{ allow: ["read"] }, {}, "bash", "not in tools.allow"],
  [{ bySession: { group: { deny: ["read"] } } }, group, "read", 'denied by "read" in tools.bySession.group.deny'],
  [{}, group, "bash", /^a group session has read, ls, .* only, unless tools\.bySession\.group\.allow says otherwise$/],
  [{ byChannel: { "work/C1": { deny: ["*"] } } }, {}, "bash", 'denied by "*" in tools.byChannel.work/C1.deny'],
  [{ bySender: { "work:U1": { allow: [] } } }, {}, "bash", "not in tools.bySender.work:U1.allow"],
  [{}, { isAdmin: false }, "gateway", "it is for admins only"],
  [{ sandbox: { deny: ["bash"] } }, boxed, "bash", 'denied by "bash" in tools.sandbox.deny'],
  [{}, unboxed, "bash", /the sandbox "bwrap" cannot be had: no user namespaces$/],
  [{}, subagent, "cron", "subagents never have it"],
];
for (const [config, at, tool, rule] of rules) {
  test(`rule ${JSON.stringify(config)} ${JSON.stringify(at)}: ${rule}`, () => {
    const found = decide(config, at).find(({ name }) => name === tool)?.removedBy?.rule ?? "";
    if (typeof rule === "string") assert.equal(found, rule);
    else assert.match(found, rule);
  });
}

test("an agent's rule names the agent", () => {
  const [bash] = decide({}, { agentId: "dev.ops" }, { "dev.ops": { deny: ["bash"] } }, [
    { name: "bash", group: "runtime" },
  ]);
  assert.deepEqual(bash?.removedBy, { layer: "agent", rule: 'denied by "bash" in agents."dev.ops".tools.deny' });
});

describe("the plugins layer", () => {
  const withOther = (name: string, origin: PolicyTool["origin"] = "plugin") =>
    decide({}, {}, {}, [...ownTools, { name, group: "x", origin } as PolicyTool]).at(-1)?.removedBy;

  it("lets nothing take the name of mom's own tools, however it is written", () => {
    for (const name of ["bash", "Bash", " bash ", "exec", "EXEC", "web-fetch", "canvas", "nodes", "gateway"]) {
      assert.deepEqual(withOther(name)?.layer, "plugins", name);
      assert.match(withOther(name)?.rule ?? "", /is the name of one of mom's own tools|more than plain letters/, name);
    }
    const alone = decide({}, {}, {}, [{ name: "bash", group: "x", origin: "mcp" }]);
    assert.equal(alone[0]?.removedBy?.layer, "plugins", "also where the native tool is not there");
    assert.equal(withOther("bash_history"), undefined);
  });

  it("takes no name that could be read as another", () => {
    for (const name of ["bаsh", "ba\u200bsh", "group:fs", "*", "", "a b", "../x"]) {
      assert.equal(withOther(name)?.layer, "plugins", name);
    }
  });

  it("gives a name that two want to the first", () => {
    const tools: PolicyTool[] = [
      { name: "deploy", group: "host", origin: "host" },
      { name: "Deploy", group: "ci", origin: "mcp" },
    ];
    const [first, second] = decide({}, {}, {}, tools);
    assert.equal(first?.allowed, true);
    assert.deepEqual(second?.removedBy, {
      layer: "plugins",
      rule: 'another host tool already has the name "deploy"',
    });
  });
});

describe("tool policy", () => {
  it("has nine layers in the spec's order", () => {
    assert.deepEqual(
      policyLayers.map(({ name }) => name),
      ["profile", "provider", "model", "global", "agent", "group/channel/sender", "sandbox", "subagent", "plugins"],
    );
  });

  it("has exactly the spec's profiles", () => {
    assert.equal(allowed({ profile: "minimal" }), "session_status");
    assert.equal(
      allowed({ profile: "messaging" }),
      "sessions_send sessions_list sessions_history session_status message attach",
    );
    assert.equal(
      allowed({ profile: "coding" }),
      [...nativeNames.fs, ...nativeNames.runtime, ...nativeNames.sessions, ...nativeNames.memory, "image"].join(" "),
    );
    assert.equal(allowed({ profile: "full" }), allTools.map(({ name }) => name).join(" "));
  });

  it("gives people who are not the owner what only looks", () => {
    const look = "read ls find grep session_status web_search web_fetch";
    assert.equal(allowed({}, group), look);
    assert.equal(allowed({}, topic), look);
    assert.equal(allowed({}, dm), `${look} message attach`);
  });

  it("knows every native tool by name and group", () => {
    const known = Object.entries(nativeNames).flatMap(([group, names]) => names.map((name) => `${group} ${name}`));
    for (const { name, group } of nativeTools) assert.ok(known.includes(`${group} ${name}`), `${group} ${name}`);
    for (const names of Object.values(nativeNames)) {
      for (const name of names) assert.equal(normaliseToolName(name), name, "in the one spelling");
    }
  });

  it("explains one tool layer by layer", () => {
    const policy = createPolicy(buildPolicyConfig({ deny: ["bash"], byChannel: { work: { deny: ["exec"] } } }));
    const explained = policy.explain(allTools, buildInput());
    const about = (wanted: string) => explained[allTools.findIndex(({ name }) => name === wanted)] ?? assert.fail();
    const verdicts = about("bash");
    assert.deepEqual(
      verdicts.map(({ verdict }) => verdict),
      ["kept", "kept", "kept", "removed", "not asked", "not asked", "not asked", "not asked", "not asked"],
    );
    assert.equal(verdicts[3]?.rule, 'denied by "bash" in tools.deny');
    assert.equal(verdicts[5]?.rule, 'denied by "exec" in tools.byChannel.work.deny', "what would come next");
    assert.equal(verdicts[4]?.rule, undefined);
    assert.ok(about("weather").every(({ verdict }) => verdict === "kept"));
  });
});

describe("names in policies", () => {
  it("warns of those that mean nothing, with the nearest", () => {
    const known = ["read", "exec", "group:fs", "*", "group:mom", "group:host", "group:nodes", "canvas", "sessions_*"];
    assert.deepEqual(findUnknownNames(known, []), [], "also of what is yet to come");
    assert.deepEqual(findUnknownNames(["weather", "GetStock", "group:slack", "mcp-*"], otherTools), []);
    assert.deepEqual(findUnknownNames(["gerp", "group:fz", "teleport", "shell", "xyz*"], ownTools), [
      '"gerp" means no tool; did you mean "grep"?',
      '"group:fz" means no tool; did you mean "group:fs"?',
      '"teleport" means no tool',
      '"shell" means no tool; did you mean "bash"?',
      '"xyz*" means no tool',
    ]);
  });

  it("matches wildcards literally otherwise", () => {
    assert.equal(normaliseToolName(" Exec "), "bash");
    const tool = { name: "sessions_list", group: "sessions" };
    for (const entry of ["sessions_*", "*_list", "s*_l*t", "*", "**", "group:sessions", "group:mom"])
      assert.equal(isMeant(tool, entry), true, entry);
    for (const entry of ["sessions", "s.*", "*_lis", "list*", "sessions_list*_list", "group:s*", "group:*", ""]) {
      assert.equal(isMeant(tool, entry), false, entry);
    }
  });
});
