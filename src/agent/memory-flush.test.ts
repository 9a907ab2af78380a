import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolOutcome, ToolSet } from "../contracts/tool.ts";
import type { OneAnswer } from "./ask-once.ts";
import { flushMemory } from "./memory-flush.ts";

function setUp(answer: OneAnswer, taken: readonly string[] = [], tools: readonly string[] = ["read", "write"]) {
  const written: Record<string, unknown>[] = [];
  const outcome = (isError: boolean, code: string): ToolOutcome => ({ content: [], details: { code }, isError });
  const toolSet: ToolSet = {
    declarations: tools.map((name) => ({ name, description: "", parameters: {} })),
    decisions: [],
    hostTools: [],
    mayHaveRun: async () => true,
    effectOf: () => undefined,
    describe: () => "",
    run: async ({ name, arguments: args }) => {
      if (name === "write") written.push(args);
      const isThere = taken.includes(String(args["path"]));
      return name === "read" && !isThere ? outcome(true, "FILE_NOT_FOUND") : outcome(false, "");
    },
  };
  const flush = () =>
    flushMemory([], {
      toolSet,
      ask: async () => answer,
      describe: () => "talk",
      folder: "/w/memory",
      day: "2026-11-16",
      signal: new AbortController().signal,
    });
  return { flush, written };
}

test("what should last goes into the day's file, in the workspace", async () => {
  const { flush, written } = setUp({ type: "ok", text: "Here:\n- The cat is Minka.\n* Ann likes tea.\nBye." });
  assert.equal(await flush(), 2);
  assert.deepEqual(written, [
    { path: "/w/memory/2026-11-16.md", content: "# 2026-11-16\n\n- The cat is Minka.\n* Ann likes tea.\n" },
  ]);
});

test("a file that is there is never written over", async () => {
  const { flush, written } = setUp({ type: "ok", text: "- One." }, ["/w/memory/2026-11-16.md"]);
  await flush();
  assert.equal(written[0]?.["path"], "/w/memory/2026-11-16-2.md");
});

for (const [name, answer, tools] of [
  ["nothing worth it", { type: "ok", text: "NOTHING" }, ["read", "write"]],
  ["a model that fails", { type: "failed", reason: "x" }, ["read", "write"]],
  ["a session that may not write", { type: "ok", text: "- One." }, ["read"]],
] as const) {
  test(`${name}: nothing is written`, async () => {
    const { flush, written } = setUp(answer, [], tools);
    assert.equal(await flush(), 0);
    assert.deepEqual(written, []);
  });
}
