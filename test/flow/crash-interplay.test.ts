/**
 * The crash matrix for turns that meet other messages: one that steers a running turn, and one that stops it. Killed at
 * every point, and in a second round killed twice, each message still has one turn and one fate.
 */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { type ChatServer, createChatServer } from "../fakes/chat-server.ts";
import type { ModelReply, SeenRequest } from "../fakes/model-server.ts";
import { createOpenAiServer } from "../fakes/openai-server.ts";
import { bundleChild, createDataDir, startLife } from "./crash-world.ts";
import { buildConfig, lastUserText } from "./world.ts";

interface Story {
  name: string;
  respond(request: SeenRequest, chat: ChatServer): Promise<ModelReply> | ModelReply;
  isOver(chat: ChatServer): boolean;
  check(turns: TurnRow[], posts: string[]): void;
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

async function runStory(bundle: string, story: Story, deaths: readonly string[]): Promise<string[]> {
  const chat = await createChatServer({ nonce: "enforced" });
  const model = await createOpenAiServer({ respond: (request) => story.respond(request, chat) });
  const dataDir = await createDataDir(buildConfig(model.url));
  const orders = { dataDir, chatUrl: chat.url, settles: "idempotent" as const };
  try {
    say(chat, "m1", "first");
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
    );
    return last.points;
  } finally {
    await chat.close();
    await model.close();
    await rm(dataDir, { recursive: true, force: true });
  }
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

  for (const story of [steering, stopping]) {
    test(story.name, async (t) => {
      const points = [...new Set(await runStory(bundle.path, story, []))];
      const twice = points
        .filter((_, n) => n % 5 === 2)
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
