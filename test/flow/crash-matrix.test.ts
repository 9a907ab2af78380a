/**
 * Kills mom, with SIGKILL and in a process of its own, at every point of a turn's life, starts it again, and looks:
 * every message has exactly one turn and one reply, and log.jsonl, context.jsonl and the database agree.
 */
import assert from "node:assert/strict";
import { access, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createChatServer } from "../fakes/chat-server.ts";
import type { SeenRequest } from "../fakes/model-server.ts";
import { createOpenAiServer } from "../fakes/openai-server.ts";
import { assertConsistent, bundleChild, createDataDir, startLife } from "./crash-world.ts";
import { buildConfig, lastUserText } from "./world.ts";

const settlesBy = { enforced: "idempotent", searchable: "lookup", ignored: "blind" } as const;
type Nonce = keyof typeof settlesBy;

/** A model whose answers depend on nothing but the request, so that asking again changes nothing. */
function respond(request: SeenRequest) {
  const text = lastUserText(request);
  const messages = request.body["messages"] as { role: string; content: string }[];
  const results = messages.slice(messages.findLastIndex((m) => m.role === "user")).filter((m) => m.role === "tool");
  if (!text.startsWith("tools") || results.length === 2) return { type: "answer" as const, text: `answer to ${text}` };
  if (results.length > 0) return { type: "answer" as const, text: `answer to ${text}` };
  return {
    type: "answer" as const,
    text: "Looking.",
    toolCalls: [
      { id: "call-read", name: "ls", arguments: { path: "." } },
      { id: "call-act", name: "bash", arguments: { command: "echo ran >> ran.txt" } },
    ],
  };
}

interface Run {
  nonce: Nonce;
  dieAt: string;
  texts: readonly string[];
}

/** Runs until every message is answered, through one death, and checks everything. Returns the points passed. */
async function runThroughDeath(bundle: string, { nonce, dieAt, texts }: Run): Promise<string[]> {
  const chat = await createChatServer({ nonce });
  const model = await createOpenAiServer({ respond });
  const dataDir = await createDataDir(buildConfig(model.url, { config: { queue: { mode: "followup" } } }));
  const orders = { dataDir, chatUrl: chat.url, settles: settlesBy[nonce] };
  const sent = texts.map((text, n) => ({ id: `m${n}`, text }));
  try {
    const first = startLife(bundle, { ...orders, dieAt });
    for (const message of sent) chat.say({ ...message, channel: "D1", user: "U1", mention: true });
    const answered = () => sent.every(({ text }) => chat.posts.some((post) => post.text === `answer to ${text}`));
    const done = () => answered() && chat.unacknowledged === 0;
    if (dieAt === "") await chat.until(done);
    else assert.equal(await first.ended, "SIGKILL", `the process should have died at ${dieAt}`);
    const last = dieAt === "" ? first : startLife(bundle, { ...orders, dieAt: "" });
    await chat.until(done);
    await last.stop();
    await assertConsistent(dataDir, sent);
    await assertPosts(dataDir, chat.posts, sent, nonce);
    await assertToolRanOnce(dataDir, texts);
    return first.points;
  } finally {
    await chat.close();
    await model.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function assertPosts(dataDir: string, posts: { text: string }[], sent: { text: string }[], nonce: Nonce) {
  for (const { text } of sent) {
    const count = posts.filter((post) => post.text === `answer to ${text}`).length;
    if (nonce !== "ignored") assert.equal(count, 1, `"${text}" was answered once`);
    else {
      assert.ok(count === 1 || count === 2, `"${text}" was answered once, or once more where nobody can tell`);
      const log = await readFile(join(dataDir, "state/logs/mom.log"), "utf8");
      if (count === 2) assert.match(log, /may have arrived before; it is sent once more/);
    }
  }
}

/** What acts on the world is never done twice by a resumed turn. */
async function assertToolRanOnce(dataDir: string, texts: readonly string[]): Promise<void> {
  const path = join(dataDir, "workspace/ran.txt");
  const hasRun = await access(path).then(
    () => true,
    () => false,
  );
  const runs = hasRun ? (await readFile(path, "utf8")).trim().split("\n").length : 0;
  assert.ok(runs <= texts.filter((text) => text.startsWith("tools")).length, `the tool ran ${runs} times`);
}

describe("killed at any point of a turn, mom finishes it once after the restart", { concurrency: 2 }, async () => {
  let bundle: Awaited<ReturnType<typeof bundleChild>>;
  before(async () => {
    bundle = await bundleChild();
  });
  after(() => bundle.remove());

  for (const [nonce, texts] of [
    ["enforced", ["hello"]],
    ["searchable", ["tools please"]],
    ["ignored", ["hello"]],
  ] as const) {
    test(`platform with ${nonce} ids, "${texts.join('", "')}"`, async (t) => {
      const points = await runThroughDeath(bundle.path, { nonce, texts, dieAt: "" });
      const distinct = [...new Set(points)];
      assert.ok(distinct.length >= 20, `only ${distinct.length} points: ${distinct.join(" ")}`);
      // The platforms differ in how a post is settled only: of the points before that each tries its share.
      const isAboutPosts = (point: string) => /^(adapter|outbox)\./.test(point);
      const share = nonce === "enforced" ? 0 : 1;
      const tried = distinct.filter((point, n) => isAboutPosts(point) || n % 2 === share);
      await t.test("each point", { concurrency: 2 }, async (each) => {
        const runs = tried.map((dieAt) =>
          each.test(dieAt, async () => {
            await runThroughDeath(bundle.path, { nonce, texts, dieAt });
          }),
        );
        await Promise.all(runs);
      });
    });
  }
});
