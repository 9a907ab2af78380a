/** Requests from outside: who is let in, what becomes of their text, and that each counts once, whatever is sent again or dies when. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { createGatewayRig } from "../../../test/fakes/gateway-rig.ts";
import {
  type Answer,
  bearer,
  buildOwnerPorts,
  openWebhookStage,
  secret,
  token,
} from "../../../test/fakes/webhook-stage.ts";
import { createFakeWebhooks } from "../../../test/fakes/webhooks.ts";
import type { DeliveryId, SessionKey } from "../../contracts/ids.ts";
import type { KeyValue } from "../../contracts/store.ts";
import { endRun } from "../cron/end-run.ts";
import { type HooksConfig, hooksConfig } from "./config.ts";
import { fillTemplate } from "./fill-template.ts";

const sign = (body: string, key = secret) => `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
const mapped = (more: Record<string, unknown>): Record<string, unknown> => ({
  mappings: { git: { text: "{{repository.name}}: {{headers.x-github-event}} {{commits.0.message}}", secret, ...more } },
});

test("wake says its text in the owner's chat as text from outside, at once or with what is said next", async (context) => {
  const { begin, post, turns, store } = await openWebhookStage(context);
  begin();
  assert.equal((await post("wake", bearer, { text: "the door is open" })).status, 202);
  assert.equal((await post("wake", { "x-mom-token": token }, { text: "mail", mode: "next-heartbeat" })).status, 202);
  const [turn, ...others] = await turns();
  assert.deepEqual(others, []);
  assert.equal(turn?.message.text, "[HOOK:wake] the door is open");
  assert.deepEqual(turn?.message.metadata, { outside: "webhook wake" });
  const heard = await store.inbox.unseen(
    "agent:main:main" as SessionKey,
    { adapter: "slack", channelId: "D1" },
    100,
    10,
  );
  assert.ok(heard.some(({ text }) => text === "[HOOK:wake] mail"));
});

test("agent starts a turn in a session of its own, for the owner, that ends as a job's run does", async (context) => {
  const { begin, post, turns } = await openWebhookStage(context);
  begin();
  const body = {
    message: "look at the logs",
    name: "logs",
    channel: "slack",
    to: "C1",
    model: "lab/m1",
    timeoutSeconds: 30,
  };
  assert.equal((await post("agent", bearer, body)).status, 202);
  const [turn] = await turns();
  assert.equal(turn?.adapter, "errands");
  assert.match(turn?.route.sessionKey ?? "", /hook-logs/);
  const { errand, metadata } = turn?.message ?? {};
  assert.deepEqual(metadata, { outside: "webhook agent" });
  assert.deepEqual(
    [errand?.type, errand?.model, errand?.timeoutMs, errand?.principal.channel.channelId],
    ["cron", "lab/m1", 30_000, "D1"],
  );
  const { delivery, outside, isolation } = (errand?.data ?? {}) as Record<string, unknown>;
  assert.deepEqual(
    [delivery, outside, isolation],
    [{ channel: "slack", to: "C1" }, "webhook agent", { postToMainPrefix: "[HOOK:logs]" }],
  );
});

test("the answer to agent is posted where it was asked to, and the owner's session hears of it as of text from outside", async (context) => {
  const { begin, post, store } = await openWebhookStage(context);
  begin();
  await post("agent", bearer, { message: "look", name: "logs", channel: "slack", to: "C1" });
  const turn = await store.turns.claim(60_000, ["errands"]);
  assert.ok(turn?.message.errand);
  const posts: string[] = [];
  const chatPorts = buildOwnerPorts({ isThere: true, channelId: "D1" }, { now: () => 0 });
  const end = endRun({
    due: store.due,
    sessions: store.sessions,
    outsideOf: async () => undefined,
    ports: {
      ...chatPorts,
      isRunning: () => true,
      planPosts(channel, markdown, id) {
        posts.push(`${channel.channelId} ${markdown}`);
        return [{ id: id as DeliveryId, channel, body: { type: "text", text: markdown } }];
      },
    },
  });
  const { deliveries, letters } = await end(turn.message.errand, turn, { outcome: "done", reply: "all is well" });
  assert.deepEqual([posts, deliveries.length], [["C1 all is well"], 1]);
  assert.deepEqual(
    letters.map(({ message, verdict }) => [message.channelId, message.text, message.metadata, verdict.type]),
    [["D1", "[HOOK:logs] all is well", { outside: "webhook agent" }, "heard"]],
  );
});

test("without its secret a hook is closed, and no secret but its own opens it", async (context) => {
  const { begin, post, turns, log, hooks } = await openWebhookStage(context, {
    mappings: {
      open: { text: "x" },
      signed: { text: "x", signature: "hmac-sha256" },
      own: { text: "x", secret: "its-own-secret" },
    },
  });
  begin();
  assert.deepEqual([...hooks.keys()], ["own"]);
  assert.equal(log.lines.filter(({ text }) => text.includes("stays closed")).length, 2);
  for (const headers of [{}, bearer, { authorization: "its-own-secret" }, { "x-mom-token": "" }]) {
    assert.equal((await post("own", headers as Record<string, string>, {})).status, 403);
  }
  assert.equal((await post("own", { authorization: "bearer its-own-secret" }, {})).status, 202);
  assert.equal((await turns()).length, 1);
});

test("over real HTTP, nothing of the body is read from somebody who is not let in", async (context) => {
  const { begin } = await openWebhookStage(context, { token, ...mapped({ signature: "hmac-sha256" }) });
  const server = await createFakeWebhooks(context);
  begin(undefined, { webhooks: server });
  const ask = async (path: string, headers: Record<string, string>) =>
    (await fetch(`${server.url}/hooks/${path}`, { method: "POST", body: "{}", headers })).status;
  assert.deepEqual(
    [await ask("wake", {}), await ask("agent", { authorization: "Bearer no" }), await ask("git", {})],
    [401, 401, 401],
  );
  assert.equal(await ask("git", { "x-hub-signature-256": "sha256=zz" }), 401);
  assert.ok(server.answered.every(({ bodyBytes }) => bodyBytes === 0));
  // Well formed, so the body must be read to tell; and then it is wrong.
  assert.equal(await ask("git", { "x-hub-signature-256": sign("{ }") }), 401);
  assert.equal(server.answered.at(-1)?.bodyBytes, 2);
});

test("through the real gateway: headers, body and answers arrive as they are meant", async (context) => {
  const { begin, turns } = await openWebhookStage(context, {
    token,
    ...mapped({ signature: "hmac-sha256", text: "{{n}}" }),
  });
  const rig = await createGatewayRig(context);
  begin(undefined, { webhooks: rig.gateway.webhooks });
  const post = async (path: string, headers: Record<string, string>, body: string) => {
    const answer = await rig.ask(path, { method: "POST", headers, body });
    return [answer.status, String(answer.body)];
  };
  const body = '{"n":"\u00e4 1"}';
  const ok = [202, '{"ok":true}'];
  assert.deepEqual(await post("/hooks/git", { "X-Hub-Signature-256": sign(body) }, body), ok);
  assert.deepEqual(await post("/hooks/wake", { Authorization: `Bearer ${token}` }, '{"text":"hi"}'), ok);
  assert.equal((await post("/hooks/wake/more", { Authorization: `Bearer ${token}` }, '{"text":"hi"}'))[0], 404);
  assert.equal((await post(`/hooks/wake?token=${token}`, {}, '{"text":"hi"}'))[0], 400, "no secret in an address");
  const large = JSON.stringify({ text: "x".repeat(300 * 1024) });
  assert.equal((await post("/hooks/wake", { Authorization: `Bearer ${token}` }, large))[0], 413);
  assert.deepEqual(
    (await turns()).map(({ message }) => message.text),
    ["[HOOK:git] ä 1", "[HOOK:wake] hi"],
  );
});

test("a signed body counts once, whatever its headers say the second time", async (context) => {
  const { begin, post, turns } = await openWebhookStage(context, mapped({ signature: "hmac-sha256" }));
  begin();
  const body = JSON.stringify({ repository: { name: "mom" }, commits: [{ message: "fix" }] });
  const headers = { "x-hub-signature-256": sign(body), "x-github-event": "push", "x-github-delivery": "d1" };
  assert.deepEqual(await post("git", headers, body), { status: 202, ok: true });
  assert.equal((await turns())[0]?.message.text, "[HOOK:git] mom: push fix");
  const again: Answer = { status: 200, ok: true, duplicate: true };
  assert.deepEqual(await post("git", headers, body), again);
  assert.deepEqual(await post("git", { ...headers, "x-github-delivery": "d2" }, body), again);
  const other = JSON.stringify({ repository: { name: "other" } });
  assert.deepEqual(await post("git", { ...headers, "x-hub-signature-256": sign(other) }, other), again, "the same id");
  for (const wrong of [sign(body, "another"), sign(other), `sha256=${"0".repeat(64)}`]) {
    const forged = await post("git", { ...headers, "x-hub-signature-256": wrong, "x-github-delivery": "d3" }, body);
    assert.deepEqual([forged.status, forged.code], [401, "SIGNATURE_INVALID"]);
  }
  const base64 = createHmac("sha256", secret).update(other).digest("base64");
  assert.equal((await post("git", { "x-hub-signature-256": base64 }, other)).status, 202);
  assert.equal((await turns()).length, 2);
});

test("a signature with a time counts for five minutes, and a body that is sent again with a new one counts once", async (context) => {
  const config = mapped({ signature: "hmac-sha256-timestamp", header: "X-Sig", text: "{{id}}" });
  const { begin, post, turns, clock } = await openWebhookStage(context, config);
  begin();
  const timed = (body: string, atMs: number, key = secret) => {
    const t = Math.floor(atMs / 1000);
    return { "x-sig": `t=${t},v1=${createHmac("sha256", key).update(`${t}.${body}`).digest("hex")}` };
  };
  const body = '{"id":"e1"}';
  const first = timed(body, clock.now());
  assert.equal((await post("git", first, body)).status, 202);
  assert.equal((await post("git", timed(body, clock.now() + 2000), body)).duplicate, true);
  const wrong: [Record<string, string>, number][] = [
    [timed('{"id":"e2"}', clock.now() - 301_000), 403],
    [timed('{"id":"e2"}', clock.now() + 301_000), 403],
    [{ "x-sig": `t=x,v1=${"0".repeat(64)}` }, 403],
    [{ "x-sig": `t=${Math.floor(clock.now() / 1000)}` }, 403],
    [timed('{"id":"e2"}', clock.now(), "another"), 401],
    [{ "x-sig": first["x-sig"].replace(/^t=\d+/, `t=${Math.floor(clock.now() / 1000) + 1}`) }, 401],
  ];
  for (const [headers, status] of wrong) assert.equal((await post("git", headers, '{"id":"e2"}')).status, status);
  const turned = timed('{"id":"e3"}', clock.now());
  const both = { "x-sig": `${turned["x-sig"].replace(/v1=/, `v1=${"a".repeat(64)},v1=`)},v0=x` };
  assert.equal((await post("git", both, '{"id":"e3"}')).status, 202);
  assert.deepEqual(
    (await turns()).map(({ message }) => message.text),
    ["[HOOK:git] e1", "[HOOK:git] e3"],
  );
});

test("a delivery with an id counts once across restarts; without one each counts", async (context) => {
  const { begin, post, turns, hooks } = await openWebhookStage(context);
  const first = begin();
  const named = { ...bearer, "idempotency-key": "k1" };
  assert.equal((await post("wake", named, { text: "a" })).status, 202);
  first.close();
  assert.equal(hooks.size, 0);
  begin();
  assert.equal((await post("wake", named, { text: "a" })).duplicate, true);
  assert.equal((await post("agent", named, { message: "a" })).status, 202, "another hook, another delivery");
  assert.equal((await post("wake", bearer, { text: "b" })).status, 202);
  assert.equal((await post("wake", bearer, { text: "b" })).status, 202);
  assert.equal((await turns()).length, 4);
});

test("a crash between any two steps is made good by the next try, in the chat where it began", async (context) => {
  for (const failing of [1, 2]) {
    const { begin, post, turns, store, owner } = await openWebhookStage(context);
    let sets = 0;
    const kv: KeyValue = {
      ...store.kv,
      async set(scope, key, value) {
        if (++sets >= failing) throw new Error("The process is dead");
        await store.kv.set(scope, key, value);
      },
    };
    const doomed = begin(kv);
    const headers = { ...bearer, "idempotency-key": "k1" };
    await assert.rejects(post("wake", headers, { text: "a" }), /dead/);
    doomed.close();
    begin();
    // The owner has gone elsewhere meanwhile.
    owner.channelId = "D2";
    const retried = await post("wake", headers, { text: "a" });
    assert.deepEqual([retried.status, (await turns()).length], [failing === 1 ? 202 : 200, 1]);
    assert.equal((await turns())[0]?.message.channelId, failing === 1 ? "D2" : "D1");
  }
});

test("a crash before the letter is written is made good in the chat where the delivery began", async (context) => {
  const { begin, post, turns, owner } = await openWebhookStage(context);
  const accept = async () => assert.fail("The process is dead");
  const doomed = begin(undefined, { accept });
  const headers = { ...bearer, "idempotency-key": "k1" };
  await assert.rejects(post("wake", headers, { text: "a" }), /dead/);
  doomed.close();
  begin();
  owner.channelId = "D2";
  assert.equal((await post("wake", headers, { text: "a" })).status, 202);
  assert.deepEqual(
    (await turns()).map(({ message }) => message.channelId),
    ["D1"],
  );
});

test("bad bodies are answered with what is wrong and start nothing", async (context) => {
  const { begin, post, turns, owner } = await openWebhookStage(context);
  begin();
  const cases: [string, unknown, string][] = [
    ["wake", "", "BODY_NOT_JSON"],
    ["wake", "text=x", "BODY_NOT_JSON"],
    ["wake", Buffer.from([0x7b, 0xff, 0x7d]), "BODY_NOT_JSON"],
    ["wake", '"x"', "BODY_NOT_JSON"],
    ["wake", {}, "BODY_INVALID"],
    ["wake", { text: "  " }, "BODY_INVALID"],
    ["wake", { text: "x".repeat(40_000) }, "BODY_INVALID"],
    ["wake", { text: "x", to: "C1" }, "BODY_INVALID"],
    ["wake", { text: "x", agentId: "nobody" }, "AGENT_UNKNOWN"],
    ["agent", { text: "x" }, "BODY_INVALID"],
    ["agent", { message: "x", name: "../../x" }, "BODY_INVALID"],
    ["agent", { message: "x", to: "C1" }, "BODY_INVALID"],
    ["agent", { message: "x", model: "nobody/knows" }, "MODEL_UNKNOWN"],
    ["agent", { message: "x", timeoutSeconds: 1e9 }, "BODY_INVALID"],
    ["agent", "[".repeat(100_000), "BODY_NOT_JSON"],
  ];
  for (const [name, body, code] of cases) {
    const answer = await post(name, bearer, body);
    assert.deepEqual([answer.status, answer.code], [400, code], JSON.stringify(body).slice(0, 80));
  }
  owner.isThere = false;
  assert.deepEqual((await post("wake", bearer, { text: "x" })).code, "NO_OWNER");
  assert.deepEqual(await turns(), []);
});

test("more than the limit is refused until time has passed, and wrong signatures do not use it up", async (context) => {
  const config = { token, maxPerMinute: 3, ...mapped({ signature: "hmac-sha256", text: "x" }) };
  const { begin, post, clock } = await openWebhookStage(context, config);
  begin();
  for (let n = 0; n < 10; n++) await post("git", { "x-hub-signature-256": sign("no") }, "{}");
  const statuses: number[] = [];
  for (let n = 0; n < 5; n++)
    statuses.push((await post("git", { "x-hub-signature-256": sign(`[${n}]`) }, `[${n}]`)).status);
  assert.deepEqual(statuses, [202, 202, 202, 429, 429]);
  assert.equal((await post("wake", bearer, { text: "x" })).status, 202, "each hook has its own");
  await clock.advance(20_000);
  assert.equal((await post("git", { "x-hub-signature-256": sign("[9]") }, "[9]")).status, 202);
});

test("a changed config opens and closes hooks; the same one leaves them alone", async (context) => {
  const { begin, hooks } = await openWebhookStage(context);
  const incoming = begin();
  const before = hooks.get("wake");
  const parse = (config: unknown): HooksConfig => hooksConfig.parse(config);
  incoming.apply(parse({ token }));
  assert.equal(hooks.get("wake"), before);
  incoming.apply(parse({ mappings: { "a.b": { text: "x", secret } } }));
  assert.deepEqual([...hooks.keys()], ["a.b"]);
  assert.equal(hooksConfig.safeParse({ mappings: { wake: { text: "x" } } }).success, false);
  assert.equal(hooksConfig.safeParse({ token: "short" }).success, false);
});

test("templates fill in own values only, and no secret of the request", () => {
  const headers = { authorization: "Bearer x", "x-hub-signature-256": "s", "x-event": "push" };
  const body = { a: { b: [{ c: "deep" }] }, n: 0, flag: false, nothing: null, long: "y".repeat(9000), o: { k: 1 } };
  const fill = (template: string) => fillTemplate(template, body, headers);
  assert.equal(fill("{{a.b.0.c}} {{ n }} {{flag}} [{{nothing}}] {{o}}"), 'deep 0 false [] {"k":1}');
  assert.equal(fill("[{{constructor}}{{a.__proto__}}{{a.b.length.x}}{{no.such}}]"), "[]");
  assert.equal(fill("[{{headers.authorization}}{{headers.x-hub-signature-256}}]{{headers.X-Event}}"), "[]push");
  assert.equal(fill("{{long}}").length, 4001);
  assert.equal(fillTemplate("{{x}}", { x: "{{y}}", y: "no" }, {}), "{{y}}", "what is filled in is not filled again");
});
