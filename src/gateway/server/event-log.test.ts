import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createRecordingLog } from "../../../test/fakes/log.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import { createEventLog, type EventRecord } from "./event-log.ts";

const key = "agent:main:main" as SessionKey;

function openLog(limits?: { events: number; bytes: number }) {
  const told: EventRecord[] = [];
  const log = createRecordingLog();
  const events = createEventLog({ clock: createFakeClock(), log, deliver: (record) => told.push(record) }, limits);
  const tell = (count: number) => {
    for (let n = 0; n < count; n++) events.publish("session.changed", { sessionKey: key });
  };
  return { events, told, log, tell };
}
const idsOf = (records: EventRecord[] | undefined) => records?.map(({ frame }) => JSON.parse(String(frame)).id);
const numberOf = (id: string) => Number(id.split("-")[1]);

test("numbers grow by one, without a hole", () => {
  const { events, told, tell } = openLog();
  assert.match(events.lastId, /^[0-9a-f]{12}-0$/);
  tell(5);
  assert.deepEqual(idsOf(told)?.map(numberOf), [1, 2, 3, 4, 5]);
  assert.equal(numberOf(events.lastId), 5);
});

test("what came after an id is told, what is gone is admitted", () => {
  const { events, told, tell } = openLog({ events: 3, bytes: 1_000_000 });
  const first = events.lastId;
  tell(3);
  assert.deepEqual(idsOf(events.after(first)), idsOf(told));
  assert.deepEqual(events.after(events.lastId), []);
  tell(1);
  assert.equal(events.after(first), undefined);
  assert.equal(events.after(idsOf(told)?.[0])?.length, 3);
});

test("ids of another life, of the future and rubbish are not ours", () => {
  const { events, tell } = openLog();
  tell(2);
  const [life] = events.lastId.split("-");
  for (const id of [
    "",
    "x",
    "0123456789ab-1",
    `${life}-3`,
    `${life}-`,
    `${life}--1`,
    `${life}-1.5`,
    `${life}-1e1`,
    "-1",
  ]) {
    assert.equal(events.after(id), undefined, id);
  }
});

test("what is kept is bounded by bytes; one that is too large for it leaves a gap", () => {
  const { events, told, tell } = openLog({ events: 100, bytes: 2_000 });
  tell(20);
  const before = events.lastId;
  assert.equal(events.after(idsOf(told)?.[0]), undefined);
  assert.ok((events.after(idsOf(told)?.[17])?.length ?? 0) > 0);
  events.publish("shutdown", { reason: "x".repeat(3_000) });
  assert.equal(events.after(before), undefined);
  assert.deepEqual(events.after(events.lastId), []);
});

test("who is connected is told now and not again", () => {
  const { events, told } = openLog();
  const before = events.lastId;
  events.publish("presence", { clients: [] });
  events.publish("pairing.changed", {});
  assert.equal(told.length, 2);
  assert.deepEqual(
    events.after(before)?.map(({ frame }) => frame !== undefined),
    [false, true],
  );
});

test("an event that is not as the protocol says is told to nobody and leaves no hole", () => {
  const { events, told, log, tell } = openLog();
  events.publish("session.changed", { wrong: true } as unknown as { sessionKey: string });
  const circular: Record<string, unknown> = { type: "x" };
  circular["self"] = circular;
  events.publish("agent", { turnId: "t", event: circular }, key);
  assert.deepEqual([told.length, log.lines.length], [0, 2]);
  tell(1);
  assert.equal(numberOf(events.lastId), 1);
});

test("a loose frame has the number of the event before it", () => {
  const { events, tell } = openLog();
  tell(4);
  const payload = { invokeId: "i", command: "c", args: {}, expiresAt: 1 };
  assert.equal(JSON.parse(String(events.buildLoose("node.invoke", payload))).id, events.lastId);
  assert.equal(numberOf(events.lastId), 4);
});

test("a line of the log that cannot be written out is left out, and nothing is logged about it", () => {
  const { events, log } = openLog();
  const fields: Record<string, unknown> = {};
  fields["self"] = fields;
  assert.equal(events.buildLoose("log", { line: { at: 1, level: "info", text: "x", fields } }), undefined);
  assert.deepEqual(log.lines, []);
});
