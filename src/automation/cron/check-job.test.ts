/** Jobs that cannot be: each is refused with its code before anything is kept. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { asker, buildErrandJob, buildWord, homeChat, openCronStage } from "../../../test/fakes/cron-stage.ts";
import type { CronPayload, CronSchedule, NewCronJob } from "../../contracts/cron.ts";
import { ensureRoom } from "./check-job.ts";

const errand = (more: Partial<Extract<CronPayload, { kind: "agentTurn" }>>) =>
  buildErrandJob({ payload: { kind: "agentTurn", message: "look", ...more } });
const timed = (schedule: unknown) => buildWord({ schedule: schedule as CronSchedule });
/** What programs send may be anything. */
const odd = (job: Record<string, unknown>) => ({ ...buildWord(), ...job }) as unknown as NewCronJob;

const refused: [what: string, job: NewCronJob, code: string][] = [
  ["no name", buildWord({ name: " \n " }), "CRON_NAME_INVALID"],
  ["a name of brackets", buildWord({ name: "[]" }), "CRON_NAME_INVALID"],
  ["a name that is none", odd({ name: 7 }), "CRON_NAME_INVALID"],
  ["a long name", buildWord({ name: "n".repeat(81) }), "CRON_NAME_INVALID"],
  ["a long description", buildWord({ description: "d".repeat(501) }), "CRON_TOO_LONG"],
  ["no text", buildWord({ payload: { kind: "systemEvent", text: "  " } }), "CRON_TEXT_MISSING"],
  ["text that is none", odd({ payload: { kind: "systemEvent", text: null } }), "CRON_TEXT_MISSING"],
  ["long text", buildWord({ payload: { kind: "systemEvent", text: "t".repeat(4001) } }), "CRON_TOO_LONG"],
  ["another kind of payload", odd({ payload: { kind: "shell", text: "rm" } }), "CRON_JOB_INVALID"],
  ["no payload", odd({ payload: undefined }), "CRON_JOB_INVALID"],
  ["another wake mode", odd({ wakeMode: "never" }), "CRON_JOB_INVALID"],
  ["an unknown model", errand({ model: "fake/two" }), "CRON_MODEL_UNKNOWN"],
  ["unknown thinking", errand({ thinking: "deep" as "high" }), "CRON_JOB_INVALID"],
  ["no time to run", errand({ timeoutSeconds: 0 }), "CRON_JOB_INVALID"],
  ["a year to run", errand({ timeoutSeconds: 31_536_000 }), "CRON_JOB_INVALID"],
  ["a platform without a chat", errand({ deliver: true, channel: "discord" }), "CRON_JOB_INVALID"],
  ["a word in a session of its own", buildWord({ sessionTarget: "isolated" }), "CRON_JOB_INVALID"],
  ["an errand in the main one", buildErrandJob({ sessionTarget: "main" }), "CRON_JOB_INVALID"],
  ["a mode that is none", odd({ isolation: { postToMainMode: "half" } }), "CRON_JOB_INVALID"],
  ["no room for the answer", buildErrandJob({ isolation: { postToMainMaxChars: 0 } }), "CRON_JOB_INVALID"],
  ["a long prefix", buildErrandJob({ isolation: { postToMainPrefix: "p".repeat(81) } }), "CRON_TOO_LONG"],
  ["an unknown agent", buildWord({ agentId: "nobody" }), "CRON_AGENT_UNKNOWN"],
  [
    "a chat that ends",
    buildWord({ home: { channel: { adapter: "once", channelId: "x" }, askedBy: asker } }),
    "CHAT_ENDS",
  ],
  ["the past", timed({ kind: "at", atMs: 5 }), "SCHEDULE_IN_THE_PAST"],
  ["no time", timed({ kind: "at", atMs: Number.NaN }), "SCHEDULE_INVALID"],
  ["too often", timed({ kind: "every", everyMs: 10 }), "SCHEDULE_INVALID"],
  ["a bad expression", timed({ kind: "cron", expr: "61 * * * *" }), "CRON_EXPRESSION_INVALID"],
  ["an expression that never comes", timed({ kind: "cron", expr: "0 9 30 2 *" }), "CRON_NEVER_FIRES"],
  ["a zone that is none", timed({ kind: "cron", expr: "0 9 * * *", tz: "Mars/Base" }), "TIME_ZONE_UNKNOWN"],
];

test("jobs that cannot be are refused, and nothing is kept", async (context) => {
  const life = await (await openCronStage(context)).begin();
  for (const [what, job, code] of refused) await assert.rejects(life.cron.add(job), { code }, what);
  assert.deepEqual(await life.cron.list({ includeDisabled: true }), []);
  await life.end();
});

test("the same holds for changes, and a refused one changes nothing", async (context) => {
  const life = await (await openCronStage(context)).begin();
  const job = await life.cron.add(buildErrandJob());
  for (const [what, { home: _, agentId: __, ...patch }, code] of refused) {
    if (["CHAT_ENDS", "CRON_AGENT_UNKNOWN"].includes(code) || patch.payload === undefined) continue;
    await assert.rejects(life.cron.update(job.id, patch), { code }, what);
  }
  assert.deepEqual(await life.cron.get(job.id), job);
  await life.end();
});

test("an old job whose agent or model is gone can still be switched off", async (context) => {
  const life = await (await openCronStage(context)).begin();
  const job = await life.cron.add(errand({ model: "fake/one" }));
  await life.store.due.change("cron", job.id, (item) => ({
    ...(item.dueAt !== undefined && { dueAt: item.dueAt }),
    data: { ...job, payload: { ...job.payload, model: "gone/model" } },
  }));
  assert.equal((await life.cron.update(job.id, { enabled: false })).enabled, false);
  await life.end();
});

test("a hundred jobs per chat, a thousand in all", async (context) => {
  const life = await (await openCronStage(context)).begin();
  const job = await life.cron.add(buildWord());
  const inChat = (n: number) => ({ ...job, home: { channel: { ...homeChat, channelId: `C${n}` }, askedBy: asker } });
  const jobs = Array.from({ length: 1000 }, (_, n) => inChat(Math.floor(n / 100)));
  const channel = (n: number) => ({ ...homeChat, channelId: `C${n}` });
  ensureRoom(jobs.slice(0, 99), channel(0));
  assert.throws(() => ensureRoom(jobs.slice(0, 100), channel(0)), { code: "CRON_FULL", message: /This chat/ });
  ensureRoom(jobs.slice(0, 999), channel(77));
  assert.throws(() => ensureRoom(jobs, channel(77)), { code: "CRON_FULL", message: /already 1000 jobs/ });
  await life.end();
});
