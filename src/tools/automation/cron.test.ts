import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { textOf } from "../../../test/fakes/tool-workspace.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { Schedule, Scheduler } from "../../contracts/schedule.ts";
import { createCronTool } from "./cron.ts";

const channel = { adapter: "cli", channelId: "main" };
const sender = { id: "U1", username: "ann", isBot: false };

/** The port in memory. */
function createMemoryScheduler(): Scheduler & { rows: Schedule[] } {
  const rows: Schedule[] = [];
  const isIn = (row: Schedule, ref: ChannelRef) =>
    row.channel.adapter === ref.adapter && row.channel.channelId === ref.channelId;
  return {
    rows,
    async add(schedule) {
      const row = { ...schedule, id: `s${rows.length + 1}`, createdAt: 0 };
      rows.push(row);
      return row;
    },
    list: async (ref) => rows.filter((row) => isIn(row, ref)),
    async remove(ref, id) {
      const at = rows.findIndex((row) => row.id === id && isIn(row, ref));
      if (at !== -1) rows.splice(at, 1);
      return at !== -1;
    },
  };
}

function open(outside?: string) {
  const scheduler = createMemoryScheduler();
  const tool = createCronTool({
    scheduler,
    clock: createFakeClock(Date.UTC(2026, 0, 1)),
    scope: { channel, sender },
    findOutside: async () => outside,
  });
  const cron = (params: Parameters<typeof tool.execute>[1]) =>
    tool.execute("call", params, new AbortController().signal, () => undefined);
  return { scheduler, cron };
}

test("adds by seconds and by time, for who asked, in this chat", async () => {
  const { scheduler, cron } = open();
  assert.equal(textOf(await cron({ action: "add", in: 60, text: "tea" })), "Set: s1 2026-01-01T00:01:00.000Z tea");
  await cron({ action: "add", at: "2026-01-02T09:00:00+01:00", text: "call" });
  assert.deepEqual(scheduler.rows[1], {
    id: "s2",
    dueAt: Date.UTC(2026, 0, 2, 8),
    channel,
    text: "call",
    askedBy: { id: "U1", username: "ann" },
    createdAt: 0,
  });
});

test("a reminder that is set with text from outside in the conversation says so", async () => {
  const { scheduler, cron } = open("https://a.example/");
  await cron({ action: "add", in: 60, text: "tea" });
  assert.equal(scheduler.rows[0]?.outside, "https://a.example/");
});

test("lists and removes in this chat only", async () => {
  const { scheduler, cron } = open();
  assert.match(textOf(await cron({ action: "list" })), /No reminders.*\nIt is now 2026-01-01T00:00:00/);
  await cron({ action: "add", in: 60, text: "tea\nwith milk" });
  await scheduler.add({ dueAt: 1, channel: { adapter: "cli", channelId: "other" }, text: "x", askedBy: sender });
  const listed = await cron({ action: "list" });
  assert.match(textOf(listed), /^s1 2026-01-01T00:01:00\.000Z tea with milk\nIt is now/);
  assert.equal(listed.details.schedules.length, 1);
  await assert.rejects(cron({ action: "remove", id: "s2" }), { code: "CRON_NOT_FOUND" });
  await assert.rejects(cron({ action: "remove" }), { code: "CRON_NOT_FOUND" });
  await cron({ action: "remove", id: "s1" });
  assert.equal(scheduler.rows.length, 1);
});

test("refuses times that are missing, doubled, vague, past or far away", async () => {
  const { cron } = open();
  const add = (when: { at?: string; in?: number }) => cron({ action: "add", text: "x", ...when });
  await assert.rejects(add({}), { code: "CRON_WHEN_MISSING" });
  await assert.rejects(add({ in: 5, at: "2026-01-02T09:00:00Z" }), { code: "CRON_WHEN_MISSING" });
  for (const at of ["tomorrow", "2026-01-02", "2026-01-02T09:00:00", "2026-13-02T09:00:00Z"]) {
    await assert.rejects(add({ at }), { code: "CRON_WHEN_INVALID" });
  }
  await assert.rejects(add({ at: "2025-12-31T23:59:59Z" }), { code: "CRON_WHEN_OUT_OF_RANGE", hint: /now 2026-01-01/ });
  await assert.rejects(add({ in: 1e12 }), { code: "CRON_WHEN_OUT_OF_RANGE" });
  await assert.rejects(cron({ action: "add", in: 5 }), { code: "CRON_TEXT_MISSING" });
});

test("keeps a bounded number per chat", async () => {
  const { cron } = open();
  for (let i = 0; i < 100; i++) await cron({ action: "add", in: 60, text: "x" });
  await assert.rejects(cron({ action: "add", in: 60, text: "x" }), { code: "CRON_FULL" });
});
