/** `mom agent`, and what the commands that read show of it afterwards: sessions, status, models, logs. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { type CliWorld, createCliWorld } from "../../../test/fakes/cli-io.ts";
import { createOpenAiServer } from "../../../test/fakes/openai-server.ts";
import { buildAgentCommand } from "./agent.ts";
import { buildLogsCommand } from "./logs.ts";
import { buildModelsCommand } from "./models.ts";
import { buildPromptCommand } from "./prompt.ts";
import { buildSendCommand } from "./send.ts";
import { buildSessionsCommand } from "./sessions.ts";
import { buildStatusCommand } from "./status.ts";
import { buildUsageCommand } from "./usage.ts";

let world: CliWorld;
beforeEach(async () => {
  world = await createCliWorld({
    agent: buildAgentCommand,
    logs: buildLogsCommand,
    models: buildModelsCommand,
    prompt: buildPromptCommand,
    usage: buildUsageCommand,
    send: buildSendCommand,
    sessions: buildSessionsCommand,
    status: buildStatusCommand,
  });
});
afterEach(() => world.close());

test("one turn: the reply and nothing else, and the conversation goes on with the next", async () => {
  const first = await world.run(["agent", "--message", "remember that the door code is 4711"]);
  assert.deepEqual([first.code, first.out], [0, "I will remember: the door code is 4711\n"]);
  // Warnings go there, and a busy machine is worth one.
  assert.doesNotMatch(first.err, /INFO|ERROR|mom:/);
  const second = await world.run(["agent", "--message", "-", "--json"], "what is the door code?\n");
  const { turnId, durationMs, usage, ...rest } = JSON.parse(second.out);
  assert.deepEqual(rest, {
    reply: "From my memory: the door code is 4711",
    sessionKey: "agent:main:main",
    state: "done",
    model: "mom/offline",
  });
  assert.match(turnId, /^t/);
  assert.ok(durationMs >= 0 && usage.totalTokens > 0);
});

test("a named session is a conversation of its own, with the tools of a direct chat", async () => {
  const { out } = await world.run(["agent", "--session", "Käse: 1/2", "--message", "run `date`", "--json"]);
  const { sessionKey, reply } = JSON.parse(out);
  assert.equal(sessionKey, "agent:main:dm:cli-agent:Käse%3A 1/2");
  assert.match(reply, /not available in this chat/);
  assert.equal((await readdir(join(world.dataDir, "workspace/channels/cli-agent"))).length, 1);
});

test("an attached file lies in the channel's folder and is named in the log", async () => {
  await writeFile(join(world.cwd, "my notes.txt"), "milk");
  const { code } = await world.run(["agent", "--message", "hello", "--attach", "my notes.txt"]);
  assert.equal(code, 0);
  const folder = join(world.dataDir, "workspace/channels/cli-agent/main");
  const line = JSON.parse((await readFile(join(folder, "log.jsonl"), "utf8")).split("\n")[0] ?? "");
  const [attachment] = line.attachments;
  assert.equal(attachment.filename, "my notes.txt");
  assert.equal(await readFile(join(world.dataDir, "workspace", attachment.localPath), "utf8"), "milk");
});

test("a turn that fails is exit 1, with the reason", async () => {
  await mkdir(world.dataDir);
  await writeFile(join(world.dataDir, "config.json"), JSON.stringify({ models: { default: "nobody/x" } }));
  const { code, out, err } = await world.run(["agent", "--message", "hello"]);
  assert.deepEqual([code, out], [1, ""]);
  assert.match(err, /There is no model provider "nobody"/);
  const asJson = await world.run(["agent", "--message", "hello", "--json"]);
  assert.deepEqual([asJson.code, JSON.parse(asJson.out).state], [1, "failed"]);
});

test("bad use is exit 2: no message, an empty one, a file that is not there, a bad config", async () => {
  assert.equal((await world.run(["agent"])).code, 2);
  assert.match((await world.run(["agent", "--message", "-"], " \n")).err, /MESSAGE_EMPTY/);
  assert.match((await world.run(["agent", "--message", "x".repeat(1024 * 1024 + 1)])).err, /MESSAGE_TOO_LONG/);
  assert.match((await world.run(["agent", "--message", "x", "--attach", "no.txt"])).err, /ATTACHMENT_MISSING/);
  assert.match((await world.run(["agent", "--message", "x", "--session", " "])).err, /SESSION_NAME_EMPTY/);
  await mkdir(world.dataDir);
  await writeFile(join(world.dataDir, "config.json"), "{ models: 5 }");
  const { code, err } = await world.run(["agent", "--message", "x"]);
  assert.equal(code, 2);
  assert.match(err, /models: found 5/);
});

test("a picture that is sent along is shown to a model that sees, and its cost and prompt can be looked at", async () => {
  const model = await createOpenAiServer({ respond: [{ type: "answer", text: "a dot" }] });
  try {
    const lab = {
      api: "openai-completions",
      baseUrl: model.url,
      models: [{ id: "eye", input: ["text", "image"], price: { input: 1, output: 2 } }],
    };
    await mkdir(world.dataDir, { recursive: true });
    const config = { models: { default: "lab/eye", providers: { lab } } };
    await writeFile(join(world.dataDir, "config.json"), JSON.stringify(config));
    const early = await world.run(["prompt", "show"]);
    assert.match(early.err, /never started here/);
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await writeFile(join(world.cwd, "dot.png"), Buffer.from(png, "base64"));
    const { out } = await world.run(["agent", "--message", "what is this?", "--attach", "dot.png"]);
    assert.equal(out, "a dot\n");
    assert.match(JSON.stringify(model.requests[0]?.body), /"image_url":\{"url":"data:image\/png;base64,iVBOR/);

    const usage = JSON.parse((await world.run(["usage", "--by", "model", "--json"])).out);
    assert.deepEqual([usage[0].key, usage[0].calls, usage[0].input], ["lab/eye", 1, 10]);
    assert.match((await world.run(["usage"])).out, /^DAY +CALLS .*\n\d{4}-\d\d-\d\d +1 /);
    assert.match((await world.run(["usage", "--since", "tomorrow"])).err, /is not a day/);
    const prompt = await world.run(["prompt", "show", "--sizes"]);
    assert.match(prompt.out, /^agent:main:main with lab\/eye\n[\s\S]*section +bytes +share\n[\s\S]*total +\d+ +100 %/);
    const shown = JSON.parse((await world.run(["prompt", "show", "--json"])).out);
    assert.ok(shown.sections.some(({ name }: { name: string }) => name === "Runtime"));
  } finally {
    await model.close();
  }
});

test("sessions are listed and shown; a key that nobody has names the nearest", async () => {
  await world.run(["agent", "--message", "list the files here"]);
  const { out } = await world.run(["sessions", "list"]);
  assert.match(
    out,
    /^KEY +TYPE +MODEL +TOKENS +COST +LAST USED\nagent:main:main +main +mom\/offline +[\d.k]+ +\$0 +just now\n$/,
  );
  const shown = (await world.run(["sessions", "show", "agent:main:main"])).out;
  assert.match(
    shown,
    /^· model: mom\/offline\n\nuser {2}.*\n\[ann\]: list the files here\n\nmom .*mom\/offline\n {2}→ ls .*\n {2}← ls: .*\n\nmom [\s\S]*contains:/,
  );
  const raw = JSON.parse((await world.run(["sessions", "show", "agent:main:main", "--json", "--limit", "100"])).out);
  assert.ok(raw.some((entry: { message?: { role: string } }) => entry.message?.role === "toolResult"));
  const unknown = await world.run(["sessions", "show", "agent:main:mian"]);
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /Did you mean agent:main:main\?/);
  assert.equal((await world.run(["sessions", "show", "x", "--limit", "0"])).code, 2);
});

test("a conversation that has begun anew is shown as empty, and looking writes nothing", async () => {
  await world.run(["agent", "--message", "hello"]);
  await world.run(["agent", "--message", "/new"]);
  const folder = join(world.dataDir, "workspace/channels/cli-agent/main");
  const before = await readdir(folder);
  const { code, out, err } = await world.run(["sessions", "show", "agent:main:main"]);
  assert.deepEqual([code, out], [0, ""]);
  assert.match(err, /nothing has been said/);
  assert.deepEqual(await readdir(folder), before);
});

test("commands that read make no data directory and say how to get one", async () => {
  for (const args of [
    ["sessions", "list"],
    ["status"],
    ["logs", "tail"],
    ["models", "list"],
    ["send", "--to", "a/b", "--message", "x"],
  ]) {
    const { code, err } = await world.run(args);
    assert.deepEqual([args, code], [args, 1]);
    assert.match(err, /There is no data directory[\s\S]*fix: .*--data/);
  }
  await mkdir(world.dataDir);
  await writeFile(join(world.dataDir, "config.json"), "{}");
  assert.deepEqual(JSON.parse((await world.run(["sessions", "list", "--json"])).out), []);
  assert.equal(JSON.parse((await world.run(["status", "--json"])).out).running, false);
  assert.deepEqual(await readdir(world.dataDir), ["config.json"]);
});

test("status counts turns, posts and what was used", async () => {
  await world.run(["agent", "--message", "hello"]);
  await world.run(["send", "--to", "terminal/terminal", "--message", "later"]);
  const status = JSON.parse((await world.run(["status", "--json"])).out);
  assert.deepEqual([status.running, status.turns.done, status.pendingPosts, status.sessions], [false, 1, 1, 1]);
  assert.ok(status.usageToday.calls === 1 && status.databaseBytes > 0);
  const { out } = await world.run(["status"]);
  assert.match(out, /^not running$/m);
  assert.match(out, /^posts to deliver: 1$/m);
});

test("send queues for the next start; an unknown adapter or a bad target is bad use", async () => {
  await world.run(["agent", "--message", "hello"]);
  const { out, err } = await world.run(["send", "--to", "terminal/terminal", "--message", "later", "--json"]);
  assert.match(err, /there has been no chat "terminal" on terminal yet/);
  const sent = JSON.parse(out);
  assert.deepEqual(
    [sent.channel, sent.deliveries.length, sent.running],
    [{ adapter: "terminal", channelId: "terminal" }, 1, false],
  );
  const mistyped = await world.run(["send", "--to", "termnal/terminal", "--message", "x"]);
  assert.equal(mistyped.code, 2);
  assert.match(mistyped.err, /Did you mean "terminal"\?/);
  assert.match((await world.run(["send", "--to", "terminal", "--message", "x"])).err, /BAD_TARGET/);
  assert.match((await world.run(["send", "--to", "constructor/x", "--message", "x"])).err, /UNKNOWN_ADAPTER/);
});

test("models lists what can be chosen and says what answers", async () => {
  await mkdir(world.dataDir);
  const lab = {
    api: "openai-completions",
    baseUrl: "http://127.0.0.1:1/v1",
    models: [{ id: "m1", contextWindow: 32000 }],
  };
  const models = { default: "fast", aliases: { fast: "lab/m1", gone: "lab/m9" }, providers: { lab } };
  await writeFile(join(world.dataDir, "config.json"), JSON.stringify({ models }));
  const { out } = await world.run(["models", "list"]);
  assert.match(out, /^\* +lab\/m1 +32\.0k/m);
  assert.match(out, /^ +mom\/offline/m);
  const status = JSON.parse((await world.run(["models", "status", "--json"])).out);
  assert.deepEqual(status.default, { model: "lab/m1" });
  assert.match(status.aliases[1].problem, /no model "m9"/);
  await writeFile(join(world.dataDir, "config.json"), JSON.stringify({ models: { default: "lab/m1" } }));
  const none = await world.run(["models", "status"]);
  assert.equal(none.code, 1);
  assert.match(none.out, /^answers: none\. There is no model provider "lab"/);
});

test("logs tail prints the last lines for people, or as they are", async () => {
  await world.run(["agent", "--message", "hello"]);
  const { out } = await world.run(["logs", "tail", "-n", "1"]);
  assert.match(out, /^-- \d{4}-\d\d-\d\d\n\d\d:\d\d:\d\d INFO {2}A channel is down {2}adapter=cli-agent\n$/);
  const raw = (await world.run(["logs", "tail", "--json"])).out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.ok(raw.length >= 2 && raw.every(({ level }) => typeof level === "string"));
});

test("a reminder is not promised in a chat that ends with the command", async () => {
  const { out } = await world.run(["agent", "--message", "remind me in 10 minutes to stretch"]);
  assert.doesNotMatch(out, /I will remind you/);
  assert.match(out, /ends with the command/);
});
