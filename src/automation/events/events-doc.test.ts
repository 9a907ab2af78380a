/** What the prompt and the doctor say of event files. */
import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import { checkEvents } from "./check-events.ts";
import { eventsDoc } from "./events-doc.ts";
import { parseEvent } from "./parse-event.ts";

const facts = { folder: "/workspace/channels/slack-acme/C0123456789/events", chat: "slack-acme/C0123456789" };

test("the prompt's part is short, and what it shows can be taken as it is", () => {
  for (const isOwner of [true, false]) {
    const text = eventsDoc({ ...facts, isOwner, timezone: "America/Argentina/Buenos_Aires" });
    assert.ok(Buffer.byteLength(text) <= 600, `${Buffer.byteLength(text)} bytes`);
    const [, immediate = ""] = /`(\{[^`]+\})`/.exec(text) ?? [];
    const rest = { immediate: "", "one-shot": /`("at":[^`]+)`/, periodic: /`("schedule":[^`]+)`/ };
    for (const [type, shape] of Object.entries(rest)) {
      const more = shape === "" ? "" : `,${new RegExp(shape).exec(text)?.[1]}`;
      const whole = immediate.replace("immediate", type).replace(/\}$/, `${more}}`);
      const parsed = parseEvent(Buffer.from(whole));
      assert.deepEqual([parsed.type, parsed.type === "event" && parsed.event.type], ["event", type], whole);
    }
  }
});

test("the doctor counts what waits and what has failed, and follows no link", async (context) => {
  const { dir, put } = await createTempFolder(context);
  await put("workspace/events/a.json", "{}");
  await put("workspace/events/failed/b.json", "{}");
  await put("workspace/events/failed/b.json.reason.txt", "why");
  await put("elsewhere/failed/c.json.reason.txt", "why");
  await symlink(join(dir, "elsewhere"), join(dir, "workspace/linked"));
  const workspaceDir = join(dir, "workspace");
  const [summary, ...others] = await checkEvents(
    ["events", "linked", "missing"].map((folder) => ({ workspaceDir, folder, label: folder })),
  );
  assert.equal(summary?.detail, "1 file waits");
  assert.deepEqual(
    others.map(({ level, detail }) => [level, detail]),
    [["warn", "events/failed has 1 that could not be used"]],
  );
});
