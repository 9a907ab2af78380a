/** Finding the gateway of a data directory, and never believing what a dead mom has left behind. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { pretendToRun } from "../../../test/fakes/running-mom.ts";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import { awaitGateway, buildInUse, ensureGateway, findGateway, readToken } from "./find-gateway.ts";

const url = "http://127.0.0.1:18800";

test("a running mom that listens is found, with her token", async (t) => {
  const { dir } = await createTempFolder(t);
  const clock = createFakeClock();
  assert.deepEqual(await findGateway(dir), { type: "nobody" });
  await assert.rejects(ensureGateway(dir, clock), { code: "GATEWAY_NOT_RUNNING" });
  await assert.rejects(readToken(dir), { code: "GATEWAY_TOKEN_UNREADABLE" });
  const mom = await pretendToRun(dir);
  t.after(mom.end);
  await mom.listen(url);
  assert.deepEqual(await findGateway(dir), { type: "found", url, pid: process.pid });
  assert.equal(await readToken(dir), mom.token);
});

test("an address that another process has left is not believed", async (t) => {
  const { dir } = await createTempFolder(t);
  const mom = await pretendToRun(dir);
  await mom.listen(url, process.pid + 1);
  assert.equal((await findGateway(dir)).type, "closed");
  await assert.rejects(ensureGateway(dir, createFakeClock()), { code: "GATEWAY_CLOSED" });
  await mom.listen(url);
  mom.end();
  assert.deepEqual(await findGateway(dir), { type: "nobody" }, "it is dead, and its address with it");
});

test("rubbish in the file is no address", async (t) => {
  const { dir, put } = await createTempFolder(t);
  const mom = await pretendToRun(dir);
  t.after(mom.end);
  for (const text of ["", "[]", "{}", `{"url":5,"pid":${process.pid}}`, `{"url":"ftp://x","pid":${process.pid}}`]) {
    await put("state/gateway.json", text);
    assert.equal((await findGateway(dir)).type, "closed", text);
  }
});

test("one that is starting is waited for, one that never listens is not", async (t) => {
  const { dir } = await createTempFolder(t);
  const clock = createFakeClock();
  const mom = await pretendToRun(dir, clock.now());
  t.after(mom.end);
  const found = awaitGateway(dir, clock);
  await clock.advance(500);
  await mom.listen(url);
  let type = "";
  void found.then((search) => {
    type = search.type;
  });
  while (type === "") await clock.advance(100);
  assert.equal(type, "found");
  await mom.listen(undefined);
  await clock.advance(10_000);
  const search = await awaitGateway(dir, clock);
  assert.equal(search.type, "closed");
  if (search.type === "closed") {
    const error = buildInUse(dir, search.holder);
    assert.match(error.message, new RegExp(`is in use by process ${process.pid} on .*, running since `));
    assert.match(error.hint ?? "", /Stop that mom first.*gateway\.enabled true/);
  }
});
