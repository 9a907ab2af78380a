/** Jobs and memory in the browser, on the real app: plain words become a job that runs, notes are found again. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { noChromium } from "../fakes/browser-stage.ts";
import { openUi } from "./stage.ts";

const limit = { timeout: 120_000, skip: noChromium };

test("a job in plain words: the next runs are shown, it is kept, runs, and its history tells", limit, async (t) => {
  const { page, app, complaints } = await openUi(t);
  await page.goto(`${app.url}/#/cron`);
  await page.getByRole("button", { name: "New job" }).click();
  const dialog = page.getByRole("dialog", { name: "New job" });
  await dialog.getByLabel("Name").fill("Morning news");
  await dialog.getByLabel("Task").fill("tell me the news");
  await dialog.getByLabel("When").fill("now and then, if you like");
  await dialog.locator(".note-warn").waitFor();
  await dialog.getByLabel("When").fill("every weekday at 9:00");
  await dialog.getByLabel("Time zone").fill("Europe/Berlin");
  await dialog.getByText("every weekday at 09:00 (Europe/Berlin)").waitFor();
  assert.equal(await dialog.getByRole("list", { name: "Next runs" }).getByRole("listitem").count(), 5);
  await dialog.getByRole("button", { name: "Make it" }).click();
  await page.getByRole("link", { name: "Morning news" }).click();
  await page.getByText("Nothing yet").waitFor();
  await page.getByRole("button", { name: "Run now" }).click();
  const history = page.getByRole("table", { name: "History" });
  await history.getByText("Done").waitFor();
  await history.getByText(/echo/).waitFor();
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete it" }).click();
  await page.getByText("No jobs yet").waitFor();
  assert.deepEqual(complaints, []);
});

test("a note is indexed, found by its words, and opened at its line", limit, async (t) => {
  const { page, app, world } = await openUi(t);
  const lines = Array.from({ length: 40 }, (_, n) =>
    n === 24 ? "We decided to paint the bicycle blue." : `Line ${n + 1}.`,
  );
  await writeFile(join(world.dataDir, "workspace", "MEMORY.md"), `${lines.join("\n")}\n`);
  await page.goto(`${app.url}/#/memory`);
  await page.getByRole("button", { name: "Bring up to date" }).click();
  await page.getByText(/The index is/).waitFor();
  await page.getByLabel("Look by").selectOption("text");
  await page.getByRole("searchbox").fill("bicycle");
  await page.keyboard.press("Enter");
  await page.getByText("We decided to paint the bicycle blue.").first().waitFor();
  await page
    .getByRole("button", { name: /MEMORY\.md#L/ })
    .first()
    .click();
  await page.getByRole("dialog").getByText("We decided to paint the bicycle blue.").waitFor();
});
