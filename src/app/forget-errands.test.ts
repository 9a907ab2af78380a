import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { errandAdapter } from "../base/errand-adapter.ts";
import { buildRoute } from "../sessions/index.ts";
import { buildLayout, openStore } from "../store/index.ts";
import { forgetErrands } from "./forget-errands.ts";

test("sessions of jobs that are gone are forgotten after a day; those of jobs that are there, and of people, stay", async (t) => {
  const clock = createFakeClock();
  const { dir } = await createTempFolder(t);
  const store = await openStore({ layout: buildLayout(dir), clock, log: silentLog, role: "owner", routesOf: () => [] });
  t.after(() => store.close());
  const open = (jobId: string) =>
    store.sessions.open(
      buildRoute("main", { type: "cron", jobId }, { adapter: errandAdapter, channelId: `cron/main/${jobId}` }),
    );
  await open("gone");
  await open("kept");
  await store.due.put({ source: "cron", id: "kept", data: {} });
  const chat = { adapter: "slack", channelId: "D1" };
  await store.sessions.open(buildRoute("main", { type: "main" }, chat));
  const forget = () =>
    forgetErrands({ store, clock, forgetSession: (sessionKey) => store.sessions.delete(sessionKey) });
  const left = async () => (await store.sessions.list()).map(({ sessionKey }) => sessionKey).sort();
  await forget();
  assert.equal((await left()).length, 3);
  await clock.advance(25 * 3600_000);
  await forget();
  assert.deepEqual(await left(), ["agent:main:cron:kept", "agent:main:main"]);
});
