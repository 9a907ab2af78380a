/** Conversations for one answer leave nothing behind, wherever mom was killed. */
import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createGatewayHouse } from "../../../test/fakes/gateway-house.ts";
import { createRecordingLog } from "../../../test/fakes/log.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import { createPassingChats } from "./passing-chats.ts";

const said = {
  messageId: "m1",
  deviceName: "api",
  isAdmin: false,
  text: "hello",
  attachments: [],
  to: { type: "named", agentId: "main", name: "once-1" },
} as const;
const chatOf = (agentId: string, name: string): ChannelRef => ({
  adapter: "webchat",
  channelId: `api/${agentId}/${name}`,
});
const channel = chatOf("main", "once-1");

async function createStage(t: TestContext) {
  const fake = await createGatewayHouse(t, { clock: createFakeClock() });
  const { store, house, turns } = fake;
  const forgotten: string[] = [];
  const log = createRecordingLog();
  /** Each is a life of mom. */
  const begin = () =>
    createPassingChats({
      store,
      chatOf,
      whenOver: turns.whenOver,
      forgetChat: async ({ channelId }) => void forgotten.push(channelId),
      log,
    });
  const saveFile = () =>
    store.channels.saveAttachment(channel, {
      filename: "a.txt",
      data: (async function* () {
        yield Buffer.from("hello");
      })(),
      maxBytes: 5,
    });
  const isThere = (path: string) =>
    access(join(house.workspaceDir, path)).then(
      () => true,
      () => false,
    );
  const rows = () => store.kv.list("gateway-passing");
  const whenForgotten = async () => {
    while ((await rows()).size > 0) await new Promise(setImmediate);
  };
  return { ...fake, begin, forgotten, log, saveFile, isThere, rows, whenForgotten };
}

test("it is written down before it is said, and gone when its turn is over", async (t) => {
  const { begin, house, turns, store, rows, whenForgotten, forgotten } = await createStage(t);
  const result = await begin().say({ ...said, attachments: [] }, async (message) => {
    assert.deepEqual([...(await rows())], [["m1", channel]]);
    return house.say(message);
  });
  assert.ok(result.type === "accepted");
  const turn = await turns.next();
  assert.equal((await rows()).size, 1);
  assert.ok(await store.sessions.get(result.sessionKey));
  await turn.end("Done.");
  await whenForgotten();
  assert.equal(await store.sessions.get(result.sessionKey), undefined);
  assert.deepEqual(forgotten, [channel.channelId]);
});

test("killed after it was said: the next life forgets it when its turn is over", async (t) => {
  const { begin, house, turns, store, whenForgotten, forgotten } = await createStage(t);
  const taken = Promise.withResolvers<void>();
  void begin().say({ ...said, attachments: [] }, async (message) => {
    await house.say(message);
    taken.resolve();
    return new Promise(() => undefined);
  });
  await taken.promise;
  const turn = await turns.next();
  const { sessionKey } = turn.turn.route;
  await begin().sweep();
  assert.ok(await store.sessions.get(sessionKey));
  assert.deepEqual(forgotten, []);
  await turn.end("Done.");
  await whenForgotten();
  assert.equal(await store.sessions.get(sessionKey), undefined);
  assert.deepEqual(forgotten, [channel.channelId]);
});

test("killed before it was said: the next life removes its files and the note", async (t) => {
  const { begin, saveFile, isThere, rows, whenForgotten } = await createStage(t);
  const { localPath } = await saveFile();
  const reached = Promise.withResolvers<void>();
  const first = begin();
  void first.say({ ...said, attachments: [] }, () => {
    reached.resolve();
    return new Promise(() => undefined);
  });
  await reached.promise;
  await first.sweep();
  await new Promise(setImmediate);
  assert.equal((await rows()).size, 1, "who is about to say it is not disturbed");
  assert.equal(await isThere(localPath), true);
  await begin().sweep();
  await whenForgotten();
  assert.equal(await isThere(localPath), false);
});

test("what was refused or failed leaves neither a note nor files", async (t) => {
  const { begin, saveFile, isThere, whenForgotten, log } = await createStage(t);
  const passing = begin();
  for (const fails of [false, true]) {
    const { localPath } = await saveFile();
    const result = passing.say({ ...said, attachments: [] }, async () => {
      if (fails) throw new Error("no disk");
      return { type: "refused", reason: "no" };
    });
    if (fails) await assert.rejects(result, /no disk/);
    else assert.equal((await result).type, "refused");
    await whenForgotten();
    assert.equal(await isThere(localPath), false);
  }
  assert.deepEqual(log.lines, []);
});
