/** `mom cron` on a real store, beside one that is in use: what it understands, asks, keeps, shows and refuses. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { type CliWorld, createCliWorld } from "../../../test/fakes/cli-io.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { createSystemClock } from "../../base/clock.ts";
import type { CronJob } from "../../contracts/cron.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import type { Store } from "../../contracts/store.ts";
import { buildLayout, openStore } from "../../store/index.ts";
import { buildCronCommand } from "./cron.ts";

let world: CliWorld;
let store: Store | undefined;
beforeEach(async () => {
  world = await createCliWorld({ cron: buildCronCommand });
  await mkdir(world.dataDir);
  const acme = { type: "slack", appToken: "xapp-1-A-1-a", botToken: "xoxb-1-a", admins: ["U1", "U2"] };
  const bare = { type: "slack", appToken: "xapp-1-B-1-b", botToken: "xoxb-1-b" };
  const config = { adapters: { terminal: { type: "cli" }, acme, bare }, agents: { coder: {} } };
  await writeFile(join(world.dataDir, "config.json"), JSON.stringify(config));
});
afterEach(async () => {
  await store?.close();
  store = undefined;
  await world.close();
});

const run = (...args: string[]) => world.run(["cron", ...args]);
const json = async (...args: string[]) => JSON.parse((await run(...args, "--json")).out);
const addHere = (...args: string[]) =>
  run("add", "every weekday 9:00", "write it", "--chat", "acme/C1", "--yes", ...args);

/** A running mom's store. */
async function openOwner(): Promise<Store> {
  store = await openStore({
    layout: buildLayout(world.dataDir),
    clock: createSystemClock(),
    log: silentLog,
    role: "owner",
    routesOf: () => [],
  });
  return store;
}

test("where mom was never started there is nothing to list, and nowhere to keep a job", async () => {
  assert.match((await run("list")).err, /there are no jobs/);
  assert.equal((await run("list", "--json")).out, "[]\n");
  assert.match((await run("status")).out, /^jobs: +0\nnext: +-\n/);
  const { code, err } = await addHere();
  assert.equal(code, 1);
  assert.match(err, /STORE_MISSING/);
});

test("shows back what it understood, and keeps nothing without a yes", async () => {
  await openOwner();
  const asked = await run("add", "every weekday 9:00", "write it", "--chat", "acme/C1", "--tz", "Europe/Vienna");
  assert.equal(asked.code, 2);
  assert.match(asked.err, /when: +every weekday at 09:00 \(Europe\/Vienna\); next: \w+ \S+ 09:00, .* 09:00, .* 09:00/);
  assert.match(asked.err, /chat: +acme\/C1, with the rights of U1/);
  assert.match(asked.err, /CRON_NOT_CONFIRMED/);
  assert.deepEqual(await json("list"), []);
});

test("a job that is kept is on the clock of the running mom, who hears of it", async () => {
  const owner = await openOwner();
  const heard = new Promise<void>((resolve) => owner.onOutsideChange(resolve));
  const added = await addHere("--name", "diary", "--tz", "UTC");
  assert.equal(added.code, 0, added.err);
  assert.match(added.out, /^\w{6} is kept\n$/);
  assert.doesNotMatch(added.err, /no mom is running/);
  const [item] = await owner.due.list("cron");
  assert.ok(item?.dueAt);
  const job = item.data as CronJob;
  assert.deepEqual(
    [job.name, job.home.askedBy.id, job.schedule],
    ["diary", "U1", { kind: "cron", expr: "0 9 * * 1-5", tz: "UTC" }],
  );
  await heard;
  assert.match(
    (await run("list")).out,
    /^ID +NAME +WHEN +NEXT +LAST +CHAT +TEXT\n\w{6} +diary +every weekday at 09:00 \(UTC\)/,
  );
});

test("without --chat it is at home where the owner last talked", async () => {
  const owner = await openOwner();
  const missing = await run("add", "in 2 hours", "call Bob", "--yes");
  assert.match(missing.err, /CRON_CHAT_MISSING/);
  await owner.sessions.open({
    sessionKey: "agent:main:main" as SessionKey,
    type: "main",
    agentId: "main",
    channel: { adapter: "terminal", channelId: "terminal" },
  });
  const job = await json("add", "in 2 hours", "call Bob", "--yes");
  assert.deepEqual(job.home, {
    channel: { adapter: "terminal", channelId: "terminal" },
    askedBy: { id: "local", username: "local" },
  });
  assert.equal(job.name, "call Bob");
});

test("a turn of its own with all that it can have", async () => {
  const owner = await openOwner();
  const elsewhere = ["add", "every day at 7am", "news", "--chat", "acme/C1", "--isolated", "--to", "acme/C9", "--yes"];
  assert.match((await run(...elsewhere)).err, /CRON_TARGET_REFUSED/);
  await owner.sessions.open({
    sessionKey: "agent:main:main" as SessionKey,
    type: "main",
    agentId: "main",
    channel: { adapter: "acme", channelId: "C1" },
  });
  const job = await json(
    ...[
      "add",
      "every day at 7am",
      "news",
      "--chat",
      "acme/C1",
      "--as",
      "U2",
      "--agent",
      "coder",
      "--isolated",
      "--yes",
    ],
    ...["--to", "acme/C9", "--model", "mom/offline", "--thinking", "low", "--timeout", "60", "--off"],
  );
  assert.deepEqual(job.payload, {
    kind: "agentTurn",
    message: "news",
    model: "mom/offline",
    thinking: "low",
    timeoutSeconds: 60,
    deliver: true,
    channel: "acme",
    to: "C9",
  });
  assert.deepEqual(
    [job.agentId, job.home.askedBy.id, job.enabled, job.state.nextRunAtMs],
    ["coder", "U2", false, undefined],
  );
});

test("changes, switches, shows the next times, and takes away", async () => {
  await openOwner();
  await addHere("--name", "diary", "--tz", "UTC");
  const [{ id }] = await json("list");
  assert.equal((await run("edit", "diary", "--when", "every day at 8 UTC", "--text", "write more", "--yes")).code, 0);
  const [edited] = await json("list");
  assert.deepEqual([edited.schedule.expr, edited.payload.text], ["0 8 * * *", "write more"]);
  assert.match((await run("edit", id, "--yes")).err, /Nothing is to be changed/);
  assert.match((await run("edit", id, "--name", "x")).err, /CRON_NOT_CONFIRMED/);
  const times = await json("next", "DIARY", "--count", "3");
  assert.equal(times.length, 3);
  assert.equal(times[1].dueAtMs - times[0].dueAtMs, 86_400_000);
  assert.match((await run("disable", id)).out, /is switched off/);
  assert.match((await run("next")).err, /nothing is due/);
  assert.match((await run("enable", id)).out, /is switched on: every day at 08:00 \(UTC\); next: /);
  assert.match((await run("next", "--count", "2")).out, /^\S+ \S+ {2}\w{6} {2}diary\n.*diary\n$/);
  assert.match((await run("remove", id)).out, /is gone/);
  assert.deepEqual(await json("list"), []);
});

test("a run that is asked for is due at once; without a running mom it says so", async () => {
  const owner = await openOwner();
  await addHere();
  const [{ id }] = await json("list");
  assert.match((await run("run", id)).out, /the running mom starts it now/);
  const item = await owner.due.get("cron", id);
  assert.ok(item?.dueAt !== undefined && item.dueAt <= Date.now());
  assert.equal((item.data as CronJob).state.runAskedAtMs, item.dueAt);
  assert.match((await run("runs", id)).err, /no due time yet/);
  await owner.due.settle(item, { state: "skipped", reason: "it \u001b[2Jrains", next: null });
  assert.match((await run("runs", id)).out, /skipped +- +- +it .*rains/);
  assert.doesNotMatch((await run("runs", id)).out, /\u001b/);
  await owner.close();
  store = undefined;
  assert.match((await addHere()).err, /no mom is running there/);
});

test("bad use is refused with the fix: a table", async () => {
  await openOwner();
  for (const [args, err] of [
    [["add", "now and then", "x", "--chat", "acme/C1", "--yes"], /CRON_WHEN_INVALID/],
    [["add", "every day at 9", "x", "--chat", "acme/C1", "--tz", "Europe/Wien", "--yes"], /TIME_ZONE_UNKNOWN/],
    [["add", "0 9 30 2 *", "x", "--chat", "acme/C1", "--yes"], /CRON_NEVER_FIRES/],
    [["add", "on 2001-01-01 at 9:00", "x", "--chat", "acme/C1", "--yes"], /CRON_WHEN_OUT_OF_RANGE/],
    [["add", "every day at 9", " ", "--chat", "acme/C1", "--yes"], /MESSAGE_EMPTY/],
    [["add", "every day at 9", "x".repeat(4001), "--chat", "acme/C1", "--yes"], /CRON_TOO_LONG/],
    [["add", "every day at 9", "x", "--chat", "acme", "--yes"], /BAD_TARGET/],
    [["add", "every day at 9", "x", "--chat", "amce/C1", "--yes"], /UNKNOWN_ADAPTER.*|Did you mean "acme"/],
    [["add", "every day at 9", "x", "--chat", "bare/C1", "--yes"], /CRON_ASKER_MISSING/],
    [["add", "every day at 9", "x", "--chat", "acme/C1", "--agent", "nobody", "--yes"], /CRON_AGENT_UNKNOWN/],
    [["add", "every day at 9", "x", "--chat", "acme/C1", "--deliver", "--yes"], /--deliver needs --isolated/],
    [
      ["add", "every day at 9", "x", "--chat", "acme/C1", "--isolated", "--model", "no/such", "--yes"],
      /CRON_MODEL_UNKNOWN/,
    ],
    [
      ["add", "every day at 9", "x", "--chat", "acme/C1", "--isolated", "--thinking", "hard", "--yes"],
      /CRON_JOB_INVALID/,
    ],
    [["add", "every day at 9"], /BAD_USAGE/],
    [["edit", "nobody", "--name", "x", "--yes"], /CRON_NOT_FOUND/],
    [["remove", "nobody"], /CRON_NOT_FOUND/],
    [["run", "nobody"], /CRON_NOT_FOUND/],
    [["runs", "nobody"], /CRON_NOT_FOUND/],
    [["next", "nobody"], /CRON_NOT_FOUND/],
    [["next", "--count", "0"], /BAD_USAGE/],
  ] as const) {
    const result = await run(...args);
    assert.notEqual(result.code, 0, args.join(" "));
    assert.match(result.err, err, args.join(" "));
  }
  assert.deepEqual(await json("list"), []);
  await addHere("--name", "same");
  await addHere("--name", "same");
  assert.match((await run("remove", "same")).err, /2 jobs are called "same"[\s\S]*Use its id: \w{6} or \w{6}/);
});
