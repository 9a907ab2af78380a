/** Every combination of policy, rule and provenance, one line each; and which word of the configuration counts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AgentExecConfig,
  agentExecConfig,
  approveConfig,
  type ExecConfig,
  execConfig,
  pickExecPolicy,
  securityConfig,
} from "./config.ts";
import { type ApprovalPolicy, type DecideInput, decide, execDenies, isExec, needsRules } from "./decide.ts";

interface Case extends Partial<ApprovalPolicy> {
  tool?: string;
  isListed?: boolean;
  taint?: string;
  isOutward?: boolean;
  wantsIt?: boolean;
}

function buildInput({ tool = "bash", isListed = false, taint, isOutward = false, wantsIt = false, ...policy }: Case) {
  const input: DecideInput = {
    tool: { name: tool, isOutward: () => isOutward, needsApproval: () => wantsIt },
    params: {},
    sessionType: "group",
    policy: { exec: "full", isMarked: false, untrusted: "ask", timeoutMs: 1000, ...policy },
    taint,
    isListed,
  };
  return input;
}

const outside = { taint: "a page", isOutward: true };
const cases: [given: Case, verdict: string, usesRules: boolean][] = [
  [{ exec: "full" }, "run", false],
  [{ exec: "ask" }, "ask", true],
  [{ exec: "ask", isListed: true }, "run", true],
  [{ exec: "allowlist" }, "EXEC_NOT_LISTED", true],
  [{ exec: "allowlist", isListed: true }, "run", true],
  [{ exec: "deny" }, "EXEC_DENIED", false],
  [{ exec: "deny", isListed: true }, "EXEC_DENIED", false],
  [{ exec: "deny", tool: "read" }, "run", false],
  [{ exec: "ask", tool: "read" }, "run", false],
  [{ isMarked: true }, "ask", true],
  [{ isMarked: true, isListed: true }, "run", true],
  [{ isMarked: true, tool: "message" }, "ask", true],
  [{ isMarked: true, exec: "deny" }, "EXEC_DENIED", false],
  [{ wantsIt: true, tool: "invoke_tool" }, "ask", true],
  [{ ...outside }, "ask", true],
  [{ ...outside, isListed: true }, "run", true],
  [{ ...outside, untrusted: "allow" }, "run", false],
  [{ ...outside, untrusted: "block" }, "OUTSIDE_BLOCKED", false],
  [{ ...outside, untrusted: "block", isListed: true }, "OUTSIDE_BLOCKED", false],
  [{ ...outside, untrusted: "allow", exec: "ask" }, "ask", true],
  [{ ...outside, exec: "allowlist" }, "EXEC_NOT_LISTED", true],
  [{ ...outside, exec: "deny" }, "EXEC_DENIED", false],
  [{ ...outside, tool: "message" }, "ask", true],
  [{ ...outside, tool: "message", untrusted: "block" }, "OUTSIDE_BLOCKED", false],
  [{ taint: "a page", isOutward: false }, "run", false],
  [{ isOutward: true }, "run", false],
];

test("the table", () => {
  for (const [given, verdict, usesRules] of cases) {
    const input = buildInput(given);
    const decision = decide(input);
    const name = JSON.stringify(given);
    assert.equal(decision.type === "refuse" ? decision.code : decision.type, verdict, name);
    assert.equal(needsRules(input), usesRules, name);
    if (decision.type === "refuse") assert.match(decision.text, /^Not done: [a-z]/);
  }
});

test("a refusal says which word of the config it was, and how a command comes to be listed", () => {
  const textOf = (exec: "deny" | "allowlist") => {
    const decision = decide(buildInput({ exec }));
    return decision.type === "refuse" ? decision.text : "";
  };
  assert.match(textOf("deny"), /tools\.exec\.approvals\.group/);
  assert.match(textOf("allowlist"), /`\/allowlist add <command>`.*`mom approvals allow "<command>"`/);
  assert.deepEqual((["deny", "allowlist", "ask", "full"] as const).map(execDenies), [true, false, false, false]);
});

test("a question gives all its reasons", () => {
  const decision = decide(buildInput({ ...outside, exec: "ask", isMarked: true, wantsIt: true }));
  assert.ok(decision.type === "ask");
  for (const word of ["an admin has said yes", "tools.approve", "wants to be allowed", "(a page)"])
    assert.ok(decision.reason.includes(word), word);
});

test("a program is started by bash, and told what to do by process write", () => {
  assert.deepEqual(
    [
      isExec("bash", {}),
      isExec("process", { action: "write" }),
      isExec("process", { action: "poll" }),
      isExec("process", null),
      isExec("read", { action: "write" }),
    ],
    [true, true, false, false, false],
  );
});

test("the agent's word counts before that of all, and that before the default of the session type", () => {
  const types = ["main", "cron", "subagent", "dm", "group", "topic"] as const;
  const pick = (exec: unknown, agent?: unknown) =>
    types
      .map((type) =>
        pickExecPolicy(
          type,
          execConfig.parse(exec) satisfies ExecConfig,
          agent === undefined ? undefined : (agentExecConfig.parse(agent) satisfies AgentExecConfig),
        ),
      )
      .join(" ");
  assert.equal(pick({}), "full full full deny deny deny");
  assert.equal(pick({ approvals: "ask" }), "ask ask ask ask ask ask");
  assert.equal(pick({ approvals: { group: "allowlist" } }), "full full full deny allowlist deny");
  assert.equal(pick({ approvals: "ask" }, { approvals: { main: "full" } }), "full ask ask ask ask ask");
  assert.equal(pick({ approvals: "full" }, { approvals: "deny" }), "deny deny deny deny deny deny");
  assert.equal(pick({ approvals: { dm: "ask" } }, {}), "full full full ask deny deny");
});

test("the configuration is closed by default and takes no words it does not know", () => {
  assert.equal(execConfig.parse({}).timeoutSeconds, 300);
  assert.equal(securityConfig.parse({}).untrusted, "ask");
  assert.deepEqual(approveConfig.parse(undefined), []);
  for (const bad of [{ approvals: "maybe" }, { approvals: { all: "ask" } }, { timeoutSeconds: 1 }, { x: 1 }])
    assert.equal(execConfig.safeParse(bad).success, false, JSON.stringify(bad));
});
