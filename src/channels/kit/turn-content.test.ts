import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AgentSessionEvent } from "../../contracts/agent.ts";
import type { Approval } from "../../contracts/approval.ts";
import type { Usage } from "../../contracts/model.ts";
import { plainDialect } from "./dialects/plain.ts";
import { renderMarkdown } from "./markdown.ts";
import { createTurnContent, type TurnContentConfig } from "./turn-content.ts";

const usage = (input: number, output: number, cacheRead = 0, total = 0): Usage => ({
  input,
  output,
  cacheRead,
  cacheWrite: 0,
  totalTokens: input + output,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total },
});
const say = (delta: string): AgentSessionEvent => ({ type: "text_delta", delta });
const endMessage = (text: string, hasToolCalls = false, used = usage(1, 1)): AgentSessionEvent => ({
  type: "message_end",
  text,
  hasToolCalls,
  usage: used,
});
const start = (label: string, toolCallId = label): AgentSessionEvent => ({
  type: "tool_execution_start",
  toolCallId,
  toolName: "bash",
  label,
  args: {},
});
const finish = (
  label: string,
  text = "",
  more: { isError?: boolean; durationMs?: number } = {},
): AgentSessionEvent => ({
  type: "tool_execution_end",
  toolCallId: label,
  toolName: "bash",
  label,
  text,
  details: {},
  durationMs: 300,
  isError: false,
  ...more,
});

function play(events: AgentSessionEvent[], config: Partial<TurnContentConfig> = {}) {
  const content = createTurnContent({ toolOutput: "summary", streaming: true, usageLine: false, ...config });
  for (const event of events) content.apply(event);
  return content;
}
/** As somebody reads it. */
const read = (markdown: string) => renderMarkdown(markdown, plainDialect).replaceAll("\u200b", "");
const shown = (events: AgentSessionEvent[], config?: Partial<TurnContentConfig>) => read(play(events, config).markdown);

describe("the live post", () => {
  test("nothing has happened: nothing is said", () => {
    assert.equal(shown([{ type: "agent_start", model: "m", resumed: false }, { type: "message_start" }]), "");
  });

  test("a tool is a line, several that run are several, and the last one stays until something else goes on", () => {
    assert.equal(shown([start("bash: ls")]), "→ bash: ls");
    assert.equal(shown([start("a"), start("b")]), "→ a\n→ b");
    assert.equal(shown([start("a"), start("b"), finish("a")]), "→ b");
    assert.equal(shown([start("a"), finish("a")]), "→ a");
    assert.equal(shown([start("a"), finish("a"), start("c")]), "→ c");
    assert.equal(shown(["1", "2", "3", "4", "5"].map((n) => start(n))), "→ 3\n→ 4\n→ 5");
  });

  test("who wants to see nothing of tools sees that something goes on", () => {
    assert.equal(shown([start("bash: ls")], { toolOutput: "off" }), "…");
  });

  test("a label is shown as it is, whatever is in it", () => {
    for (const label of [
      "bash: ls *.ts _a_ `b` ~c~ [d](http://e) <f> &amp; #g | h \\ 1. ! {}",
      "# heading",
      "- item",
      "https://example.com/x",
    ]) {
      assert.equal(shown([start(label)]), `→ ${label}`);
    }
    assert.equal(shown([start("a\n\nb\x1b[2J\u202e")]), "→ a b");
    assert.ok(shown([start("x".repeat(5_000))]).length < 200);
  });

  test("a label mentions nobody", () => {
    assert.doesNotMatch(play([start("tell @ann and @everyone")]).markdown, /@\w/);
  });

  test("the text as it grows, then as it was meant", () => {
    assert.equal(shown([say("Hel"), say("lo")]), "Hello");
    assert.equal(shown([say("Hello"), endMessage("Hello there")]), "Hello there");
    assert.equal(shown([say("a\x1b"), say("[2Jb")]), "ab");
  });

  test("text before a tool was not the reply: the next status replaces it, and the next text begins anew", () => {
    const before = [say("Let me look."), endMessage("Let me look.", true)];
    assert.equal(shown(before), "Let me look.");
    assert.equal(shown([...before, start("a")]), "→ a");
    assert.equal(shown([...before, start("a"), finish("a"), { type: "message_start" }]), "→ a");
    assert.equal(shown([...before, start("a"), finish("a"), { type: "message_start" }, say("Done")]), "Done");
  });

  test("silence is not shown while it is being said, and leaves the status", () => {
    for (const text of ["[", "[SIL", "[SILENT]", " [SILENT]\n"]) {
      assert.equal(shown([say(text)]), "", text);
      assert.equal(shown([start("a"), finish("a"), say(text)]), "→ a", text);
    }
    assert.equal(shown([say("[SILENT] no more")]), "[SILENT] no more");
  });

  test("which message is answered is not shown, nor the beginning of it", () => {
    for (const text of ["[[", "[[reply_to", "[[reply_to:123", "[[reply_to_current]", "[[reply_to_current]]"]) {
      assert.equal(shown([say(text)]), "", text);
    }
    assert.equal(shown([say("[[reply_to_current]] Yes")]), "Yes");
    assert.equal(shown([say("[[ reply_to: 12.3 ]]\nYes")]), "Yes");
    assert.equal(shown([say("[[reply_to_current]] [SILENT]")]), "");
    assert.equal(shown([say("[[wiki]] page")]), "[[wiki]] page");
  });

  test("without streaming only what goes on is shown", () => {
    const events = [say("Hello"), endMessage("Hello")];
    assert.equal(shown(events, { streaming: false }), "");
    assert.equal(shown([start("a"), finish("a"), ...events], { streaming: false }), "→ a");
  });

  test("what else goes on has a line of its own, for as long as it does", () => {
    const approval = { id: "abc234" } as Approval;
    const request: AgentSessionEvent = { type: "approval_request", approval };
    const asked = play([start("a"), request]);
    assert.equal(read(asked.markdown), "waiting for approval abc234");
    assert.equal(asked.isWaiting, true);
    asked.apply({ type: "approval_end", approvalId: approval.id, toolCallId: "a" });
    assert.equal(read(asked.markdown), "→ a");
    assert.equal(asked.isWaiting, false);
    assert.equal(shown([start("a"), start("b"), request, finish("b")]), "waiting for approval abc234");

    const retry: AgentSessionEvent = {
      type: "auto_retry_start",
      attempt: 2,
      maxAttempts: 5,
      delayMs: 3_000,
      reason: "overloaded",
    };
    assert.equal(shown([say("Hel"), retry]), "try 2 of 5 in 3.0 s: overloaded");
    assert.equal(shown([retry, { type: "auto_retry_end", success: true }]), "");
    const compaction: AgentSessionEvent = { type: "auto_compaction_start", reason: "threshold" };
    assert.equal(shown([compaction]), "shortening the conversation");
    assert.equal(shown([compaction, { type: "auto_compaction_end", tokensBefore: 2, tokensAfter: 1 }]), "");
    const fallback: AgentSessionEvent = { type: "model_fallback", from: "a", to: "b", reason: "down" };
    assert.equal(shown([fallback]), "going on with b");
    assert.equal(shown([fallback, { type: "message_start" }, say("Hi")]), "Hi");
  });

  test("what grows without end is held up to a bound", () => {
    const content = play([]);
    for (let n = 0; n < 1_000; n++) content.apply(say("x".repeat(1_000)));
    assert.ok(content.markdown.length <= 41_000);
    content.apply(endMessage("y".repeat(10_000_000)));
    assert.ok(content.markdown.length <= 40_000);
  });
});

describe("details", () => {
  const tools = [finish("a"), finish("b *c*", "output", { isError: true, durationMs: 12_000 })];

  test("in short: a line per tool, in one piece", () => {
    const details = play(tools).toDetails();
    assert.deepEqual(details.map(read), ["✓ a (0.3 s)\n✗ b *c* (12 s)"]);
  });

  test("in full: the output too, in a block that it cannot leave", () => {
    assert.deepEqual(play(tools, { toolOutput: "full" }).toDetails(), [
      "✓ a (0.3 s)",
      "✗ b \\*c\\* (12 s)\n\n```\noutput\n```",
    ]);
    const [fenced = ""] = play([finish("a", "x\n````\n@everyone\x1b[2J\n")], { toolOutput: "full" }).toDetails();
    assert.equal(fenced, "✓ a (0.3 s)\n\n`````\nx\n````\n@everyone\n`````");
    const [long = ""] = play([finish("a", `${"x".repeat(9_000)}end`)], { toolOutput: "full" }).toDetails();
    assert.ok(long.length < 1_600 && long.includes("end\n```"));
  });

  test("nothing where nothing is wanted or nothing was done", () => {
    assert.deepEqual(play(tools, { toolOutput: "off" }).toDetails(), []);
    assert.deepEqual(play([say("Hi")]).toDetails(), []);
    assert.deepEqual(play([say("Hi")], { usageLine: true }).toDetails(), []);
  });

  test("a turn with hundreds of tools says how many it leaves out", () => {
    const many = Array.from({ length: 60 }, (_, n) => finish(`tool${n}`));
    const [lines = "", rest] = play(many).toDetails();
    assert.equal(read(lines).split("\n").length, 40);
    assert.equal(rest, "… and 20 more");
  });

  test("what the turn used, all its messages together", () => {
    const messages = [
      endMessage("", true, usage(1_000, 50, 10_000, 0.01)),
      endMessage("x", false, usage(500, 20, 1_000, 0.02)),
    ];
    const all = { toolOutput: "off", usageLine: true } as const;
    assert.deepEqual(play(messages, all).toDetails(), ["tokens: 12.5k in (11.0k cached), 70 out, $0.03"]);
    assert.deepEqual(play([endMessage("x")], all).toDetails(), ["tokens: 1 in, 1 out"]);
  });
});
