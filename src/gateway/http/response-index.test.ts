import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createGatewayHouse } from "../../../test/fakes/gateway-house.ts";
import { createRecordingLog, silentLog } from "../../../test/fakes/log.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import { createResponseIndex } from "./response-index.ts";

const most = 10;
const scope = "gateway-responses";
const known = (name: string, at: number, isOwn = true) => ({
  agentId: "main",
  name,
  sessionKey: `agent:main:dm:webchat:api/main/${name}` as SessionKey,
  isOwn,
  at,
});

/** Until what goes on in the background is done. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("the index of responses", () => {
  test("knows the newest, also after a restart, and clears away the others' conversations", async (t) => {
    const { house, store, asked } = await createGatewayHouse(t);
    for (let n = 0; n < most - 1; n++)
      await store.kv.set(scope, `old-${n}`, known(n === 1 ? "shared" : `kept-${n}`, n));
    const index = createResponseIndex({ house, log: silentLog }, most);
    await index.add("new-1", known("shared", 2000));
    assert.equal((await index.find("old-0"))?.name, "kept-0");
    await index.add("new-2", known("kept-x", 2001));
    await index.add("new-3", known("kept-x", 2002));
    await settle();
    assert.equal(await index.find("old-0"), undefined);
    assert.equal(await index.find("old-1"), undefined);
    assert.equal((await store.kv.list(scope)).size, most);
    // That of old-1 is still somebody's.
    assert.deepEqual(asked, ["delete agent:main:dm:webchat:api/main/kept-0"]);
  });

  test("never deletes a conversation that has a name of its own", async (t) => {
    const { house, store, asked } = await createGatewayHouse(t);
    for (let n = 0; n < most; n++) await store.kv.set(scope, `old-${n}`, known(`user-${n}`, n, false));
    const index = createResponseIndex({ house, log: silentLog }, most);
    await index.add("new", known("kept-1", 2000));
    await settle();
    assert.deepEqual(asked, []);
    assert.equal((await store.kv.list(scope)).size, most);
  });

  test("passes over what it does not understand, and says what it could not clear away", async (t) => {
    const { house, store } = await createGatewayHouse(t);
    await store.kv.set(scope, "odd", { name: 1 });
    for (let n = 0; n < most; n++) await store.kv.set(scope, `old-${n}`, known(`kept-${n}`, n));
    const log = createRecordingLog();
    const deleteSession = () => Promise.reject(new Error("no"));
    const index = createResponseIndex({ house: { ...house, deleteSession }, log }, most);
    assert.equal(await index.find("odd"), undefined);
    await index.add("new", known("kept-x", 2000));
    await settle();
    assert.equal(log.lines.length, 1);
  });
});
