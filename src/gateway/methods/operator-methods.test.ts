/** How mom is, her logins, models and log, through the gateway. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGatewayDesk, operatorWith, someNode } from "../../../test/fakes/gateway-desk.ts";
import { mainKey } from "../../../test/fakes/gateway-house.ts";
import type { LogRecord } from "../../contracts/gateway.ts";

const key = "key-of-a-test";

test("health is bad when a platform is out for good, and everybody may ask", async (t) => {
  const { call, fake, contextOf } = await createGatewayDesk(t);
  const good = await call("health", {}, contextOf(someNode));
  assert.deepEqual(good, {
    ok: true,
    isReady: true,
    uptimeMs: 60_000,
    channels: [{ name: "slack", state: "connected" }],
    worstStallMs: 3,
  });
  fake.channels = fake.channels.map((row) => ({ ...row, state: "failed", detail: "revoked", fix: "log in" }));
  fake.isReady = false;
  const bad = await call("health", {});
  assert.deepEqual([bad.ok, bad.isReady], [false, false]);
  const { channels } = await call("channels.status", {});
  assert.deepEqual([channels[0]?.state, channels[0]?.detail, channels[0]?.fix], ["failed", "revoked", "log in"]);
});

test("events are chosen by the connection; the log needs admin", async (t) => {
  const { call, refuse, contextOf, subscribed } = await createGatewayDesk(t);
  const reader = contextOf(operatorWith("read"));
  await call("events.subscribe", { sessions: "all", logs: false }, reader);
  const refused = await refuse("events.subscribe", { logs: true }, reader);
  assert.deepEqual([refused.code, refused.details], ["FORBIDDEN", { needs: "admin" }]);
  await call("events.subscribe", { logs: true }, contextOf(operatorWith("admin")));
  assert.deepEqual(subscribed, [{ sessions: "all", logs: false }, { logs: true }]);
});

test("the protocol tells of itself", async (t) => {
  const { call } = await createGatewayDesk(t);
  const schema = await call("gateway.schema", {});
  assert.deepEqual([schema["protocol"], typeof schema["methods"]], [1, "object"]);
});

test("logins are added and ended", async (t) => {
  const { call, refuse, fake } = await createGatewayDesk(t);
  assert.equal((await call("channels.types", {})).types[0]?.fields[0]?.isSecret, true);
  const login = { type: "slack", name: "slack-acme", fields: { token: "xoxb-1" } };
  assert.deepEqual(await call("channels.login", { ...login, idempotencyKey: key }), { account: "@mom", warnings: [] });
  fake.loginResult = { type: "failed", message: "The token is not good.", fix: "Copy it again." };
  const failed = await refuse("channels.login", { ...login, idempotencyKey: `${key}-2` });
  assert.deepEqual(failed, {
    code: "NOT_LINKED",
    message: "The token is not good.",
    details: { fix: "Copy it again." },
  });
  assert.deepEqual(await call("channels.logout", { name: "slack", idempotencyKey: key }), { ok: true });
  assert.equal((await refuse("channels.logout", { name: "x", idempotencyKey: `${key}-2` })).code, "NOT_FOUND");
  assert.doesNotMatch(JSON.stringify(fake.asked), /xoxb/);
});

test("models and keys are told as they stand", async (t) => {
  const { call, refuse } = await createGatewayDesk(t);
  const { models, providers, active, isOffline, aliases } = await call("models.list", {});
  assert.deepEqual(
    [models.map(({ ref }) => ref), providers.map(({ usable }) => usable), active, isOffline, aliases],
    [["mom/big"], [true], "mom/big", false, { big: "mom/big" }],
  );
  const added = await call("models.add-key", { provider: "mom", key: "12345678", idempotencyKey: key });
  assert.deepEqual(added, { profile: "mom:1", active: "mom/big" });
  const refused = await refuse("models.add-key", { provider: "x", key: "12345678", idempotencyKey: `${key}-2` });
  assert.deepEqual([refused.code, refused.message], ["INVALID_REQUEST", "Nobody knows it."]);
});

test("skills and tools are those of the agent and the session", async (t) => {
  const { call, refuse, fake } = await createGatewayDesk(t);
  const skillOf = async (agentId?: string) =>
    (await call("skills.status", { ...(agentId !== undefined && { agentId }) })).skills[0]?.name;
  assert.deepEqual([await skillOf(), await skillOf("helper")], ["skill of main", "skill of helper"]);
  assert.equal((await refuse("skills.status", { agentId: "nobody" })).code, "NOT_FOUND");
  const own = await call("tools.list", {});
  assert.deepEqual([own.sessionKey, own.model], [mainKey, undefined]);
  const group = await call("tools.list", { sessionKey: await fake.openGroup("C1") });
  assert.deepEqual(group.model, "mom/big");
  assert.deepEqual(group.tools[1]?.removedBy, { layer: "agent", rule: "deny bash" });
  assert.equal((await refuse("tools.list", { sessionKey: "no:such" })).code, "NOT_FOUND");
});

test("the log's end is given, of a level and with a word in it", async (t) => {
  const { call, fake } = await createGatewayDesk(t);
  const line = (text: string, level: LogRecord["level"]): LogRecord => ({ at: 1, level, text, fields: { n: 1 } });
  for (const each of [line("one", "info"), line("two", "warn"), line("three", "warn")]) fake.logs.write(each);
  const texts = async (params: object) => (await call("logs.tail", params)).lines.map(({ text }) => text);
  assert.deepEqual(await texts({}), ["one", "two", "three"]);
  assert.deepEqual(await texts({ level: "warn", limit: 1 }), ["three"]);
  assert.deepEqual(await texts({ search: "tw" }), ["two"]);
  for (let n = 0; n < 200; n++) fake.logs.write(line(`${n}`.padEnd(50_000), "info"));
  const { lines } = await call("logs.tail", { limit: 200 });
  assert.ok(lines.length > 50 && lines.length < 110, `${lines.length} fit in one answer`);
  assert.match(lines.at(-1)?.text ?? "", /^199 /);
});

test("the doctor says whether all is well; where there is none, that", async (t) => {
  const { call, refuse, fake } = await createGatewayDesk(t);
  assert.equal((await call("doctor.run", {})).ok, true);
  fake.findings = [{ check: "disk", level: "fail", detail: "full", fix: "make room" }];
  assert.deepEqual(await call("doctor.run", { offline: true }), { ok: false, findings: fake.findings });
  delete fake.house.examine;
  assert.equal((await refuse("doctor.run", {})).code, "UNAVAILABLE");
});

test("the welcome is shown until it is finished", async (t) => {
  const { call, fake } = await createGatewayDesk(t);
  const before = await call("setup.status", {});
  assert.deepEqual([before.isDone, before.dataDir, before.channels], [false, fake.folder.dir, 1]);
  await call("setup.finish", { idempotencyKey: key });
  assert.equal((await call("setup.status", {})).isDone, true);
});
