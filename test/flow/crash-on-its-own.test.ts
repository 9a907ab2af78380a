/**
 * The crash matrix for what mom does on her own: a reminder, a job in a session of its own that posts its answer, an event
 * file, a heartbeat that has something to say, findings of a subagent. Killed at points all along, each is done once.
 */
import assert from "node:assert/strict";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type ChatServer, createChatServer } from "../fakes/chat-server.ts";
import type { ModelReply, SeenRequest } from "../fakes/model-server.ts";
import { createOpenAiServer } from "../fakes/openai-server.ts";
import { bundleChild, createDataDir, startLife } from "./crash-world.ts";
import { buildConfig, lastUserText, waitFor } from "./world.ts";

interface Story {
  name: string;
  /** Every so manieth point; all of them where `MOM_EVERY_POINT` is set, which takes several minutes. */
  every: number;
  config?: Record<string, unknown>;
  /** Said when mom is first there; absent: nothing. */
  opening?: string;
  /** Files of the workspace, before the first start. */
  files?: Record<string, string>;
  /** The lives after the first greeting, and the deaths among them, are so much later. */
  aheadMs?: number;
  respond(request: SeenRequest): ModelReply;
  /** What the chat must show in the end, in this order. */
  posts: string[];
  /** What else must come true before mom is stopped for good. */
  isTidy?(dataDir: string): Promise<boolean>;
}

const isThorough = process.env["MOM_EVERY_POINT"] !== undefined;

const answer = (text: string): ModelReply => ({ type: "answer", text });
const call = (name: string, args: Record<string, unknown>): ModelReply => ({
  type: "answer",
  toolCalls: [{ id: `call-${name}`, name, arguments: args }],
});
const hasCalled = (request: SeenRequest, name: string) =>
  JSON.stringify(request.body["messages"]).includes(`call-${name}`);

/** Sets a job; where a crash cut the call off, it is looked up first whether it came through. */
function setJob(request: SeenRequest, job: { in: number; text: string; isolated?: true }, done: string): ModelReply {
  const messages = request.body["messages"] as { role: string; content: unknown }[];
  const last = messages.at(-1);
  const add = call("cron", { action: "add", ...job });
  if (last?.role !== "tool") return add;
  const result = JSON.stringify(last.content);
  if (/Interrupted/.test(result)) return call("cron", { action: "list" });
  return result.includes(job.text) ? answer(done) : add;
}

const stories: Story[] = [
  {
    name: "a reminder",
    every: 19,
    opening: "remind me of tea",
    respond(request) {
      if (lastUserText(request).startsWith("[REMINDER]")) return answer("Time for tea");
      return setJob(request, { in: 1, text: "tea" }, "I will.");
    },
    posts: ["I will.", "Time for tea"],
  },
  {
    name: "a job in a session of its own",
    every: 19,
    opening: "look at the oven later",
    respond(request) {
      const text = lastUserText(request);
      if (text.startsWith("[CRON") || text.includes("is the oven off")) return answer("The oven is off.");
      return setJob(request, { in: 1, text: "is the oven off", isolated: true }, "I will look.");
    },
    posts: ["I will look.", "The oven is off."],
  },
  {
    name: "a heartbeat that has something to say",
    every: 15,
    config: { heartbeat: { every: "1m" } },
    opening: "hello",
    files: { "HEARTBEAT.md": "# Look\n\nIs the door shut?\n" },
    aheadMs: 120_000,
    respond: (request) =>
      answer(
        JSON.stringify(request.body).includes("Is the door shut") && lastUserText(request) !== "hello"
          ? "The door is open!"
          : "Hello!",
      ),
    posts: ["Hello!", "The door is open!"],
  },
  {
    name: "an event file",
    every: 15,
    opening: "hello",
    files: { "events/now.json": JSON.stringify({ type: "immediate", channelId: "fake/D1", text: "look at the door" }) },
    respond: (request) => answer(lastUserText(request).startsWith("[EVENT:now.json:") ? "The door is shut." : "Hello!"),
    posts: ["Hello!", "The door is shut."],
    isTidy: async (dataDir) => (await readdir(join(dataDir, "workspace/events"))).length === 0,
  },
  {
    name: "findings of a subagent",
    every: 17,
    opening: "look into it",
    respond(request) {
      const text = lastUserText(request);
      if (text.startsWith("[SUBAGENT")) return answer("It is green.");
      if (text.includes("which colour")) return answer("Found: green.");
      return hasCalled(request, "sessions_spawn")
        ? answer("I have sent somebody.")
        : call("sessions_spawn", { task: "which colour" });
    },
    posts: ["I have sent somebody.", "It is green."],
  },
];

async function runStory(bundle: string, story: Story, dieAt: string): Promise<string[]> {
  const chat = await createChatServer({ nonce: "enforced" });
  const model = await createOpenAiServer({ respond: (request) => story.respond(request) });
  const dataDir = await createDataDir(buildConfig(model.url, story.config ? { config: story.config } : {}));
  const orders = { dataDir, plain: { chatUrl: chat.url, settles: "idempotent" as const } };
  for (const [path, text] of Object.entries(story.files ?? {})) await putFile(dataDir, path, text);
  const texts = () => chat.posts.map((post) => post.text);
  const isOver = () => texts().length >= story.posts.length && chat.unacknowledged === 0;
  try {
    if (story.opening !== undefined) say(chat, story.opening);
    if (story.aheadMs !== undefined) {
      const greeting = startLife(bundle, { ...orders, dieAt: "" });
      await chat.until(() => texts().length > 0 && chat.unacknowledged === 0);
      await greeting.stop();
    }
    const later = { ...orders, ...(story.aheadMs !== undefined && { aheadMs: story.aheadMs }) };
    if (dieAt !== "") {
      const life = startLife(bundle, { ...later, dieAt });
      const end = await Promise.race([life.ended, chat.until(isOver).then(() => "over")]);
      if (end === "over") await life.stop();
    }
    const last = startLife(bundle, { ...later, dieAt: "" });
    await chat.until(isOver);
    await waitFor(async () => (await story.isTidy?.(dataDir)) ?? true);
    await last.stop();
    assert.deepEqual(texts().toSorted(), story.posts.toSorted());
    return last.points;
  } finally {
    await chat.close();
    await model.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const say = (chat: ChatServer, text: string) => chat.say({ id: "m1", channel: "D1", user: "U1", text, mention: true });

async function putFile(dataDir: string, path: string, text: string): Promise<void> {
  const target = join(dataDir, "workspace", path);
  await mkdir(join(target, ".."), { recursive: true });
  await writeFile(`${target}.new`, text);
  await rename(`${target}.new`, target);
}

describe("killed at any point, what mom does on her own is done once", async () => {
  let bundle: Awaited<ReturnType<typeof bundleChild>>;
  before(async () => {
    bundle = await bundleChild();
  });
  after(() => bundle.remove());

  for (const story of stories) {
    test(story.name, async (t) => {
      const points = [...new Set(await runStory(bundle.path, story, ""))].filter(
        (_, n) => isThorough || n % story.every === 0,
      );
      assert.ok(points.length > 2, `${points.length} points`);
      await t.test("each point", { concurrency: 2 }, async (each) => {
        await Promise.all(
          points.map((dieAt) =>
            each.test(dieAt, { timeout: 60_000 }, async () => void (await runStory(bundle.path, story, dieAt))),
          ),
        );
      });
    });
  }
});
