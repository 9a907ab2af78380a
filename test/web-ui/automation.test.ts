/** What mom does on her own and what she remembers, in the browser: every page and look, and what people do there. */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { noChromium } from "../fakes/browser-stage.ts";
import { mainKey } from "../fakes/gateway-house.ts";
import type { GatewayRig } from "../fakes/gateway-rig.ts";
import { openHouseUi } from "./house-stage.ts";
import { findBarriers } from "./stage.ts";

const limit = { timeout: 180_000, skip: noChromium };
/** Where pictures are kept for whoever wants to look at them: `MOM_SCREENSHOTS=<folder>`. */
const pictures = process.env["MOM_SCREENSHOTS"];
const hourMs = 3_600_000;

/** Jobs in every state, a beat, a subagent, notes, an index that is being built. */
async function fill({ house: { automation, clock } }: GatewayRig): Promise<void> {
  const { rooms, jobs, runs, notes } = automation;
  const task = { kind: "agentTurn", message: "Look what is new, and tell me in three lines.", deliver: true } as const;
  const zone = { kind: "cron", expr: "0 9 * * 1-5", tz: "Europe/Berlin" } as const;
  const { id } = await rooms.cron.add({ name: "Morning news", schedule: zone, payload: task });
  const water = { kind: "systemEvent", text: "Water the plants." } as const;
  await rooms.cron.add({ name: "Plants", schedule: { kind: "every", everyMs: 48 * hourMs }, payload: water });
  const off = await rooms.cron.add({ name: "Old report with a rather long name", schedule: zone, payload: task });
  await rooms.cron.update(off.id, { enabled: false });
  const job = jobs.get(id);
  if (job)
    jobs.set(id, { ...job, state: { ...job.state, lastStatus: "error", lastError: "No model answers.", failures: 3 } });
  const now = clock.now();
  const row = (hours: number) => ({ source: "cron", id, dueAt: now - hours * hourMs, settledAt: now }) as const;
  runs.set(id, [
    { ...row(1), state: "ran", status: "error", error: "No model answers: the key is used up.", durationMs: 800 },
    { ...row(25), state: "skipped", reason: "the run before it was still going on" },
    { ...row(49), state: "missed", reason: "mom was not running" },
    {
      ...row(73),
      state: "ran",
      status: "ok",
      summary: "Three things are new: one, two and three.",
      durationMs: 14_200,
    },
  ]);
  automation.beats[0] = {
    agentId: "main",
    isEnabled: true,
    everyMs: hourMs / 2,
    nextAt: now + hourMs / 4,
    last: {
      ts: now - hourMs / 4,
      agentId: "main",
      status: "sent",
      to: "slack/C1",
      preview: "The build has failed twice.",
    },
  };
  await rooms.heartbeat.beat("helper");
  const by = { sessionKey: mainKey, deviceName: "laptop", isAdmin: true };
  await rooms.subagents.spawn(by, { task: "Compare the three offers", callId: "run-1", label: "Offers" });
  const lines = Array.from({ length: 60 }, (_, n) => `- note ${n + 1}`);
  lines[29] = "- We decided to paint the red bicycle blue.";
  notes.set("MEMORY.md", lines.join("\n"));
  notes.set("memory/2026-01-31.md", "# Saturday\nThe bicycle is in the cellar.");
  automation.memoryStatus = {
    ...automation.memoryStatus,
    files: 2,
    chunks: 12,
    embedded: 7,
    state: "indexing",
    progress: { done: 7, total: 12 },
    skipped: [{ path: "memory/photo.bin", reason: "it is no text" }],
  };
}

async function look(page: Page, name: string): Promise<void> {
  await page.getByText("Loading…").first().waitFor({ state: "hidden" });
  if (pictures) {
    await mkdir(pictures, { recursive: true });
    await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  }
  assert.deepEqual([name, await findBarriers(page)], [name, []]);
  const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
  assert.ok(overflow <= 0, `${name} is ${overflow} px too wide`);
}

for (const kind of ["light", "dark", "phone"] as const) {
  test(`${kind}: jobs, heartbeat, subagents, memory`, limit, async (t) => {
    const { page, rig, complaints, strays } = await openHouseUi(t, {
      context: {
        colorScheme: kind === "dark" ? "dark" : "light",
        ...(kind === "phone" && { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }),
      },
    });
    await page.goto(`${rig.url}/#/cron`);
    await page.getByText("No jobs yet").waitFor();
    await look(page, `cron-empty-${kind}`);
    await page.goto(`${rig.url}/#/memory`);
    await page.getByText("Nothing is remembered yet.").waitFor();
    await look(page, `memory-empty-${kind}`);

    await fill(rig);
    await page.goto(`${rig.url}/#/cron`);
    await page.getByText("The build has failed twice.").waitFor();
    await look(page, `cron-${kind}`);
    await page.getByRole("button", { name: "New job" }).click();
    await page.getByLabel("When").fill("every weekday at 9:00");
    await page.getByRole("list", { name: "Next runs" }).waitFor();
    await look(page, `cron-form-${kind}`);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Morning news" }).click();
    await page.getByText("mom was not running").waitFor();
    await look(page, `cron-job-${kind}`);
    await page.goto(`${rig.url}/#/memory`);
    await page.getByText("7 of 12 indexed").waitFor();
    await page.getByRole("searchbox").fill("red bicycle");
    await page.keyboard.press("Enter");
    await page.getByText("2 found, by words and meaning").waitFor();
    await look(page, `memory-${kind}`);
    await page.getByRole("button", { name: "MEMORY.md#L30-L30" }).click();
    await page.getByText("Lines 20 to 40 of 60").waitFor();
    await look(page, `memory-lines-${kind}`);
    await page.keyboard.press("Escape");
    await page.goto(`${rig.url}/#/sessions`);
    await page.getByRole("link", { name: "Offers" }).waitFor();
    await look(page, `subagents-${kind}`);
    assert.deepEqual([complaints, strays], [[], []]);
  });
}

test("a job in plain words: shown back, kept, run, its history, paused, gone", limit, async (t) => {
  const { page, rig, complaints } = await openHouseUi(t);
  const { jobs } = rig.house.automation;
  await page.goto(`${rig.url}/#/cron`);
  await page.getByRole("button", { name: "New job" }).click();
  const dialog = page.getByRole("dialog", { name: "New job" });
  await dialog.getByRole("button", { name: "Make it" }).click();
  await dialog.getByText("A job needs a name.").waitFor();
  await dialog.getByLabel("Name").fill("Morning news");
  await dialog.getByLabel("Task").fill("Tell me the news.");
  await dialog.getByLabel("When").fill("now and then");
  await dialog.getByText('"now and then" is no time that I understand').waitFor();
  await dialog.getByText("Say it another way.").waitFor();
  await dialog.getByRole("button", { name: "Make it" }).click();
  await dialog.getByText("Mom must understand this first.").waitFor();
  assert.equal(jobs.size, 0);
  await dialog.getByLabel("When").fill("every weekday at 9:00");
  await dialog.getByLabel("Time zone").fill("Europe/Berlin");
  await dialog.getByText("every weekday at 09:00 (Europe/Berlin)").waitFor();
  assert.equal(await dialog.getByRole("list", { name: "Next runs" }).getByRole("listitem").count(), 5);
  await dialog.getByRole("button", { name: "Make it" }).click();
  await page.getByRole("link", { name: "Morning news" }).click();
  const [job] = jobs.values();
  assert.deepEqual(job?.schedule, { kind: "cron", expr: "0 9 * * 1-5", tz: "Europe/Berlin" });
  assert.deepEqual(job?.payload, { kind: "agentTurn", message: "Tell me the news.", deliver: true });

  await page.getByText("Every due time will stand here").waitFor();
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByRole("table", { name: "History" }).getByText("done: Morning news").waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await page.getByRole("button", { name: "Change…" }).click();
  await page.getByRole("dialog", { name: "Change the job" }).getByLabel("Name").fill("Evening news");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: /Evening news/ }).waitFor();
  assert.deepEqual([...jobs.values()][0]?.schedule, job?.schedule);
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete it" }).click();
  await page.getByText("No jobs yet").waitFor();
  assert.equal(jobs.size, 0);
  assert.deepEqual(complaints, []);
});

test("what another one does is seen at once, and a subagent can be stopped", limit, async (t) => {
  const { page, rig } = await openHouseUi(t);
  const { rooms } = rig.house.automation;
  await page.goto(`${rig.url}/#/cron`);
  await page.getByText("No jobs yet").waitFor();
  const payload = { kind: "systemEvent", text: "Water the plants." } as const;
  await rooms.cron.add({ name: "Plants", schedule: { kind: "every", everyMs: 60_000 }, payload });
  await page.getByRole("link", { name: "Plants" }).waitFor();
  await page.getByRole("button", { name: "Beat now main" }).click();
  await page.getByText("HEARTBEAT.md has nothing in it, so no model was asked.").waitFor();
  const by = { sessionKey: mainKey, deviceName: "laptop", isAdmin: true };
  await rooms.subagents.spawn(by, { task: "Compare the offers", callId: "run-1" });
  await page.goto(`${rig.url}/#/sessions`);
  await page.getByRole("button", { name: "Stop Compare the offers" }).click();
  await page.getByText("stopped", { exact: true }).waitFor();
});

test("an index is brought up to date, and what was found is opened with the lines around it", limit, async (t) => {
  const { page, rig } = await openHouseUi(t);
  const { automation } = rig.house;
  automation.notes.set("MEMORY.md", Array.from({ length: 100 }, (_, n) => `note ${n + 1}.`).join("\n"));
  await page.goto(`${rig.url}/#/memory`);
  await page.getByRole("button", { name: "Bring up to date" }).click();
  await page.getByText("The index is up to date.").waitFor();
  await page.getByText("Up to date", { exact: true }).waitFor();
  await page.getByRole("searchbox").fill("nothing like it");
  await page.keyboard.press("Enter");
  await page.getByText("Nothing is remembered of that").waitFor();
  await page.getByRole("searchbox").fill("50.");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "MEMORY.md#L50-L50" }).click();
  await page.getByText("Lines 40 to 60 of 100").waitFor();
  await page.getByRole("button", { name: "Lines after" }).click();
  await page.getByText("Lines 61 to 100 of 100").waitFor();
  assert.equal(await page.getByRole("button", { name: "Lines after" }).isDisabled(), true);
});

for (const isBare of [false, true]) {
  test(
    `a house ${isBare ? "without these rooms shows neither" : "with these rooms shows both"} pages`,
    limit,
    async (t) => {
      const { page, rig } = await openHouseUi(t, { isBare });
      await page.goto(`${rig.url}/#/sessions`);
      const nav = page.getByRole("navigation", { name: "Pages" });
      await nav.getByRole("link", { name: "Sessions" }).waitFor();
      const links = await nav.getByRole("link", { name: /^(?:Cron|Memory)$/ }).allTextContents();
      assert.deepEqual(links, isBare ? [] : ["Cron", "Memory"]);
    },
  );
}
