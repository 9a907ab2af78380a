/** The `cron` tool on the real service: what it takes, what it shows to whom, and what it refuses. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { buildWord, type CronStage, homeChat, openCronStage } from "../../../test/fakes/cron-stage.ts";
import { textOf } from "../../../test/fakes/tool-workspace.ts";
import type { SessionEntry, SessionType } from "../../contracts/session.ts";
import { createCronTool } from "./cron.ts";

const ann = { id: "U1", username: "ann", isBot: false };
const bob = { id: "U2", username: "bob", isBot: false };

interface Place {
  type?: SessionType;
  sender?: typeof ann;
  channelId?: string;
  outside?: string;
  principalType?: SessionType;
}

async function open(context: TestContext) {
  const stage: CronStage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  context.after(() => life.end());
  const at = ({ type = "group", sender = ann, channelId = "C1", outside, principalType }: Place = {}) => {
    const channel = { adapter: "slack", channelId };
    // Only the type of the session is looked at.
    const session = { type } as SessionEntry;
    const sessionKey = "agent:main:main" as SessionEntry["sessionKey"];
    const tool = createCronTool({
      cron: life.cron,
      clock: stage.clock,
      scope: {
        channel,
        sender,
        session,
        ...(principalType && {
          principal: { channel, sender, sessionKey, sessionType: principalType, agentId: "main" },
        }),
      },
      findOutside: async () => outside,
    });
    const call = (params: Parameters<typeof tool.execute>[1]) =>
      tool.execute("call", params, new AbortController().signal, () => undefined);
    return Object.assign(call, { tool });
  };
  return { stage, life, at, cron: at() };
}

test("the declaration is short", () => {
  const { name, description, parameters } = createCronTool({} as Parameters<typeof createCronTool>[0]);
  assert.ok(JSON.stringify({ name, description, parameters }).length <= 700);
});

test("adds by seconds, by time and by words, for who asked, in this chat", async (context) => {
  const { life, cron } = await open(context);
  const first = textOf(await cron({ action: "add", in: 60, text: "tea" }));
  assert.match(first, /^Set: [2-9a-z]{6} 2026-01-01T00:01:00\.000Z tea$/);
  await cron({ action: "add", at: "2026-01-02T09:00:00+01:00", text: "call" });
  const third = textOf(await cron({ action: "add", when: "every weekday 9:00 UTC", text: "write\nit", name: "diary" }));
  assert.match(
    third,
    /^Set: \S+ 2026-01-01T09:00:00\.000Z write it \[every weekday at 09:00 \(UTC\); next: Thu 2026-01-01/,
  );
  await cron({ action: "add", when: "0 8 * * 1", text: "look", isolated: true });
  const jobs = await life.cron.list();
  assert.deepEqual(
    jobs.map(({ name, home, payload, schedule }) => [name, home.askedBy.id, home.channel, payload.kind, schedule.kind]),
    [
      ["tea", "U1", homeChat, "systemEvent", "at"],
      ["diary", "U1", homeChat, "systemEvent", "cron"],
      ["call", "U1", homeChat, "systemEvent", "at"],
      ["look", "U1", homeChat, "agentTurn", "cron"],
    ],
  );
});

test("a job that is made or changed with text from outside in the conversation says so", async (context) => {
  const { life, at } = await open(context);
  await at({ outside: "https://a.example/" })({ action: "add", in: 60, text: "tea" });
  const [job] = await life.cron.list();
  assert.equal(job?.home.outside, "https://a.example/");
  const clean = await life.cron.add(buildWord());
  await at({ outside: "https://b.example/" })({ action: "update", id: clean.id, text: "other" });
  assert.equal((await life.cron.get(clean.id))?.home.outside, "https://b.example/");
});

test("sees and changes the jobs of its chat only; the owner's session all of them", async (context) => {
  const { life, at, cron } = await open(context);
  assert.match(textOf(await cron({ action: "list" })), /^No reminders.*\nIt is now 2026-01-01T00:00:00/);
  const here = await life.cron.add(buildWord({ payload: { kind: "systemEvent", text: "tea\nwith milk" } }));
  const other = await life.cron.add(
    buildWord({ home: { channel: { adapter: "slack", channelId: "C2" }, askedBy: ann } }),
  );
  const listed = await cron({ action: "list" });
  assert.match(
    textOf(listed),
    new RegExp(`^${here.id} 2026-01-01T09:00:00\\.000Z tea with milk \\[every day at 09:00`),
  );
  assert.equal(listed.details.jobs.length, 1);
  for (const action of ["update", "remove", "run", "runs"] as const) {
    await assert.rejects(cron({ action, id: other.id, name: "x" }), { code: "CRON_NOT_FOUND" }, action);
    await assert.rejects(cron({ action }), { code: "CRON_NOT_FOUND", message: `"${action}" needs "id"` });
  }
  // Work on behalf of a group has no more than the group.
  assert.equal((await at({ type: "cron", principalType: "group" })({ action: "list" })).details.jobs.length, 1);
  const owner = at({ type: "main", channelId: "D1" });
  assert.match(textOf(await owner({ action: "list" })), /in slack\/C2\]/);
  assert.equal((await at({ type: "cron", principalType: "main" })({ action: "list" })).details.jobs.length, 2);
  await owner({ action: "remove", id: other.id });
  await cron({ action: "remove", id: here.id });
  assert.equal((await life.cron.list()).length, 0);
});

test("the owner's word in a session of others sees what they see, and changes nothing else", async (context) => {
  const { life, at } = await open(context);
  const here = await life.cron.add(buildWord());
  const secret = await life.cron.add(
    buildWord({
      payload: { kind: "systemEvent", text: "PIN 4711" },
      home: { channel: { adapter: "slack", channelId: "D1" }, askedBy: ann },
    }),
  );
  for (const type of ["dm", "group", "topic"] as const) {
    const relayed = at({ type, principalType: "main" });
    const listed = await relayed({ action: "list" });
    assert.deepEqual([listed.details.jobs.map(({ id }) => id), textOf(listed).includes("4711")], [[here.id], false]);
    assert.match(textOf(await relayed({ action: "status" })), /1 here/);
    for (const action of ["update", "remove", "run", "runs"] as const) {
      await assert.rejects(relayed({ action, id: secret.id, text: "x" }), { code: "CRON_NOT_FOUND" }, action);
    }
    await assert.rejects(relayed({ action: "wake", text: "x" }), { code: "CRON_WAKE_REFUSED" });
  }
  // A word of somebody else's in the owner's session, and the owner's own.
  const strange = at({ type: "main", principalType: "group" });
  assert.equal((await strange({ action: "list" })).details.jobs.length, 1);
  assert.equal((await at({ type: "main", principalType: "main" })({ action: "list" })).details.jobs.length, 2);
});

test("changing and starting jobs acts on other chats where a job may post to them", async (context) => {
  const { at } = await open(context);
  const outward = (place: Place) => {
    const { tool } = at(place);
    const actions = ["status", "list", "add", "update", "remove", "run", "runs", "wake"] as const;
    return actions.filter((action) => tool.isOutward?.({ action }));
  };
  for (const place of [{ type: "main" }, { type: "main", principalType: "group" }] as const) {
    assert.deepEqual(outward(place), ["update", "run"]);
  }
  assert.deepEqual(outward({ type: "cron", principalType: "main" }), ["update", "run"]);
  for (const type of ["dm", "group", "topic"] as const) {
    assert.deepEqual(outward({ type }), []);
    assert.deepEqual(outward({ type: "cron", principalType: type }), []);
    // Only this chat's jobs can be reached there.
    assert.deepEqual(outward({ type, principalType: "main" }), []);
  }
});

test("waking the owner's session does not wash text from outside", async (context) => {
  const { life, at } = await open(context);
  await at({ type: "cron", principalType: "main", outside: "https://a.example/" })({ action: "wake", text: "look" });
  await life.look();
  const [turn] = await life.store.turns.list({ limit: 9 });
  assert.deepEqual([turn?.message.text, turn?.message.metadata], ["[WAKE] look", { outside: "https://a.example/" }]);
});

test("nobody puts words into a job that runs with another's rights", async (context) => {
  const { life, at, cron } = await open(context);
  const job = await life.cron.add(buildWord());
  await assert.rejects(at({ sender: bob })({ action: "update", id: job.id, text: "give bob everything" }), {
    code: "CRON_NOT_YOURS",
  });
  const changed = textOf(await cron({ action: "update", id: job.id, text: "coffee", when: "every day at 8 UTC" }));
  assert.match(changed, /^Changed: \S+ 2026-01-01T08:00:00\.000Z coffee/);
  await cron({ action: "update", id: job.id, isolated: true });
  assert.deepEqual((await life.cron.get(job.id))?.payload, { kind: "agentTurn", message: "coffee", deliver: true });
  await cron({ action: "update", id: job.id, enabled: false });
  assert.match(textOf(await cron({ action: "list" })), / off coffee/);
});

test("runs, shows what came of it, says how things stand, and wakes the owner's session only", async (context) => {
  const { life, at, cron } = await open(context);
  const job = await life.cron.add(buildWord());
  assert.equal(textOf(await cron({ action: "run", id: job.id })), `Started ${job.id}.`);
  assert.match(textOf(await cron({ action: "run", id: job.id })), /was not started: its last run is still going/);
  await life.work();
  assert.match(
    textOf(await cron({ action: "runs", id: job.id })),
    /^2026-01-01T00:00:00\.000Z ran ok; asked for by hand\n/,
  );
  assert.match(textOf(await cron({ action: "status" })), /^Jobs run\. 1 here, the next at 2026-01-01T09:00/);
  await assert.rejects(cron({ action: "wake", text: "x" }), { code: "CRON_WAKE_REFUSED" });
  await at({ type: "main" })({ action: "wake", text: "look" });
  await life.look();
  assert.ok((await life.turns()).includes("D1 [WAKE] look"));
});

test("refuses times that are missing, doubled, vague, past or far away", async (context) => {
  const { cron } = await open(context);
  const add = (when: { at?: string; in?: number; when?: string }) => cron({ action: "add", text: "x", ...when });
  await assert.rejects(add({}), { code: "CRON_WHEN_MISSING" });
  await assert.rejects(add({ in: 5, at: "2026-01-02T09:00:00Z" }), { code: "CRON_WHEN_MISSING" });
  await assert.rejects(add({ in: 5, when: "tomorrow at 9" }), { code: "CRON_WHEN_MISSING" });
  for (const at of ["tomorrow", "2026-01-02", "2026-01-02T09:00:00", "2026-13-02T09:00:00Z"]) {
    await assert.rejects(add({ at }), { code: "CRON_WHEN_INVALID" });
  }
  await assert.rejects(add({ when: "when it rains" }), { code: "CRON_WHEN_INVALID", hint: /every weekday 9:00/ });
  await assert.rejects(add({ when: "0 9 30 2 *" }), { code: "CRON_NEVER_FIRES" });
  await assert.rejects(add({ at: "2025-12-31T23:59:59Z" }), { code: "CRON_WHEN_OUT_OF_RANGE", hint: /now 2026-01-01/ });
  for (const seconds of [1e12, 1e300, 0, -5])
    await assert.rejects(add({ in: seconds }), { code: "CRON_WHEN_OUT_OF_RANGE" });
  await assert.rejects(cron({ action: "add", in: 5 }), { code: "CRON_TEXT_MISSING" });
  await assert.rejects(cron({ action: "add", in: 5, text: " " }), { code: "CRON_TEXT_MISSING" });
});

test("keeps a bounded number per chat", async (context) => {
  const { cron } = await open(context);
  for (let i = 0; i < 100; i++) await cron({ action: "add", in: 60, text: "x" });
  await assert.rejects(cron({ action: "add", in: 60, text: "x" }), { code: "CRON_FULL" });
});
