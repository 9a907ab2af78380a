/** Which command a text calls, and what is said when it calls none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCommandPorts } from "../../test/fakes/command-ports.ts";
import { StoreError } from "../base/errors.ts";
import type { Command } from "../contracts/command.ts";
import { answerCommand } from "./answer.ts";

const template = (name: string) => ({ name, description: "d", path: `/p/${name}.md` });

test("what a text calls: a table", async () => {
  const { commands, house } = createCommandPorts();
  house.templates.push(template("review"), template("Help"), template("7up"));
  house.skills.push({
    name: "pdf",
    description: "d",
    path: "/s/pdf/SKILL.md",
    source: "workspace",
    isModelInvocable: true,
    isUserInvocable: true,
    tags: [],
    isPinned: false,
    missing: [],
    warnings: [],
  });
  const cases: [text: string, adapterType: string, expected: string][] = [
    ["/help", "x", "command help "],
    ["  /HELP  think ", "x", "command help think"],
    ["/reset", "x", "command new "],
    ["/rule add\nno mail ", "x", "command rule add\nno mail"],
    ["/hotkeys", "cli", "command hotkeys "],
    ["/hotkeys", "slack", "unknown hotkeys -"],
    ["/review a b", "x", "prompt"],
    ["/REVIEW", "x", "prompt"],
    ["/7up", "x", "prompt"],
    ["/skill:pdf do it", "x", "prompt"],
    ["/skill:nothing", "x", "prompt"],
    ["/skill:", "x", "prompt"],
    ["/skill pdf", "x", "command skill pdf"],
    ["/halp", "x", "unknown halp help"],
    ["/rest", "x", "unknown rest reset"],
    ["/reveiw x", "x", "unknown reveiw review"],
    ["/pdf", "x", "unknown pdf skill:pdf"],
    ["/zzzzzzzz", "x", "unknown zzzzzzzz -"],
    ["/2 cups of flour", "x", "none"],
    ["/etc/hosts", "x", "none"],
    ["/", "x", "none"],
    ["hello /help", "x", "none"],
    ["", "x", "none"],
  ];
  for (const [text, adapterType, expected] of cases) {
    const found = await commands.find(text, { adapterType, agentId: "main" });
    const shown =
      found.type === "command"
        ? `command ${found.command.name} ${found.args}`
        : found.type === "unknown"
          ? `unknown ${found.name} ${found.nearest ?? "-"}`
          : found.type;
    assert.equal(shown, expected, text);
  }
});

test("templates are only looked up for what is no command", async () => {
  const { commands, house } = createCommandPorts();
  const where = { adapterType: "x", agentId: "main" };
  for (const text of ["/help", "/skill:x", "hello", "/etc/hosts"]) await commands.find(text, where);
  assert.equal(house.promptLookups, 0);
  await commands.find("/other", where);
  assert.equal(house.promptLookups, 1);
});

test("another agent's templates are neither called nor suggested", async () => {
  const { ask, commands, house } = createCommandPorts();
  house.templates.push(template("review"));
  const find = (text: string, agentId: string) => commands.find(text, { adapterType: "x", agentId });
  assert.deepEqual(await find("/review", "main"), { type: "prompt" });
  assert.deepEqual(await find("/review", "other"), { type: "unknown", name: "review" });
  assert.deepEqual(await find("/reveiw", "other"), { type: "unknown", name: "reveiw" });
  house.session = { ...house.session, agentId: "other" };
  assert.match(String(await ask("/review")), /^I do not know `\/review`\. `\/help` lists/);
});

test("names and aliases are unique, and every command says what it is for", () => {
  const { commands } = createCommandPorts();
  const all = commands.list("cli");
  const names = all.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]);
  assert.equal(new Set(names).size, names.length);
  for (const { name, summary } of all) assert.match(summary, /^\S.{5,90}[^.]$/, name);
});

test("every command of the list is there, in its place in the queue and for whom it is", () => {
  const { commands } = createCommandPorts();
  const toMark = ({ name, adminOnly, immediate }: Command) =>
    `${name}${adminOnly ? "*" : ""}${immediate ? "" : " in order"}`;
  assert.deepEqual(commands.list("cli").map(toMark).sort(), [
    "allowlist*",
    "approve*",
    "changelog",
    "commands",
    "compact in order",
    "context",
    "cron*",
    "export in order",
    "fork in order",
    "help",
    "hotkeys",
    "login*",
    "logout*",
    "memory",
    "model in order",
    "name in order",
    "new in order",
    "queue",
    "reload*",
    "restart*",
    "resume in order",
    "rule*",
    "session",
    "settings*",
    "skill",
    "status",
    "stop",
    "subagents",
    "think in order",
    "tree in order",
    "usage",
    "verbose",
    "whoami",
  ]);
});

test("what is said to what cannot be run: a table", async () => {
  const { ask, house } = createCommandPorts();
  house.templates.push(template("review"));
  const cases: [text: string, expected: RegExp][] = [
    ["/halp", /^I do not know `\/halp`\. Did you mean `\/help`\? `\/help` lists/],
    ["/zzzzzzzz", /^I do not know `\/zzzzzzzz`\. `\/help` lists/],
    ["hello", /^That is not a command/],
    ["/review", /Say it again/],
    ["/reload", /^`\/reload` is for admins only.*`\/whoami`/],
    ["/verbose loud", /^`loud` is none of on, off\. Usage: `\/verbose \[on\|off\]`\.$/],
  ];
  for (const [text, expected] of cases) assert.match(String(await ask(text)), expected, text);
});

test("no admin command runs for anybody else", async () => {
  const { ask, house, commands } = createCommandPorts();
  for (const { name, adminOnly } of commands.list("x")) {
    if (adminOnly) assert.match(String(await ask(`/${name} queue 1`)), /for admins only/, name);
  }
  assert.deepEqual([house.reloads, house.restarts, house.settings.size], [0, [], 1]);
});

test("a stop and a message that is too long are answered as such, whatever their text is", async () => {
  const { ask } = createCommandPorts();
  const stopped = { running: 1, waiting: 2 };
  assert.equal(await ask("STOP!", { turn: { stopped } }), "Stopped; 2 waiting messages were dropped.");
  assert.equal(await ask("/stop", { turn: { stopped: { running: 0, waiting: 1 } } }), "1 waiting message was dropped.");
  assert.equal(await ask("/stop", { turn: { stopped: { running: 1, waiting: 0 } } }), "Stopped.");
  assert.equal(await ask("/stop", { turn: { stopped: { running: 0, waiting: 0 } } }), "There was nothing to stop.");
  const tooLong = { id: "m", channelId: "C1", timestamp: "", text: "/help", attachments: [], isMention: true };
  const message = {
    ...tooLong,
    sender: { id: "U1", username: "ann", isBot: false },
    metadata: { tooLongBytes: 3 * 2 ** 20 },
  };
  assert.match(String(await ask("", { turn: { message } })), /^That message has 3\.0 MiB of text/);
  assert.match(String(await ask("/stop everything")), /^Nothing was stopped: say just `stop`/);
});

test("a coded refusal is a reply; what may go better later, and what is no refusal, is not", async () => {
  const { commands, house } = createCommandPorts();
  const answer = (error: Error) => {
    const command: Command = {
      name: "x",
      summary: "fails",
      async run() {
        throw error;
      },
    };
    const found = { list: () => [command], find: async () => ({ type: "command" as const, command, args: "" }) };
    return answerCommand({ ...commands, ...found }, {
      turn: { message: { text: "/x" } },
      session: house.session,
      adapterType: "x",
      isAdmin: false,
      steps: [],
    } as unknown as Parameters<typeof answerCommand>[1]);
  };
  assert.equal(await answer(new StoreError("A", "It is gone", { hint: "Look." })), "It is gone. Look.");
  assert.equal(await answer(new StoreError("A", "Is it gone?")), "Is it gone?");
  const several = new StoreError("A", "Not valid:\n- `a`\n- b", { hint: "Look." });
  assert.equal(await answer(several), "Not valid:\n```\n- `a`\n- b\n```\nLook.");
  await assert.rejects(answer(new StoreError("A", "disk", { retryable: true })), /disk/);
  await assert.rejects(answer(new TypeError("bug")), /bug/);
});
