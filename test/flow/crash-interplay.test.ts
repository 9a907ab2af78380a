/**
 * The crash matrix for turns that meet other messages (one that steers a running turn, one that stops it), for a
 * conversation that is shortened, and for one that is left and taken up again. Killed at every point, and in a second
 * round killed twice, each message still has one turn and one fate.
 */
import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import type { TranscriptEntry } from "../../src/contracts/transcript.ts";
import { type ChatServer, createChatServer } from "../fakes/chat-server.ts";
import type { ModelReply, SeenRequest } from "../fakes/model-server.ts";
import { createOpenAiServer } from "../fakes/openai-server.ts";
import { bundleChild, createDataDir, startLife } from "./crash-world.ts";
import { buildConfig, lastUserText } from "./world.ts";

interface Story {
  name: string;
  /** Settings of the model. */
  m1?: Record<string, unknown>;
  /** Every so manieth point only; absent: all, and some of them twice. */
  every?: number;
  /** What the first message says; absent: `first`. */
  opening?: string;
  respond(request: SeenRequest, chat: ChatServer): Promise<ModelReply> | ModelReply;
  isOver(chat: ChatServer): boolean;
  check(turns: TurnRow[], posts: string[], entries: TranscriptEntry[]): void;
}
interface TurnRow {
  id: string;
  state: string;
  merged: boolean;
}

const say = (chat: ChatServer, id: string, text: string) =>
  chat.say({ id, channel: "D1", user: "U1", text, mention: true });
const answered = (chat: ChatServer, text: string) => chat.posts.some((post) => post.text === text);

/** The second message comes while the model works on the first; it is taken in, or answered by itself. */
const steering: Story = {
  name: "steering",
  async respond(request, chat) {
    const text = lastUserText(request);
    const messages = request.body["messages"] as { role: string }[];
    if (text !== "first" || messages.at(-1)?.role === "tool") return { type: "answer", text: `answer to ${text}` };
    say(chat, "m2", "second");
    await chat.until(() => chat.unacknowledged === 0);
    return { type: "answer", toolCalls: [{ id: "look", name: "ls", arguments: { path: "." } }] };
  },
  isOver: (chat) => answered(chat, "answer to second") && chat.unacknowledged === 0,
  check(turns, posts) {
    const [first, second] = turns;
    assert.deepEqual([first?.id, first?.state, second?.id, second?.state], ["m1", "done", "m2", "done"]);
    const expected = second?.merged ? ["answer to second"] : ["answer to first", "answer to second"];
    assert.deepEqual(posts, expected);
  },
};

/** The model never answers the first message; the second one stops it. */
const stopping: Story = {
  name: "stopping",
  every: 2,
  respond(request, chat) {
    assert.equal(lastUserText(request), "first");
    say(chat, "m2", "stop");
    return { type: "silence" };
  },
  isOver: (chat) => chat.posts.length > 0 && chat.unacknowledged === 0,
  check(turns, posts) {
    assert.deepEqual(
      turns.map(({ id, state }) => [id, state]),
      [
        ["m1", "stopped"],
        ["m2", "done"],
      ],
    );
    assert.deepEqual(posts, ["Stopped."]);
  },
};

const filler = "and so on ".repeat(1000);

/** The second message does not fit any more: notes are taken, the first one is summarised. */
const shortening: Story = {
  name: "shortening",
  every: 4,
  m1: { contextWindow: 8192, maxOutputTokens: 1024 },
  opening: `first ${filler}`,
  respond(request, chat) {
    if (request.body["tools"] === undefined) return { type: "answer", text: "- A summary of it." };
    const word = lastUserText(request).split(" ")[0];
    if (word === "first") say(chat, "m2", `second ${filler}`);
    return { type: "answer", text: `answer to ${word}` };
  },
  isOver: (chat) => answered(chat, "answer to second") && chat.unacknowledged === 0,
  check(turns, posts, entries) {
    assert.deepEqual(
      turns.map(({ id, state }) => [id, state]),
      [
        ["m1", "done"],
        ["m2", "done"],
      ],
    );
    assert.deepEqual(posts, ["answer to first", "answer to second"]);
    const count = (type: string) => entries.filter((entry) => entry.type === type).length;
    assert.equal(count("compaction"), 1, "it is shortened once");
    assert.equal(entries.filter((entry) => entry.type === "message" && entry.message.role === "user").length, 2);
  },
};

/** A conversation is left for a new one and taken up again. */
const leaving: Story = {
  name: "leaving and coming back",
  every: 8,
  respond(request, chat) {
    const text = lastUserText(request);
    const rest = ["/new", "between", "/resume 1", "last"];
    if (text === "first") for (const [n, next] of rest.entries()) say(chat, `m${n + 2}`, next);
    return { type: "answer", text: `answer to ${text}` };
  },
  isOver: (chat) => answered(chat, "answer to last") && chat.unacknowledged === 0,
  check(turns, posts, entries) {
    assert.deepEqual(
      turns.map(({ id, state }) => [id, state]),
      ["m1", "m2", "m3", "m4", "m5"].map((id) => [id, "done"]),
    );
    assert.equal(posts.length, 5);
    const said = entries.flatMap((entry) =>
      entry.type === "message" && entry.message.role === "user" ? [String(entry.message.content).split(": ")[1]] : [],
    );
    assert.deepEqual(said, ["first", "last"]);
  },
};

async function runStory(bundle: string, story: Story, deaths: readonly string[]): Promise<string[]> {
  const chat = await createChatServer({ nonce: "enforced" });
  const model = await createOpenAiServer({ respond: (request) => story.respond(request, chat) });
  const dataDir = await createDataDir(buildConfig(model.url, story.m1 ? { m1: story.m1 } : {}));
  const orders = { dataDir, plain: { chatUrl: chat.url, settles: "idempotent" as const } };
  try {
    say(chat, "m1", story.opening ?? "first");
    for (const dieAt of deaths) {
      const life = startLife(bundle, { ...orders, dieAt });
      // The second death may lie on a way that the turn does not take any more.
      const end = await Promise.race([life.ended, chat.until(() => story.isOver(chat)).then(() => "over")]);
      if (end === "over") await life.stop();
    }
    const last = startLife(bundle, { ...orders, dieAt: "" });
    await chat.until(() => story.isOver(chat));
    await last.stop();
    story.check(
      readTurns(dataDir),
      chat.posts.map((post) => post.text),
      await readEntries(dataDir),
    );
    return last.points;
  } finally {
    await chat.close();
    await model.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function readEntries(dataDir: string): Promise<TranscriptEntry[]> {
  const text = await readFile(join(dataDir, "workspace/channels/fake/D1/context.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line));
}

function readTurns(dataDir: string): TurnRow[] {
  const db = new DatabaseSync(join(dataDir, "state/mom.db"), { readOnly: true });
  try {
    const rows = db
      .prepare("SELECT i.message_id, t.state, t.merged_into FROM turns t JOIN inbox i USING (seq) ORDER BY seq")
      .all();
    return rows.map((row) => ({
      id: String(row["message_id"]),
      state: String(row["state"]),
      merged: row["merged_into"] !== null,
    }));
  } finally {
    db.close();
  }
}

describe("killed while messages meet, mom gives each one its due", async () => {
  let bundle: Awaited<ReturnType<typeof bundleChild>>;
  before(async () => {
    bundle = await bundleChild();
  });
  after(() => bundle.remove());

  for (const story of [steering, stopping, shortening, leaving]) {
    test(story.name, async (t) => {
      const { every = 1 } = story;
      const points = [...new Set(await runStory(bundle.path, story, []))].filter((_, n) => n % (3 * every) === 0);
      const twice = points
        .filter((_, n) => n % 5 === 1 && every === 1)
        .map((point, n) => [point, points[(n * 7) % points.length] ?? ""]);
      const runs = [...points.map((point) => [point]), ...twice];
      await t.test("each point", { concurrency: 2 }, async (each) => {
        await Promise.all(
          runs.map((deaths) =>
            each.test(deaths.join(" then "), async () => {
              await runStory(bundle.path, story, deaths);
            }),
          ),
        );
      });
    });
  }
});
