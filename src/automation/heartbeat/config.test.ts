/** The heartbeat's settings: durations and times are taken strictly, and what an agent says goes before what all have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentHeartbeatConfig, heartbeatConfig, pickHeartbeat } from "./config.ts";

const problemOf = (value: unknown) =>
  heartbeatConfig.safeParse(value).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);

test("an empty config beats every five minutes, where the owner last spoke", () => {
  const config = pickHeartbeat(heartbeatConfig.parse({}));
  assert.equal(config.everyMs, 300_000);
  assert.equal(config.target, "last");
  assert.equal(config.ackMaxChars, 100);
  assert.equal(config.enabled, undefined);
});

test("an agent's own settings go first, one by one", () => {
  const all = heartbeatConfig.parse({ every: "1h30m", model: "lab/small", enabled: false });
  const own = agentHeartbeatConfig.parse({ enabled: true, ackMaxChars: 0 });
  const { everyMs, model, enabled, ackMaxChars } = pickHeartbeat(all, own);
  assert.deepEqual([everyMs, model, enabled, ackMaxChars], [5_400_000, "lab/small", true, 0]);
});

test("durations", () => {
  const everyOf = (every: string) => pickHeartbeat(heartbeatConfig.parse({ every })).everyMs;
  assert.deepEqual(
    ["90s", "5m", "2h", "1d", "1H30M"].map(everyOf),
    [90_000, 300_000, 7_200_000, 86_400_000, 5_400_000],
  );
  for (const every of ["5", "5 m", "m", "", "5min", "30m1h", "1.5h", "-5m", "5m5m", 5, null])
    assert.ok(problemOf({ every })?.[0]?.startsWith("every: "), String(every));
  assert.match(problemOf({ every: "5" })?.[0] ?? "", /such as "5m"/);
  for (const every of ["0m", "59s", "8d"]) assert.match(problemOf({ every })?.[0] ?? "", /1m to 7d/, every);
});

test("active hours that cannot be meant are refused, with the reason", () => {
  const hours = (start: string, end: string, timezone?: string) => problemOf({ activeHours: { start, end, timezone } });
  assert.equal(hours("22:00", "06:00", "Europe/Vienna"), undefined);
  assert.equal(hours("08:00", "24:00", "user"), undefined);
  assert.match(hours("08:00", "08:00")?.[0] ?? "", /activeHours\.end: .*same time/);
  assert.match(hours("24:00", "08:00")?.[0] ?? "", /activeHours\.start: .*23:59/);
  assert.match(hours("8", "9")?.join() ?? "", /HH:MM/);
  assert.match(hours("08:00", "09:00", "Vienna")?.[0] ?? "", /no time zone/);
  assert.match(problemOf({ evry: "5m" })?.[0] ?? "", /evry/);
});
