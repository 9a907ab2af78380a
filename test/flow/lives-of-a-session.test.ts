/** A conversation is begun anew, taken up again, forked and walked back, and nothing of it is lost. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createWorld, say, type World } from "./world.ts";

function createTalk(world: World) {
  let posts = 0;
  return async (text: string) => {
    say(world.chat, text);
    posts++;
    await world.chat.until(() => world.chat.posts.length === posts);
    return world.chat.posts.at(-1)?.text ?? "";
  };
}

const lastMessages = (world: World) => JSON.stringify(world.model.requests.at(-1)?.body["messages"]);

test("/new begins anew, /resume takes the old one up again", async () => {
  const world = await createWorld();
  try {
    await world.start();
    const talk = createTalk(world);
    await talk("the secret word is heron");
    await talk("/name birds");
    await talk("/new");
    await talk("what was it?");
    assert.doesNotMatch(lastMessages(world), /heron/);
    assert.match(await talk("/resume"), /\*\*1\*\* `birds`/);
    await talk("/resume 1");
    await talk("and now?");
    assert.match(lastMessages(world), /heron/);
    assert.doesNotMatch(lastMessages(world), /what was it/);
  } finally {
    await world.close();
  }
});

test("/fork goes back before a message and keeps what came after in the old life", async () => {
  const world = await createWorld();
  try {
    const app = await world.start();
    const talk = createTalk(world);
    await talk("first thing");
    await talk("second thing");
    await talk("third thing");
    const list = await talk("/fork");
    assert.match(list, /first thing.*second thing.*third thing/s);
    await talk("/fork 2");
    await talk("another second");
    assert.match(lastMessages(world), /first thing/);
    assert.doesNotMatch(lastMessages(world), /second thing|third thing/);
    const [session] = await app.store.sessions.list();
    assert.ok(session);
    assert.equal((await app.store.transcripts.lives(session.sessionKey)).length, 2);
  } finally {
    await world.close();
  }
});

test("/tree goes to an earlier point of the same life; the branch stays in the file", async () => {
  const world = await createWorld();
  try {
    await world.start();
    const talk = createTalk(world);
    await talk("alpha");
    await talk("beta");
    const tree = await talk("/tree");
    assert.match(tree, /alpha.*beta/s);
    await talk("/tree 1");
    await talk("gamma");
    assert.doesNotMatch(lastMessages(world), /\[u1\]: beta/i);
    assert.match(await talk("/tree"), /beta/);
  } finally {
    await world.close();
  }
});

test("a conversation that rested too long begins anew by itself", async () => {
  const world = await createWorld({ config: { sessions: { resetAfterIdleMinutes: 1 } } });
  try {
    const app = await world.start();
    const talk = createTalk(world);
    await talk("old news");
    const [before] = await app.store.sessions.list();
    await app.stop();
    const db = new DatabaseSync(`${world.dataDir}/state/mom.db`);
    db.exec("UPDATE sessions SET updated_at = updated_at - 120000");
    db.close();
    const later = await world.start();
    await talk("fresh start");
    assert.doesNotMatch(lastMessages(world), /old news/);
    const [after] = await later.store.sessions.list();
    assert.notEqual(after?.sessionId, before?.sessionId);
  } finally {
    await world.close();
  }
});

test("/export gives the conversation as a file, /model and /think change what is asked", async () => {
  const world = await createWorld({ extraModels: [{ id: "m2", reasoning: true }] });
  try {
    await world.start();
    const talk = createTalk(world);
    await talk("hello there");
    assert.match(await talk("/model lab/m2"), /lab\/m2/);
    await talk("/think high");
    await talk("who are you");
    const request = world.model.requests.at(-1)?.body;
    assert.equal(request?.["model"], "m2");
    assert.equal(request?.["reasoning_effort"], "high");
    assert.match(await talk("/model nonsense"), /nonsense/);
    assert.match(await talk("/export"), /file|take/i);
  } finally {
    await world.close();
  }
});
