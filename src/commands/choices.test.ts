/** What a person chooses for a conversation: model, thinking, queue, verbosity, name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCommandPorts } from "../../test/fakes/command-ports.ts";

const admin = { isAdmin: true };

test("only an admin changes what counts for everybody in the session", async () => {
  const { ask } = createCommandPorts();
  for (const text of ["/model fast", "/think high", "/queue collect"]) {
    assert.match(String(await ask(text)), /^Only admins may change/, text);
  }
});

test("/model shows what answers and what could", async () => {
  const { ask, house } = createCommandPorts();
  const shown = String(await ask("/model"));
  assert.match(shown, /^Answers here: `mom\/big` \(the default\)\nIf it fails: `mom\/small`/);
  assert.match(shown, /- `fast` = `mom\/small`/);
  assert.match(shown, /- `mom\/big` 200\.0k tokens, thinks, \$3\/\$15 per million ← answers now/);
  const first = house.models[0];
  assert.ok(first);
  for (let n = 0; n < 40; n++) house.models.push({ ...first, ref: `mom/m${n}` });
  assert.match(String(await ask("/model")), /and 12 more/);
});

test("/model chooses what can be used, as it was typed, and nothing else", async () => {
  const { ask, house } = createCommandPorts();
  assert.match(String(await ask("/model fast", admin)), /`mom\/small` \(`fast`\) answers here/);
  assert.equal(house.session.chosenModel, "fast");
  assert.match(String(await ask("/model")), /^Answers here: `mom\/small` \(chosen here as `fast`\)/);
  assert.equal(await ask("/model none/such", admin), "There is no model none/such. The model stays as it was.");
  assert.match(String(await ask("/model a b", admin)), /has no spaces\. Usage: `\/model \[name\|default\]`/);
  assert.equal(house.session.chosenModel, "fast");
  assert.match(String(await ask("/model Default", admin)), /default answers here again: `mom\/big`/);
  assert.equal(house.session.chosenModel, undefined);
});

test("/think sets the level and puts it on record, once", async () => {
  const { ask, askAgain, house, present } = createCommandPorts();
  assert.match(String(await ask("/think")), /Thinking: \*\*low\*\* \(the default\)/);
  const first = await ask("/think HIGH", admin);
  assert.equal(await askAgain(), first);
  assert.equal(house.session.thinkingLevel, "high");
  assert.deepEqual(
    present().entries.map((entry) => entry.type === "thinking_level_change" && entry.thinkingLevel),
    ["high"],
  );
  assert.match(String(await ask("/think")), /\*\*high\*\* \(chosen here; the default is low\)/);
  assert.equal(await ask("/think default", admin), "Thinking from the next message on: **low** (the default).");
  assert.equal(house.session.thinkingLevel, undefined);
  assert.match(String(await ask("/think hihg", admin)), /did you mean `high`/);
});

test("/queue and /verbose", async () => {
  const { ask, house } = createCommandPorts();
  assert.match(String(await ask("/queue")), /\*\*steer\*\* \(this channel's default\)\n- `steer`/);
  assert.match(String(await ask("/queue collect", admin)), /\*\*collect\*\*: all that wait are answered together\./);
  assert.match(String(await ask("/queue")), /\*\*collect\*\* \(chosen here\)/);
  assert.match(String(await ask("/queue colect", admin)), /did you mean `collect`\?\)\. Usage/);
  assert.equal(house.session.queueMode, "collect");
  assert.match(String(await ask("/queue default", admin)), /\*\*steer\*\* \(this channel's default\)/);
  assert.equal(house.session.queueMode, undefined);

  assert.match(String(await ask("/verbose")), /are shown/);
  assert.match(String(await ask("/verbose off")), /only show answers/);
  assert.equal(house.session.isQuiet, true);
  assert.match(String(await ask("/verbose")), /are hidden/);
  assert.match(String(await ask("/verbose maybe")), /`maybe` is none of on, off/);
  await ask("/verbose on");
  assert.equal(house.session.isQuiet, undefined);
});

test("/name is one visible line, on record once, and can be taken away", async () => {
  const { ask, askAgain, house, present } = createCommandPorts();
  assert.match(String(await ask("/name")), /has no name/);
  const first = await ask("/name the `big`\n\u202eplan");
  assert.equal(first, "This conversation is now called `the 'big' plan`.");
  assert.equal(await askAgain(), first);
  assert.equal(house.session.label, "the `big` plan");
  assert.equal(present().entries.length, 1);
  assert.match(String(await ask("/name")), /called `the 'big' plan`/);
  assert.match(String(await ask(`/name ${"x".repeat(101)}`)), /at most 100 characters/);
  assert.match(String(await ask("/name \u200b")), /no visible characters/);
  await ask("/name default");
  assert.equal(house.session.label, undefined);
  assert.deepEqual(
    present().entries.map((entry) => entry.type === "session_info" && entry.name),
    ["the `big` plan", ""],
  );
});
