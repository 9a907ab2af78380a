/** `/cron` on the real jobs: what is shown, made, run and taken away, by whom, and the same again after a crash. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createCommandPorts } from "../../test/fakes/command-ports.ts";
import { asker, buildErrandJob, buildWord, openCronStage } from "../../test/fakes/cron-stage.ts";

const admin = { isAdmin: true };
const here = { channel: { adapter: "chat", channelId: "C1" }, askedBy: asker };

async function open(context: TestContext) {
  const stage = await openCronStage(context);
  stage.running.add("chat");
  const life = await stage.begin();
  await life.look();
  context.after(() => life.end());
  const ports = createCommandPorts({ cron: life.cron });
  const ask = async (text: string, options = admin) => String(await ports.ask(text, options));
  return { life, ports, ask };
}

test("jobs are for admins", async (context) => {
  const { life, ask } = await open(context);
  await life.cron.add(buildWord({ home: here }));
  const said = await ask("/cron", { isAdmin: false });
  assert.match(said, /is for admins only/);
  assert.doesNotMatch(said, /tea/);
});

test("makes a job of plain words, says it back, and does so once", async (context) => {
  const { life, ports, ask } = await open(context);
  assert.match(await ask("/cron"), /no jobs and no reminders/);
  const said = await ask('/cron add "every weekday 9:00 UTC" write the [report]');
  assert.match(
    said,
    /^Set, as \*\*\w{6}\*\*: `write the \[report\]`, every weekday at 09:00 \(UTC\); next: Thu 2026-01-01 09:00/,
  );
  assert.equal(await ports.askAgain(), said, "resumed after a crash");
  const [job, ...others] = await life.cron.list();
  assert.deepEqual(others, []);
  assert.deepEqual(job?.home, { channel: here.channel, askedBy: { id: "U1", username: job?.home.askedBy.username } });
  assert.equal(job?.name, "write the report");
});

test("lists those of the chat, and with a word all", async (context) => {
  const { life, ports, ask } = await open(context);
  ports.house.session = { ...ports.house.session, type: "group" };
  const own = await life.cron.add(buildErrandJob({ home: here, name: "own `code`" }));
  const other = await life.cron.add(buildWord());
  const listed = await ask("/cron list");
  assert.match(listed, new RegExp(`^- \\*\\*${own.id}\\*\\* \`own 'code'\`: .*every day at 09:00.*session of its own`));
  assert.doesNotMatch(listed, new RegExp(other.id));
  assert.match(await ask("/cron list all"), new RegExp(`${other.id}.*in \`slack/C1\``));
  assert.match(await ask("/cron list everything"), /takes nothing|Usage/);
});

test("runs one now, shows what came of it, and takes it away", async (context) => {
  const { life, ports, ask } = await open(context);
  const job = await life.cron.add(buildWord({ home: here }));
  assert.equal(await ask(`/cron run ${job.id.toUpperCase()}`), `Started \`${job.id}\`.`);
  assert.equal(await ports.askAgain(), `Started \`${job.id}\`.`, "resumed after a crash");
  assert.equal((await life.turns()).length, 1);
  assert.match(await ask(`/cron run ${job.id}`), /^Not started: its last run is still going\.$/);
  assert.match(await ask(`/cron runs ${job.id}`), /^- \S+ \S+ \*\*ran\*\* `asked for by hand`$/);
  assert.match(await ask(`/cron remove ${job.id}`), /is gone; what it has done stays on record/);
  assert.match(String(await ports.askAgain()), /is gone/, "resumed after a crash");
  assert.match(await ask(`/cron runs ${job.id}`), /asked for by hand/);
  assert.match(await ask(`/cron remove ${job.id}`), /There is no job/);
});

test("what is half said or wrong is answered with the fix", async (context) => {
  const { life, ask } = await open(context);
  for (const [text, answer] of [
    ["/cron frobnicate", /`frobnicate` is none of list, add/],
    ["/cron add", /Say when, in quotes/],
    ["/cron add every day at 9 x", /Say when, in quotes/],
    ['/cron add "every day at 9"', /Say when, in quotes/],
    ['/cron add "now and then" x', /not wholly understood as a time.*every weekday 9:00/],
    ['/cron add "0 9 30 2 *" x', /never comes/],
    ["/cron run", /Say which job/],
    ["/cron run nobody", /There is no job `nobody`/],
    ["/cron runs nobody", /There is no job `nobody`/],
  ] as const) {
    assert.match(await ask(text), answer, text);
  }
  assert.equal((await life.cron.list()).length, 0);
});
