/** The same call with the same result: told, refused, ended. Anything that changes is progress. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { EntryId } from "../contracts/ids.ts";
import type { ToolCall } from "../contracts/model.ts";
import type { ToolOutcome } from "../contracts/tool.ts";
import type { TurnStep } from "../contracts/turn.ts";
import { createLoopGuard, loopCode } from "./loop-guard.ts";

const call = (name: string, args: Record<string, unknown> = {}, id = "c"): ToolCall => ({
  type: "toolCall",
  id,
  name,
  arguments: args,
});
const outcome = (text: string, isError = false): ToolOutcome => ({
  content: [{ type: "text", text }],
  details: {},
  isError,
});

/** As the runner does it. */
const toOutcome = (refusal: string | undefined, text: string): ToolOutcome =>
  refusal === undefined ? outcome(text) : { ...outcome(refusal, true), details: { code: loopCode } };

it("says so at the third time, refuses after the fifth, ends after the eighth", () => {
  const guard = createLoopGuard([]);
  const heard: string[] = [];
  while (guard.stuckWith() === undefined) {
    const refusal = guard.refuses(call("read", { path: "a" }));
    const remark = guard.note(call("read", { path: "a" }), toOutcome(refusal, "not there"));
    heard.push(refusal !== undefined ? "refused" : remark !== undefined ? "remark" : "run");
    assert.ok(heard.length < 20);
  }
  assert.deepEqual(heard, ["run", "run", "remark", "remark", "run", "refused", "refused", "refused"]);
  assert.equal(guard.stuckWith(), "read");
});

it("lets calls pass whose results change, or whose arguments do", () => {
  const guard = createLoopGuard([]);
  for (let n = 0; n < 30; n++) {
    assert.equal(guard.refuses(call("process", { action: "poll" })), undefined);
    assert.equal(guard.note(call("process", { action: "poll" }), outcome(`running for ${n} s`)), undefined);
    assert.equal(guard.stuckWith(), undefined);
    assert.equal(guard.note(call("read", { path: `f${n}` }), outcome("same")), undefined);
  }
  assert.equal(guard.stuckWith(), undefined);
});

it("sees a circle of two calls as well", () => {
  const guard = createLoopGuard([]);
  let rounds = 0;
  while (guard.stuckWith() === undefined && rounds < 50) {
    rounds++;
    for (const name of ["ls", "find"]) {
      const refusal = guard.refuses(call(name));
      guard.note(call(name), toOutcome(refusal, name));
    }
  }
  assert.equal(rounds, 8);
});

it("goes on counting after a restart, its own remarks left out", () => {
  const before = createLoopGuard([]);
  const steps: TurnStep[] = [];
  for (let n = 0; n < 5; n++) {
    const made = call("bash", { command: "make" }, `c${n}`);
    const remark = before.note(made, outcome("no rule", true));
    const content = [...outcome("no rule").content, ...(remark ? [{ type: "text" as const, text: remark }] : [])];
    steps.push(buildStep(made, content));
  }
  assert.equal(createLoopGuard(steps.slice(0, 2)).refuses(call("bash", { command: "make" })), undefined);
  assert.match(createLoopGuard(steps).refuses(call("bash", { command: "make" })) ?? "", /made 5 times/);
});

function buildStep(made: ToolCall, content: ToolOutcome["content"]): TurnStep {
  const common = { type: "message" as const, timestamp: "2026-01-01T00:00:00Z" };
  const usage = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  return {
    n: 0,
    body: { type: "tool_end", toolCallId: made.id },
    entries: [
      {
        ...common,
        id: `a${made.id}` as EntryId,
        message: {
          role: "assistant",
          content: [made],
          api: "x",
          provider: "x",
          model: "x",
          usage,
          stopReason: "toolUse",
          timestamp: 0,
        },
      },
      {
        ...common,
        id: `r${made.id}` as EntryId,
        message: {
          role: "toolResult",
          toolCallId: made.id,
          toolName: made.name,
          content,
          details: {},
          isError: true,
          timestamp: 0,
        },
      },
    ],
  };
}
