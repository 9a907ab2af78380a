/** Every page: it opens, says something, has no barriers, fits a phone, and asks nobody but mom. */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { noChromium } from "../fakes/browser-stage.ts";
import { findBarriers, messageBox, openUi, tell } from "./stage.ts";

const limit = { timeout: 180_000, skip: noChromium };
const pages = [
  "chat",
  "sessions",
  "cron",
  "memory",
  "channels",
  "devices",
  "tools",
  "skills",
  "models",
  "usage",
  "config",
  "logs",
  "doctor",
];
/** Where pictures are kept for whoever wants to look at them: `MOM_SCREENSHOTS=<folder>`. */
const pictures = process.env["MOM_SCREENSHOTS"];

for (const look of ["light", "dark", "phone"] as const) {
  test(`${look}: every page`, limit, async (t) => {
    const { page, app, complaints, strays } = await openUi(t, {
      context: {
        colorScheme: look === "dark" ? "dark" : "light",
        ...(look === "phone" && { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }),
      },
    });
    await tell(page, "hello");
    await page.getByText("echo hello", { exact: true }).waitFor();
    for (const name of pages) {
      await page.goto(`${app.url}/#/${name}`);
      await page.getByRole("heading", { level: 1 }).or(messageBox(page)).first().waitFor();
      await page.getByText("Loading…").first().waitFor({ state: "hidden" });
      if (pictures) {
        await mkdir(pictures, { recursive: true });
        await page.screenshot({ path: join(pictures, `${name}-${look}.png`) });
      }
      assert.deepEqual([name, await findBarriers(page)], [name, []]);
      const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
      assert.ok(overflow <= 0, `${name} is ${overflow} px too wide`);
    }
    assert.deepEqual([complaints, strays], [[], []]);
  });
}

test("with the keyboard alone: palette, pages, a message, stop", limit, async (t) => {
  const { page } = await openUi(t);
  await messageBox(page).waitFor();
  const goTo = async (name: string) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await page.keyboard.type(name);
    await page.getByRole("option", { name, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`#/${name}`, "i"));
  };
  await goTo("Sessions");
  await goTo("Chat");
  await messageBox(page).waitFor();
  for (let n = 0; n < 40 && !(await messageBox(page).evaluate((box) => box.matches(":focus"))); n++) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.type("/he");
  await page.getByRole("listbox", { name: "Commands" }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page
    .getByText(/commands/i)
    .first()
    .waitFor();
});
