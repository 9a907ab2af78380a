/** What people do in the browser, from the first start on. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { noChromium } from "../fakes/browser-stage.ts";
import { readConfigValue } from "../flow/gateway-world.ts";
import { lastUserText, say, waitFor } from "../flow/world.ts";
import { findBarriers, messageBox, openUi, tell } from "./stage.ts";

const limit = { timeout: 120_000, skip: noChromium };
const conversation = "Conversation";

test("first start: the link opens the welcome, and three steps later mom answers", limit, async (t) => {
  const { page, app, complaints, strays } = await openUi(t, {
    isFirstRun: true,
    world: { config: { gateway: { port: 0 }, models: { default: "mom/offline" } } },
  });
  await page.waitForURL(/#\/welcome/);
  assert.doesNotMatch(page.url(), /code=/, "the code is out of the address bar");
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole("button", { name: /built-in|offline/i }).click();
  await page.getByRole("button", { name: /browser is enough/i }).click();
  await page.getByRole("button", { name: "Open the chat" }).click();
  await messageBox(page).waitFor();
  await tell(page, "hello");
  await page
    .getByRole("region", { name: conversation })
    .getByText(/offline|help/i)
    .first()
    .waitFor();
  await page.reload();
  await messageBox(page).waitFor();
  assert.equal((await app.store.sessions.list()).length, 1);
  assert.deepEqual([complaints, strays], [[], []]);
});

test("a reply streams in, with what the tool did on a card", limit, async (t) => {
  const { page, world, complaints } = await openUi(t, {
    world: {
      respond(request) {
        const messages = request.body["messages"] as { role: string }[];
        if (messages.at(-1)?.role === "tool") return { type: "answer", text: ["It says ", "**hello**", " there."] };
        return { type: "answer", toolCalls: [{ name: "read", arguments: { path: "note.txt" } }] };
      },
    },
  });
  await writeFile(join(world.dataDir, "workspace", "note.txt"), "hello from a file\n");
  await tell(page, "read the note");
  const talk = page.getByRole("region", { name: conversation });
  await talk.locator("strong", { hasText: "hello" }).waitFor();
  await talk.locator("summary", { hasText: "read" }).click();
  await talk.getByText("hello from a file").waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(complaints, []);
});

test("stop ends a reply that goes on and on", limit, async (t) => {
  const { page, app } = await openUi(t, {
    world: { respond: () => ({ type: "answer", text: ["one ", "two "], hangAfter: 1 }) },
  });
  await tell(page, "count");
  await page.getByRole("button", { name: /^stop/i }).click();
  await waitFor(async () => (await app.store.turns.list({ states: ["stopped"], limit: 1 })).length === 1);
  await page.getByRole("button", { name: /^send$/i }).waitFor();
});

test("a command waits for a word: denied, then allowed, each shown in full", limit, async (t) => {
  const long = `echo ${"x".repeat(300)} end-of-command`;
  const { page } = await openUi(t, {
    world: {
      config: { gateway: { port: 0 }, sandbox: { mode: "host" }, tools: { exec: { approvals: "ask" } } },
      respond(request) {
        const messages = request.body["messages"] as { role: string; content: unknown }[];
        const last = messages.at(-1);
        if (last?.role === "tool")
          return { type: "answer", text: /end-of-command/.test(String(last.content)) ? "It ran." : "Not run." };
        return { type: "answer", toolCalls: [{ name: "bash", arguments: { command: long } }] };
      },
    },
  });
  const talk = page.getByRole("region", { name: conversation });
  await tell(page, "run it");
  const question = page.getByRole("region", { name: /^Approval/ });
  await question.getByText("end-of-command").first().waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await question.getByRole("button", { name: /deny/i }).click();
  await talk.getByText("Not run.").waitFor();
  await tell(page, "run it again");
  await page
    .getByRole("region", { name: /^Approval/ })
    .getByRole("button", { name: /once/i })
    .click();
  await talk.getByText("It ran.").waitFor();
});

test("two sessions: what is said in each stays there, and the switcher finds both", limit, async (t) => {
  const { page, world } = await openUi(t);
  await tell(page, "in my own");
  await page.getByText("echo in my own", { exact: true }).waitFor();
  await say(world.chat, "in the group", { channel: "C7", user: "U2" });
  await waitFor(() => world.chat.posts.length === 1);
  await page.getByRole("button", { name: /^Conversation:/ }).click();
  await page.getByRole("searchbox", { name: "Search conversations" }).fill("C7");
  await page.getByRole("list", { name: "Conversations" }).getByText(/C7/).first().click();
  await page.getByText("echo in the group", { exact: true }).waitFor();
  const talk = page.getByRole("region", { name: conversation });
  assert.equal(await talk.getByText("echo in my own").count(), 0);
});

test("the same session in two browsers and a chat at once", limit, async (t) => {
  const { page, openPage, world } = await openUi(t);
  const other = await openPage({ colorScheme: "dark" });
  await tell(page, "from one browser");
  await other.getByText("echo from one browser", { exact: true }).waitFor();
  await say(world.chat, "from the chat");
  await page.getByText("echo from the chat", { exact: true }).waitFor();
  await other.getByText("echo from the chat", { exact: true }).waitFor();
});

test("config: a mistake is explained at its field, the right value applies without a restart", limit, async (t) => {
  const { page, app, world } = await openUi(t);
  await page.goto(`${app.url}/#/config`);
  await page.getByRole("searchbox", { name: "Search the settings" }).fill("maxConcurrent");
  const field = page.getByLabel("Max concurrent", { exact: true });
  await field.fill("-3");
  await page
    .getByText(/at least|between|1 or more|minimum/i)
    .first()
    .waitFor();
  await field.fill("7");
  await page.getByRole("button", { name: /^review/i }).click();
  const review = page.getByRole("dialog");
  await review
    .getByText(/maxConcurrent/)
    .first()
    .waitFor();
  await review.getByRole("button", { name: /^apply/i }).click();
  await page.getByText("Applied. No restart needed.").first().waitFor();
  assert.equal(await readConfigValue(world, "queue.maxConcurrent"), 7);
});

test("files: dropped, sent, shown again, and never run", limit, async (t) => {
  const { page, world, complaints } = await openUi(t, {
    world: { respond: (request) => ({ type: "answer", text: `got ${lastUserText(request).length > 0}` }) },
  });
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title="owned"</script></svg>';
  await page.setInputFiles('input[type="file"]', [
    { name: '"><img src=x onerror=alert(1)>.svg', mimeType: "image/svg+xml", buffer: Buffer.from(svg) },
  ]);
  const files = page.getByRole("list", { name: "Files to send" });
  await files.getByText("onerror").waitFor();
  await files.getByRole("progressbar").waitFor({ state: "detached" });
  await tell(page, "look");
  await page.getByText("got true", { exact: true }).waitFor();
  assert.match(await world.read("workspace/channels/webchat/main/log.jsonl"), /svg/);
  assert.notEqual(await page.title(), "owned");
  assert.deepEqual(complaints, []);
});
