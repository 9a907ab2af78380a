/** Completion of slash commands. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SlashCommand } from "../../src/gateway/protocol/index.ts";
import { fillCommand, isWhole, offerCommands, slashWord } from "./slash.ts";

const command = (name: string, summary = ""): SlashCommand => ({ name, summary, kind: "command" });
const commands = [
  command("new", "Begin afresh"),
  command("model", "Choose a model"),
  command("renew"),
  command("stop", "End the turn"),
];

test("only the first word of a message is a command", () => {
  assert.equal(slashWord("/", 1), "");
  assert.equal(slashWord("/mo", 3), "mo");
  assert.equal(slashWord("/model x", 6), "model");
  assert.equal(slashWord("/model x", 8), undefined);
  assert.equal(slashWord("a /mo", 5), undefined);
  assert.equal(slashWord("/a/b", 4), undefined);
});

test("names that begin so come before those that hold it and those whose summary says it", () => {
  assert.deepEqual(
    offerCommands(commands, "new").map(({ name }) => name),
    ["new", "renew"],
  );
  assert.deepEqual(
    offerCommands(commands, "afresh").map(({ name }) => name),
    ["new"],
  );
  assert.equal(offerCommands(commands, "").length, 4);
  assert.deepEqual(offerCommands(commands, "nothing"), []);
});

test("the name is filled in before what follows it", () => {
  assert.deepEqual(fillCommand("/mo", "model"), { text: "/model ", caret: 7 });
  assert.deepEqual(fillCommand("/mo gpt", "model"), { text: "/model gpt", caret: 7 });
});

test("a name that is written out is sent at once, though other commands hold it, too", () => {
  const offered = offerCommands([...commands, command("model-info"), command("MODELS")], "model");
  assert.ok(offered.length > 1);
  assert.equal(isWhole(offered, 0, "model"), true);
  assert.equal(isWhole(offered, 1, "model"), false);
  assert.equal(isWhole(offerCommands(commands, "mod"), 0, "mod"), false);
  assert.equal(isWhole([], 0, undefined), false);
});
