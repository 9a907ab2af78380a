/** Work on somebody's behalf, by example: who may have what, by which rule, and that the gate holds to it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../../../test/fakes/log.ts";
import { allTools, buildInput, buildPolicyConfig, type Situation } from "../../../test/fakes/policy-case.ts";
import { createKeyedQueue } from "../../base/keyed-queue.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import type { SessionEntry, SessionType } from "../../contracts/session.ts";
import type { Tool, ToolScope } from "../../contracts/tool.ts";
import { execConfig } from "../approvals/config.ts";
import { createDeclareTool } from "../declare-tool.ts";
import { createToolSet } from "../tool-set.ts";
import { createPolicy } from "./create-policy.ts";
import { toPolicyInput } from "./policy-input.ts";
import { denyByScopeExec, pickScopeExec } from "./principal-exec.ts";

const decide = (config: object, at: Situation) =>
  new Map(
    createPolicy(buildPolicyConfig(config))
      .decide(allTools, buildInput(at))
      .map(({ name, removedBy }) => [name, removedBy && `${removedBy.layer}: ${removedBy.rule}`]),
  );

test("a subagent of the owner works with the owner's tools, but for those that none has", () => {
  const got = decide({}, { type: "subagent", principal: { type: "main" } });
  assert.deepEqual([got.get("bash"), got.get("write"), got.get("web_fetch")], [undefined, undefined, undefined]);
  for (const name of ["sessions_spawn", "sessions_send", "cron", "memory_search", "session_status"]) {
    assert.equal(got.get(name), "subagent: subagents never have it");
  }
});

test("a subagent of a group has no more than the group, and says by which rule", () => {
  const got = decide({}, { type: "subagent", isAdmin: false, principal: { type: "group" } });
  assert.equal(got.get("read"), undefined);
  assert.match(
    got.get("bash") ?? "",
    /^subagent: the session it works for may not have it \(group\/channel\/sender: a group session has read, ls, /,
  );
  assert.equal(got.get("session_status"), "subagent: subagents never have it");
  const opened = { bySession: { group: { allow: ["bash", "sessions_spawn"] } } };
  assert.equal(decide(opened, { type: "subagent", principal: { type: "group" } }).get("bash"), undefined);
});

test("rules for the asker's chat, adapter, person and agent hold for their errands, wherever these run", () => {
  const at: Situation = { type: "cron", adapter: "errands", adapterType: "errands", channelId: "x", sender: "E" };
  const principal = { type: "main" as const, adapter: "work", adapterType: "slack", channelId: "C1", sender: "U1" };
  for (const config of [
    { byChannel: { work: { deny: ["bash"] } } },
    { byChannel: { "slack/C1": { deny: ["bash"] } } },
    { bySender: { "work:U1": { deny: ["bash"] } } },
    { bySession: { main: { deny: ["bash"] } } },
  ]) {
    assert.equal(decide(config, at).get("bash"), undefined);
    assert.match(decide(config, { ...at, principal }).get("bash") ?? "", /^subagent: the session it works for/);
  }
});

test("an errand that is given some tools has those, as far as they are allowed", () => {
  const got = decide({ deny: ["ls"] }, { type: "cron", principal: { type: "main" }, only: ["read", "ls"] });
  assert.deepEqual(
    [got.get("read"), got.get("bash")],
    [undefined, "subagent: it is not among the tools that this errand is given"],
  );
  assert.match(got.get("ls") ?? "", /^global/);
});

const session = (type: SessionType): SessionEntry => ({
  sessionId: "s" as SessionEntry["sessionId"],
  sessionKey: "agent:main:subagent:1" as SessionKey,
  type,
  agentId: "main",
  createdAt: 0,
  updatedAt: 0,
  channel: { adapter: "errands", channelId: "x" },
  lastChannel: { adapter: "errands", channelId: "x" },
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  cost: 0,
});
const scopeFor = (type: SessionType, whose: SessionType): ToolScope => ({
  session: session(type),
  turnId: "t1" as ToolScope["turnId"],
  channel: { adapter: "work", channelId: "G1" },
  adapterType: "slack",
  sender: { id: "U2", username: "bob", isBot: false },
  isAdmin: false,
  model: "lab/m1",
  principal: {
    channel: { adapter: "work", channelId: "G1" },
    sender: { id: "U2", username: "bob" },
    sessionKey: "agent:main:group:work:G1" as SessionKey,
    sessionType: whose,
    agentId: "main",
  },
});

test("what a child may not have is refused when it is called, not only left out of the list", async () => {
  const sandbox = { mode: "host", available: true as const, isConfined: false };
  const scope = scopeFor("subagent", "group");
  const calls: string[] = [];
  const build = (name: string): Tool => ({
    name,
    label: name,
    description: name,
    parameters: { type: "object", properties: {} },
    effect: "read",
    describe: () => name,
    async execute() {
      calls.push(name);
      return { content: [], details: {} };
    },
  });
  const decisions = createPolicy(buildPolicyConfig({})).decide(allTools, toPolicyInput(scope, sandbox));
  const set = createToolSet({
    declare: createDeclareTool(),
    tools: ["read", "bash", "write", "cron", "sessions_spawn", "message"].map(build),
    groups: allTools,
    decisions,
    listOrders: async () => [],
    pass: async () => ({ type: "pass" }),
    mayHaveRun: async () => true,
    noteOutside: async () => undefined,
    hostTools: [],
    queue: createKeyedQueue(),
    log: silentLog,
  });
  const run = (name: string) =>
    set.run({ type: "toolCall", id: name, name, arguments: {} }, new AbortController().signal, () => undefined);
  for (const name of ["bash", "exec", "write", "cron", "sessions_spawn", "message"]) {
    const { isError, details } = await run(name);
    assert.deepEqual([isError, details], [true, { code: "TOOL_REFUSED" }], name);
  }
  assert.equal((await run("read")).isError, false);
  assert.deepEqual(calls, ["read"]);
  assert.deepEqual(
    set.declarations.map(({ name }) => name),
    ["read"],
  );
});

test("programs run under the stricter of two policies", () => {
  const exec = execConfig.parse({ approvals: { subagent: "full", main: "ask", group: "allowlist", dm: "deny" } });
  const pick = (type: SessionType, whose: SessionType) => pickScopeExec(scopeFor(type, whose), exec, () => undefined);
  assert.deepEqual(
    [pick("subagent", "main"), pick("subagent", "group"), pick("subagent", "dm"), pick("main", "group")],
    ["ask", "allowlist", "deny", "allowlist"],
  );
  const { principal: _none, ...alone } = scopeFor("subagent", "main");
  assert.equal(
    pickScopeExec(alone, exec, () => undefined),
    "full",
  );
  const ofAgent = pickScopeExec(scopeFor("subagent", "main"), exec, () => ({ approvals: "deny" }));
  assert.equal(ofAgent, "deny");
  const decisions = [{ name: "bash", allowed: true }];
  const deny = (whose: SessionType) => denyByScopeExec(decisions, scopeFor("subagent", whose), exec, () => undefined);
  assert.deepEqual([deny("main")[0]?.allowed, deny("dm")[0]?.allowed], [true, false]);
});

test("the kind of platform is that of the asker's own chat", () => {
  const sandbox = { mode: "host", available: true as const, isConfined: false };
  const scope = { ...scopeFor("subagent", "group"), adapterType: "errands" };
  const input = toPolicyInput(scope, sandbox, (name) => (name === "work" ? "slack" : undefined));
  assert.equal(input.principal?.channel.adapterType, "slack");
  assert.equal(toPolicyInput(scope, sandbox).principal?.channel.adapterType, "errands");
});
