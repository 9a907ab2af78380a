/** `/subagents`, and what `/stop` ends besides the turn. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sessionKey } from "../../test/fakes/command-house.ts";
import { createCommandPorts } from "../../test/fakes/command-ports.ts";
import type { SessionKey } from "../contracts/ids.ts";
import type { SubagentRun } from "../contracts/subagent.ts";

const other = "agent:main:main" as SessionKey;
const build = (runId: string, more: Partial<SubagentRun> = {}): SubagentRun => ({
  runId,
  sessionKey: `agent:main:subagent:${runId}` as SessionKey,
  requester: sessionKey,
  agentId: "main",
  task: "look `at`\nit",
  state: "running",
  createdAt: Date.UTC(2026, 0, 1),
  cleanup: "keep",
  ...more,
});

test("everybody sees their own subagents, the owner in their own chat all of them", async () => {
  const { ask, house, clock } = createCommandPorts();
  assert.equal(await ask("/subagents"), "There are no subagents.");
  house.runs.push(
    build("aaaa11112222", { label: "tests", startedAt: clock.now() }),
    build("bbbb11112222", { requester: other, state: "done", tokens: 12_345, cost: 0.5, endedAt: clock.now() }),
  );
  await clock.advance(65_000);
  const mine = String(await ask("/subagents list"));
  assert.equal(mine, "Subagents, newest first:\n- **aaaa11112222** `tests` running, 1 min: `look 'at' it`");
  house.session = { ...house.session, type: "main" };
  assert.doesNotMatch(String(await ask("/subagents")), /bbbb/);
  assert.match(
    String(await ask("/subagents", { isAdmin: true })),
    /\*\*bbbb11112222\*\* done, 0 s, 12\.3k tokens, \$0\.50/,
  );
  for (let n = 10; n < 40; n++) house.runs.push(build(`cccc1111${n}00`));
  assert.match(String(await ask("/subagents")), /- and 11 older$/);
});

test("one is named by id, by the beginning of it or by label, and nobody else's at all", async () => {
  const { ask, house } = createCommandPorts();
  house.runs.push(
    build("aaaa11112222", { label: "tests" }),
    build("aaaa33334444"),
    build("bbbb11112222", { requester: other }),
  );
  assert.match(String(await ask("/subagents stop aaaa")), /2 are called `aaaa`/);
  assert.match(String(await ask("/subagents stop aaa")), /There is no `aaa`/);
  assert.match(String(await ask("/subagents stop bbbb11112222")), /There is no `bbbb11112222`/);
  assert.match(String(await ask("/subagents stop")), /Say which one/);
  assert.match(String(await ask("/subagents stp x")), /did you mean `stop`/);
  assert.equal(await ask("/subagents stop tests"), "Stopped **aaaa11112222** `tests`.");
  assert.equal(await ask("/subagents stop AAAA1111"), "**aaaa11112222** `tests` was over already: stopped.");
  assert.deepEqual(
    house.runs.map(({ state }) => state),
    ["stopped", "running", "running"],
  );
});

test("a stop that was cut off in the middle says the same again", async () => {
  const { ask, askAgain, house } = createCommandPorts();
  house.runs.push(build("aaaa11112222"));
  const first = await ask("/subagents stop aaaa1111");
  assert.equal(await askAgain(), first);
});

test("all of a conversation end with one word, and with its stop", async () => {
  const { ask, house } = createCommandPorts();
  assert.equal(await ask("/subagents stop all"), "There was none to stop.");
  house.runs.push(build("aaaa11112222"), build("bbbb11112222", { requester: other }));
  assert.equal(await ask("/subagents stop ALL"), "Stopped 1 subagent.");
  house.runs.push(build("cccc11112222"), build("dddd11112222"));
  assert.equal(
    await ask("stop", { turn: { stopped: { running: 1, waiting: 0 } } }),
    "Stopped; 3 subagents were stopped.",
  );
  assert.equal(house.runs.find(({ requester }) => requester === other)?.state, "running");
});

test("the log stands in a block that nothing in it can end", async () => {
  const { ask, house } = createCommandPorts();
  house.runs.push(build("aaaa11112222"));
  assert.match(String(await ask("/subagents log aaaa1111")), /It has no transcript/);
  house.spoken.set("aaaa11112222", [
    { at: "2026-01-01T10:11:12.000Z", who: "user", text: "look" },
    { at: "2026-01-01T10:12:12.000Z", who: "assistant", text: "```\n# found\u001b[2J" },
  ]);
  const reply = String(await ask("/subagents log aaaa1111"));
  assert.match(reply, /^\*\*aaaa11112222\*\*, running: `look 'at' it`\n````\n10:11 user: look\n10:12 assistant: ```\n/);
  assert.ok(reply.endsWith("\n````") && !reply.includes("\u001b"));
});
