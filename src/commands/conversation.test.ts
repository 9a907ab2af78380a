/** Commands that change which conversation goes on and from where; each must do the same twice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCommandPorts } from "../../test/fakes/command-ports.ts";
import type { CommandReply } from "../contracts/command.ts";

test("/new begins a conversation once per turn; /reset is the same", async () => {
  const { ask, askAgain, house } = createCommandPorts();
  const first = await ask("/new");
  const { sessionId } = house.session;
  assert.notEqual(sessionId, "life-0");
  assert.equal(await askAgain(), first);
  assert.equal(house.session.sessionId, sessionId);
  await ask("/reset");
  assert.notEqual(house.session.sessionId, sessionId);
  assert.match(String(await ask("/new topic")), /takes nothing behind it/);
});

test("/compact goes through the agent, and not again when it is done", async () => {
  const { ask, askAgain, house, say } = createCommandPorts();
  assert.match(String(await ask("/compact")), /nothing to gain.*about 12 tokens/);
  say("hello");
  const reply = String(await ask("/compact keep the names"));
  assert.match(reply, /from about 9\.0k tokens to 800/);
  assert.ok(reply.endsWith("````\nthey said ``` hello\n````"), reply);
  assert.match(String(await askAgain()), /The conversation of about 9\.0k tokens is summed up/);
  assert.deepEqual(house.compactions, [undefined, "keep the names"]);
});

test("/compact that was cut off before it gained anything is tried again", async () => {
  const { ask, askAgain, house, deps, say } = createCommandPorts();
  const { compact } = deps.agent;
  deps.agent.compact = async (_session, { record }) => {
    await record({ body: { type: "compaction" }, entries: [] });
    return { type: "nothing", tokens: 40 };
  };
  assert.match(String(await ask("/compact")), /nothing to gain/);
  assert.match(String(await askAgain()), /nothing to gain/);
  deps.agent.compact = compact;
  say("hello");
  assert.match(String(await askAgain()), /from about 9\.0k tokens to 800/);
  assert.equal(house.compactions.length, 1);
});

test("/compact that is stopped or parked says nothing", async () => {
  const { ask, deps } = createCommandPorts();
  deps.agent.compact = async () => ({ type: "aborted" });
  assert.deepEqual(await ask("/compact"), { aborted: true });
});

test("/resume lists the conversations by when they began and takes one up", async () => {
  const { ask, askAgain, house, say, clock } = createCommandPorts();
  assert.equal(await ask("/resume"), "There is no earlier conversation here.");
  say("one");
  await clock.advance(60_000);
  await ask("/new");
  say("two");
  const list = String(await ask("/resume"));
  assert.match(list, /- \*\*2\*\* `opening of life-[0-9a-f]+`.* ← this one\n- \*\*1\*\* `opening of life-0`/);
  const first = await ask("/resume 1");
  assert.equal(house.session.sessionId, "life-0");
  assert.match(String(first), /^We are in conversation 1 now: `opening of life-0`/);
  assert.equal(await askAgain(), first);
  assert.equal(house.session.sessionId, "life-0");
  await ask("/resume LIFE-0");
  assert.equal(house.session.sessionId, "life-0");
  for (const typed of ["3", "0", "xyzw", "li", "1 2"]) {
    assert.match(String(await ask(`/resume ${typed}`)), /There is no conversation/, typed);
  }
  assert.match(String(await ask("/resume life")), /^2 conversations have an id that begins with `life`/);
});

test("/resume from a conversation without a file means the same number when it is answered again", async () => {
  const { ask, askAgain, house, say } = createCommandPorts();
  say("one");
  await ask("/new");
  const first = await ask("/resume 1");
  assert.equal(await askAgain(), first);
  assert.equal(house.session.sessionId, "life-0");
});

test("/fork begins a copy that ends before a message, and shows what was said", async () => {
  const { ask, askAgain, house, present, say } = createCommandPorts();
  assert.match(String(await ask("/fork")), /Nothing has been said/);
  say("(2026-01-01 10:00)\n[ann]: first");
  say(
    '(2026-01-01 10:01)\n[bob]: by the way\n[ann]: second ``` thing\n\\[eve]: quoted\n<attachment path="a" name="b"/>',
  );
  say("third");
  const list = String(await ask("/fork"));
  assert.match(list, /- \*\*1\*\* `first`\n- \*\*2\*\* `second ''' thing \[eve\]: quoted`\n- \*\*3\*\* `third`/);
  const reply = await ask("/fork 2");
  assert.match(String(reply), /ends just before message 2.*\nYou said then: It came with 1 file/);
  assert.ok(String(reply).endsWith("\n````\nsecond ``` thing\n[eve]: quoted\n````"), String(reply));
  const forked = house.session.sessionId;
  assert.match(forked, /^fork-/);
  assert.equal(present().entries.length, 2);
  assert.equal(await askAgain(), reply);
  assert.equal(await askAgain(), reply);
  assert.equal(house.session.sessionId, forked);
  assert.equal(house.lives.length, 2);
  const original = house.lives[0]?.entries ?? [];
  assert.deepEqual([original.length, original.at(-1)?.type], [7, "custom"]);
  for (const typed of ["2", "0", "x", "-1"]) {
    assert.match(String(await ask(`/fork ${typed}`)), /There is no message.*Usage: `\/fork \[number\]`/, typed);
  }
});

test("/fork leaves the skill behind that the message called, and says so", async () => {
  const { ask, askAgain, house, present, say, addSkillBody } = createCommandPorts();
  addSkillBody("boil-water");
  say("quickly");
  say("hello");
  addSkillBody("brew-tea");
  say("for two");
  const reply = String(await ask("/fork 3"));
  assert.match(reply, /You said then: It called the skill `brew-tea`, which you would have to call again\.\n/);
  assert.equal(await askAgain(), reply);
  assert.deepEqual(
    present().entries.map(({ type }) => type),
    ["custom_message", "message", "message", "message", "message"],
  );
  await ask("/fork 1");
  assert.match(house.session.sessionId, /^life-/, "nothing is before the first one's skill");
});

test("/fork before the first message is an empty conversation; the last fifteen are listed", async () => {
  const { ask, askAgain, house, say } = createCommandPorts();
  for (let n = 1; n <= 20; n++) say(`m${n}`);
  const list = String(await ask("/fork"));
  assert.match(list, /… 5 before\n- \*\*6\*\* `m6`/);
  const reply = await ask("/fork 1");
  assert.match(house.session.sessionId, /^life-/);
  assert.equal(await askAgain(), reply);
  assert.equal(house.lives.length, 1);
});

test("/tree shows branches, goes to a point and says what is left", async () => {
  const { ask, askAgain, present, say } = createCommandPorts();
  assert.match(String(await ask("/tree")), /Nothing has been said/);
  say("one");
  say("two");
  say("three");
  const reply = await ask("/tree 1");
  assert.equal(
    reply,
    "The conversation goes on after message 1 (`one`) and my answer to it. Left on another branch: 2 messages, from 2 on; `/tree` still shows them.",
  );
  const length = present().entries.length;
  assert.equal(await askAgain(), reply);
  assert.equal(present().entries.length, length);
  const marker = present().entries.at(-1);
  assert.deepEqual([marker?.type, marker?.parentId], ["custom", present().entries[1]?.id]);
  assert.match(String(await ask("/tree 1")), /is at message 1 already/);
  say("other `way`");
  assert.ok(
    String(await ask("/tree")).startsWith("```\n1  one\n  2  two\n  3  three\n  4  other `way` ← here\n```\n"),
    String(await ask("/tree")),
  );
  assert.match(String(await ask("/tree 3")), /Left on another branch: 1 message, from 4 on/);
  assert.match(
    String(await ask("/tree 0")),
    /from the beginning, with nothing said\. Left on another branch: 3 messages/,
  );
  assert.match(String(await ask("/tree")), /^```\n0 {2}\(the beginning\) ← here\n1 {2}one/);
  assert.match(String(await ask("/tree 0")), /is at its beginning already/);
  assert.match(String(await ask("/tree 3")), /Nothing is left behind/);
  for (const typed of ["9", "one", "1 2"]) {
    assert.match(String(await ask(`/tree ${typed}`)), /There is no message.*Usage/, typed);
  }
});

test("/tree stays short in a long conversation, around the present point", async () => {
  const { ask, say } = createCommandPorts();
  for (let n = 1; n <= 3000; n++) say(`m${n}`);
  await ask("/tree 1500");
  const lines = String(await ask("/tree")).split("\n");
  assert.ok(lines.length < 60);
  assert.ok(lines.includes("1500  m1500 ← here"));
  assert.ok(lines.some((line) => /^… \d+ before$/.test(line)) && lines.some((line) => /^… \d+ after$/.test(line)));
});

const fileOf = (reply: CommandReply) => {
  assert.ok(typeof reply === "object" && "files" in reply);
  const [file, ...others] = reply.files;
  assert.ok(file && others.length === 0);
  return file;
};

test("/export attaches the conversation as Markdown, HTML or lines", async () => {
  const { ask, askAgain, house, present, say, add } = createCommandPorts();
  assert.match(String(await ask("/export")), /nothing to export/);
  assert.match(String(await ask("/export pdf")), /`pdf` is none of md, html, jsonl/);
  say("# mom <script>alert(1)</script>\n### mom · 2026", "fine");
  const call = { type: "toolCall" as const, id: "c", name: "bash", arguments: { command: "ls `x`" } };
  const answer = present().entries.at(-1);
  assert.ok(answer?.type === "message" && answer.message.role === "assistant");
  add({ ...answer.message, content: [{ type: "thinking", thinking: "hm" }, call], errorMessage: "broke & stopped" });
  const content = [{ type: "text" as const, text: "out ``` put" }];
  add({ role: "toolResult", toolCallId: "c", toolName: "bash", content, isError: true, timestamp: 0 });
  say("left behind");
  await ask("/tree 1");

  const reply = await ask("/export");
  const { path, filename } = fileOf(reply);
  assert.match(filename, /^conversation-20\d\d-\d\d-\d\d-[0-9a-z]{6}\.md$/);
  assert.equal(path, `/data/workspace/chat/C1/${filename}`);
  assert.deepEqual(await askAgain(), reply);
  assert.equal(house.exports.size, 1);
  const markdown = house.exports.get(filename) ?? "";
  assert.deepEqual(
    markdown
      .split("\n")
      .filter((line) => line.startsWith("#"))
      .map((line) => line.replace(/ · .*/, "")),
    ["# Conversation", "### user", "### mom", "## A branch that was left", "### user", "### mom"],
  );
  assert.match(markdown, /> # mom <script>/);
  assert.match(markdown, /````\nout ``` put\n````/);
  assert.match(markdown, /> broke & stopped/);

  const html = house.exports.get(fileOf(await ask("/export html")).filename) ?? "";
  assert.match(html, /^<!doctype html>/);
  assert.match(html, /default-src 'none'/);
  assert.doesNotMatch(html, /<script|https?:\/\//);
  assert.match(html, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
  assert.match(html, /<summary>result: bash: failed<\/summary><pre>out ``` put<\/pre>/);

  const lines = (house.exports.get(fileOf(await ask("/export JSONL")).filename) ?? "").trimEnd().split("\n");
  assert.equal(lines.length, 1 + present().entries.length);
  assert.equal(JSON.parse(lines[0] ?? "").type, "session");
  assert.deepEqual(JSON.parse(lines[1] ?? ""), present().entries[0]);
});

test("a transcript that other programs have written breaks nothing", async () => {
  const { ask, present, house } = createCommandPorts();
  const odd: unknown[] = [
    { type: "message", id: "1", parentId: "gone", timestamp: "?", message: null },
    {
      type: "message",
      id: "2",
      parentId: "1",
      timestamp: "",
      message: { role: "user", content: [null, { type: "image" }] },
    },
    { type: "message", id: "3", parentId: "2", timestamp: "", message: { role: "assistant", content: "text" } },
    {
      type: "message",
      id: "4",
      parentId: "3",
      timestamp: "",
      message: { role: "assistant", content: [7, { type: "text" }] },
    },
    { type: "compaction", id: "5", parentId: "4", timestamp: "" },
    { type: "custom_message", id: "6", parentId: "5", timestamp: "", content: [{ a: 1 }] },
    { type: "from_the_future", id: "7", parentId: "6", timestamp: "" },
    { type: "message", id: "8", parentId: "9", timestamp: "", message: { role: "user", content: 5 } },
    { type: "message", id: "9", parentId: "8", timestamp: "", message: { role: "toolResult", content: null } },
    { type: "custom_message", id: "a", parentId: "a", timestamp: "", customType: "skill", details: 7 },
    { type: "message", id: "b", parentId: "a", timestamp: "", message: { role: "user", content: "x" } },
  ];
  present().entries.push(...(odd as ReturnType<typeof present>["entries"]));
  for (const text of ["/tree", "/fork", "/export", "/export html", "/export jsonl", "/session"]) {
    const reply = await ask(text);
    assert.ok(typeof reply === "object" || reply.length > 20, text);
  }
  assert.equal(house.exports.size, 3);
  assert.match(String(await ask("/fork 3")), /just before message 3/);
  assert.match(house.session.sessionId, /^fork-|^life-/);
});
