/** `/hooks/*` over real HTTP: the secret before the body, the body within its limit, surprises kept inside. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { createGatewayRig } from "../../../test/fakes/gateway-rig.ts";

const isAllowed = (headers: Readonly<Record<string, string | undefined>>) => headers["x-secret"] === "right";
const right = { "x-secret": "right" };

test("a hook gets what it allows and answers", async (t) => {
  const rig = await createGatewayRig(t);
  const got: unknown[] = [];
  const close = rig.gateway.webhooks.open("bot", {
    maxBytes: 100,
    isAllowed,
    async handle({ path, headers, body }) {
      got.push([path, headers["x-secret"], String(body)]);
      return { status: 202, body: "taken" };
    },
  });
  const answer = await rig.ask("/hooks/bot/more", { method: "POST", headers: right, body: "news" });
  assert.deepEqual([answer.status, String(answer.body)], [202, "taken"]);
  assert.deepEqual(got, [["/hooks/bot/more", "right", "news"]]);
  assert.equal((await rig.ask("/hooks/bot")).status, 405);
  assert.equal((await rig.ask("/hooks/other", { method: "POST", headers: right, body: "x" })).status, 404);
  close();
  assert.equal((await rig.ask("/hooks/bot", { method: "POST", headers: right, body: "x" })).status, 404);
});

test("without the secret not a byte of the body is read", async (t) => {
  const rig = await createGatewayRig(t);
  rig.gateway.webhooks.open("bot", { maxBytes: 1e9, isAllowed, handle: async () => ({ status: 200 }) });
  const socket = await rig.connect();
  socket.write(
    "POST /hooks/bot HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000000\r\nExpect: 100-continue\r\n\r\n",
  );
  const [data] = await once(socket, "data");
  assert.match(String(data), /^HTTP\/1\.1 403 /);
});

test("a hook that cannot say whether is closed", async (t) => {
  const rig = await createGatewayRig(t);
  rig.gateway.webhooks.open("bot", {
    maxBytes: 10,
    isAllowed() {
      throw new Error("no secret is set");
    },
    handle: async () => ({ status: 200 }),
  });
  const { status, body } = await rig.ask("/hooks/bot", { method: "POST", headers: right, body: "x" });
  assert.equal(status, 403);
  assert.ok(!body.includes("secret"));
});

test("a body that is too large, told or not, is not taken", async (t) => {
  const rig = await createGatewayRig(t);
  let taken = 0;
  const handle = async () => ({ status: 200 + taken++ });
  rig.gateway.webhooks.open("bot", { maxBytes: 4, isAllowed, handle });
  const told = await rig.ask("/hooks/bot", { method: "POST", headers: right, body: "12345" });
  const untold = { ...right, "transfer-encoding": "chunked" };
  const chunked = await rig.ask("/hooks/bot", { method: "POST", headers: untold, body: "12345" });
  assert.deepEqual([told.status, chunked.status, taken], [413, 413, 0]);
});

test("what a hook throws is logged and said to nobody", async (t) => {
  const rig = await createGatewayRig(t);
  const handle = async () => {
    throw new Error("the database password is 1234");
  };
  rig.gateway.webhooks.open("bot", { maxBytes: 10, isAllowed, handle });
  const { status, body } = await rig.ask("/hooks/bot", { method: "POST", headers: right, body: "x" });
  assert.equal(status, 500);
  assert.ok(!body.includes("1234"));
  assert.ok(rig.log.lines.some(({ level }) => level === "error"));
});

test("a name is open once and is a plain one", async (t) => {
  const { gateway } = await createGatewayRig(t);
  const hook = { maxBytes: 1, isAllowed, handle: async () => ({ status: 200 }) };
  const close = gateway.webhooks.open("bot", hook);
  assert.throws(() => gateway.webhooks.open("bot", hook), { code: "HOOK_TAKEN" });
  assert.throws(() => gateway.webhooks.open("../x", hook), { code: "HOOK_NAME_INVALID" });
  close();
  const second = gateway.webhooks.open("bot", hook);
  close();
  assert.throws(() => gateway.webhooks.open("bot", hook), { code: "HOOK_TAKEN" });
  second();
});

test("only so many requests of a hook are under way", async (t) => {
  const rig = await createGatewayRig(t);
  const gate = Promise.withResolvers<void>();
  let began = 0;
  const handle = async () => {
    began++;
    await gate.promise;
    return { status: 200 };
  };
  rig.gateway.webhooks.open("bot", { maxBytes: 10, isAllowed, handle });
  const post = () => rig.ask("/hooks/bot", { method: "POST", headers: right, body: "x" });
  const many = Array.from({ length: 32 }, post);
  while (began < 32) await new Promise(setImmediate);
  assert.equal((await post()).status, 503);
  gate.resolve();
  assert.ok((await Promise.all(many)).every(({ status }) => status === 200));
});
