/** The `browser` tool with a real Chromium on pages of a loopback site. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { type BrowserSite, createBrowserSite } from "../../../test/fakes/browser-site.ts";
import { type BrowserStage, createBrowserStage, noChromium } from "../../../test/fakes/browser-stage.ts";

const page = (title: string, body: string) => `<!doctype html><title>${title}</title><body>${body}`;
const link = (text: string, href: string, more = "") => `<a ${more} href="${href}">${text}</a> `;

const pages = {
  "/": page(
    "Home",
    `<h1>Welcome</h1>${link("Next", "/next")}${link("Pop", "/next", "target=_blank rel=noopener")}${link("Get", "/report")}
     ${link("Huge", "/huge")}<button onclick="document.title = confirm('Really delete?') ? 'deleted' : 'kept'">Delete</button>
     <button onclick="window.open('/next')">Window</button>${link("Mail", "mailto:x@example.com")}`,
  ),
  "/next": page("Next", `<p>Second page</p>${link("Home", "/")}`),
  "/form": page(
    "Form",
    `<form method=post action=/sent><label>Name <input name=name></label><label>Size <select name=size multiple>
     <option value=s>Small<option value=l>Large</select></label><input type=file aria-label=Upload><button>Send</button>
     <input disabled aria-label=Locked></form>`,
  ),
  "/sent": page("Sent", "<p>Thank you</p>"),
  "/away": page("Away", `<script>location = "/next"</script>`),
  "/refresh": page("Refresh", `<meta http-equiv=refresh content="0; url=/next">`),
  "/frames": page("Frames", `<iframe src=/inner></iframe>`),
  "/inner": page("Inner", `<button onclick="parent.document.title='pressed'">Inside</button>`),
  "/late": page(
    "Late",
    `<p id=x>not yet</p><script>setTimeout(() => { x.textContent = "now it is here" }, 300)</script>`,
  ),
  "/long": page("Long", `<ul>${"<li>entry</li>".repeat(2500)}</ul><button>Last</button>`),
  "/tall": page("Tall", `<p>entry</p><div style="height:3000px"></div>`),
  "/covered": page("Covered", `<button>Below</button><div style="position:fixed;inset:0">over</div>`),
  "/stuck": page(
    "Stuck",
    `<button onclick="const x = new XMLHttpRequest(); x.open('GET', '/hung', false); x.send(); for (;;);">Hang</button>`,
  ),
  "/prompts": page(
    "Prompts",
    `<script>Promise.all([Notification.requestPermission(), navigator.permissions.query({name:'geolocation'}).then(p => p.state),
     new Promise(r => navigator.geolocation.getCurrentPosition(() => r('ok'), e => r('geo ' + e.code)))])
     .then(all => document.body.append('answers: ' + all.join(' ')))</script>`,
  ),
};

describe("the browser", { skip: noChromium }, () => {
  let site: BrowserSite;
  let stage: BrowserStage;
  let base = "";

  before(async () => {
    const waiting: (() => void)[] = [];
    site = await createBrowserSite({
      ...pages,
      "/slow": (_request, response) => void waiting.push(() => response.end()),
      "/report": (_request, response) => {
        response.writeHead(200, {
          "content-type": "text/csv",
          "content-disposition": `attachment; filename="../re port.csv"`,
        });
        response.end("a,b\n1,2\n");
      },
      "/huge": (_request, response) => {
        response.writeHead(200, { "content-type": "application/zip", "content-disposition": "attachment" });
        const more = () => response.write(Buffer.alloc(1024 * 1024)) && setImmediate(more);
        response.on("drain", more);
        more();
      },
    });
    base = `http://site.test:${site.port}`;
    // A name that Chromium takes for safe, so that pages may ask for permissions.
    stage = await createBrowserStage({
      allow: [`site.test:${site.port}`, `localhost:${site.port}`],
      config: { maxTabs: 3 },
    });
  });
  after(async () => {
    await stage.close();
    await site.close();
  });
  beforeEach(async () => void (await stage.run({ action: "close", all: true })));

  it("opens a page, follows a link, goes back and forward and reloads", async () => {
    const opened = await stage.run({ action: "open", url: `${base}/` });
    assert.equal(opened.outside, `${base}/`);
    const text = await stage.say({ action: "snapshot" });
    assert.match(text, /^<outside source="http:\/\/site\.test:\d+\/" mark=/);
    assert.match(text, /heading "Welcome" \[level=1\] \[ref=e\d+\]/);
    assert.match(
      await stage.say({ action: "click", ref: await stage.refOf(`link "Next"`) }),
      /Page: Next .*Second page/s,
    );
    assert.match(await stage.say({ action: "back" }), /Page: Home/);
    assert.match(await stage.say({ action: "forward" }), /Page: Next/);
    assert.match(await stage.say({ action: "reload" }), /Page: Next/);
    await assert.rejects(stage.run({ action: "forward" }), { code: "BROWSER_NO_PAGE" });
  });

  it("fills a form, selects and sends it", async () => {
    await stage.run({ action: "open", url: `${base}/form` });
    await stage.run({ action: "select", ref: await stage.refOf("listbox"), values: ["Large", "s"] });
    const name = await stage.refOf(`textbox "Name"`);
    assert.match(await stage.say({ action: "type", ref: name, text: "Zoë & Co", submit: true }), /Thank you/);
    assert.deepEqual(
      [...(site.form ?? [])],
      [
        ["name", "Zoë & Co"],
        ["size", "s"],
        ["size", "l"],
      ],
    );
  });

  it("presses keys, hovers, scrolls and double-clicks", async () => {
    await stage.run({ action: "open", url: `${base}/form` });
    const name = await stage.refOf(`textbox "Name"`);
    await stage.run({ action: "click", ref: name, double: true });
    await stage.run({ action: "press", key: "x" });
    await stage.run({ action: "press", key: "y", ref: name });
    await stage.run({ action: "hover", ref: name });
    await stage.run({ action: "scroll" });
    assert.match(await stage.say({ action: "snapshot" }), /textbox "Name".*: (xy|yx)/);
    await assert.rejects(stage.run({ action: "press", key: "NoSuchKey" }), /no such key/);
  });

  it("ends up where a page sends it", async () => {
    for (const path of ["/away", "/refresh"]) {
      assert.match(await stage.say({ action: "open", url: `${base}${path}` }), /Page: Next .*Second page/s);
    }
  });

  it("reaches into frames", async () => {
    await stage.run({ action: "open", url: `${base}/frames` });
    await stage.run({ action: "click", ref: await stage.refOf(`button "Inside"`) });
    assert.match(await stage.say({ action: "snapshot" }), /Page: pressed/);
  });

  it("waits for a text, an address and a time", async () => {
    await stage.run({ action: "open", url: `${base}/late` });
    await stage.run({ action: "wait", text: "now it is here" });
    assert.match(await stage.say({ action: "snapshot" }), /now it is here/);
    await stage.run({ action: "wait", url: "/late" });
    await stage.run({ action: "wait", seconds: 0.01 });
    await assert.rejects(stage.run({ action: "wait" }), { code: "BROWSER_ARGUMENT_MISSING" });
  });

  it("dismisses dialogs unless told to accept, and says what they said", async () => {
    await stage.run({ action: "open", url: `${base}/` });
    const ref = await stage.refOf(`button "Delete"`);
    assert.match(
      await stage.say({ action: "click", ref }),
      /Page: kept.*confirm\): "Really delete\?"\. It was dismissed/s,
    );
    assert.match(await stage.say({ action: "click", ref, accept: true }), /Page: deleted.*It was accepted/s);
  });

  it("makes tabs of pop-ups, up to the limit", async () => {
    let last = "";
    await stage.run({ action: "open", url: `${base}/` });
    assert.match(await stage.say({ action: "click", ref: await stage.refOf(`link "Pop"`) }), /new tab.*Second page/s);
    assert.match(await stage.say({ action: "tabs" }), /^0 Home http:.*\n1 \(current\) Next /m);
    for (const _ of [3, 4]) {
      await stage.run({ action: "tab", index: 0 });
      last = await stage.say({ action: "click", ref: await stage.refOf(`button "Window"`) });
    }
    assert.match(last, /closed at once: 3 are open/);
    await assert.rejects(stage.run({ action: "open", url: base, newTab: true }), { code: "BROWSER_TABS_FULL" });
    await assert.rejects(stage.run({ action: "tab", index: 7 }), { code: "BROWSER_NO_TAB" });
    assert.match(await stage.say({ action: "close" }), /2 left/);
  });

  it("gives each session its own tabs", async () => {
    await stage.run({ action: "open", url: `${base}/` }, "one");
    await stage.run({ action: "open", url: `${base}/next` }, "two");
    assert.doesNotMatch(await stage.say({ action: "tabs" }, "one"), /Next/);
    assert.match(await stage.say({ action: "tabs" }, "two"), /^0 \(current\) Next/m);
    const both = ["one", "two"].map((session) => stage.say({ action: "snapshot" }, session));
    const [one, two] = await Promise.all(both);
    assert.match(`${one}`, /Welcome/);
    assert.match(`${two}`, /Second page/);
    await stage.run({ action: "close", all: true }, "one");
    await stage.run({ action: "close", all: true }, "two");
  });

  it("takes downloads into the scratch folder, under a harmless name", async () => {
    await stage.run({ action: "open", url: `${base}/` });
    const ref = await stage.refOf(`link "Get"`);
    assert.match(await stage.say({ action: "click", ref }), /Downloaded: scratch\/downloads\/_re_port\.csv \(8 B\)/);
    assert.match(
      await stage.say({ action: "open", url: `${base}/report` }),
      /Downloaded: scratch\/downloads\/_re_port-2\.csv/,
    );
    assert.equal(await readFile(join(stage.workspace, "scratch/downloads/_re_port.csv"), "utf8"), "a,b\n1,2\n");
  });

  it("gives up a download that is too big, and keeps nothing of it", async () => {
    await stage.run({ action: "open", url: `${base}/` });
    const text = await stage.say({ action: "click", ref: await stage.refOf(`link "Huge"`) });
    assert.match(text, /given up: it is larger than 50 MB/);
    await waitFor(async () => (await readdir(join(stage.stateDir, "browser/main/downloads"))).length === 0);
  });

  it("gives no file to a page that asks for one", async () => {
    await stage.run({ action: "open", url: `${base}/form` });
    assert.match(await stage.say({ action: "click", ref: await stage.refOf(`button "Upload"`) }), /none was given/);
  });

  it("denies every permission", async () => {
    await stage.run({ action: "open", url: `http://localhost:${site.port}/prompts` });
    await stage.run({ action: "wait", text: "answers:" });
    assert.match(await stage.say({ action: "snapshot" }), /answers: denied denied geo 1/);
  });

  it("takes pictures that models can read, and keeps the whole in a file", async () => {
    await stage.run({ action: "open", url: `${base}/tall` });
    const small = await stage.run({ action: "screenshot" });
    assert.deepEqual(sizeOf(small.content[1]), [1280, 800]);
    const { content } = await stage.run({ action: "screenshot", fullPage: true });
    assert.deepEqual(sizeOf(content[1]), [1280, 2000]);
    const file = await readFile(join(stage.workspace, "scratch/screenshot-2.png"));
    assert.ok(file.readUInt32BE(20) > 3000);
    const one = await stage.run({ action: "screenshot", ref: await stage.refOf("paragraph") });
    assert.ok((sizeOf(one.content[1])[1] ?? 0) < 100);
  });

  it("prints a page", async () => {
    await stage.run({ action: "open", url: `${base}/` });
    assert.match(await stage.say({ action: "pdf" }), /Saved as scratch\/page-1\.pdf/);
    assert.match(await readFile(join(stage.workspace, "scratch/page-1.pdf"), "latin1"), /^%PDF-/);
  });

  it("cuts long pages and goes on at an offset", async () => {
    const glance = await stage.say({ action: "open", url: `${base}/long` });
    assert.match(glance, /\[Lines 1-150 of 250\d\. Go on with snapshot, offset=151\.\]$/);
    assert.match(await stage.say({ action: "snapshot" }), /\[Lines 1-\d{4} of 250\d\. /);
    assert.match(await stage.say({ action: "snapshot", offset: 2490 }), /button "Last"/);
    await assert.rejects(stage.run({ action: "snapshot", offset: 9000 }), { code: "BROWSER_BEYOND_END" });
  });

  it("says which refs are stale and what is in the way", async () => {
    await stage.run({ action: "open", url: `${base}/` });
    const old = await stage.refOf(`link "Next"`);
    await stage.run({ action: "click", ref: old });
    await assert.rejects(stage.run({ action: "click", ref: old }), { code: "BROWSER_REF_STALE", hint: /new snapshot/ });
    await stage.run({ action: "open", url: `${base}/form` });
    await assert.rejects(stage.run({ action: "click", ref: "f99e1" }), { code: "BROWSER_REF_STALE" });
    await assert.rejects(stage.run({ action: "click" }), { code: "BROWSER_ARGUMENT_MISSING" });
    const name = await stage.refOf(`textbox "Name"`);
    await assert.rejects(stage.run({ action: "select", ref: name, values: ["x"] }), /not a list to select from/);
  });

  it("names the address of a page that does not come", async () => {
    const closed = await createBrowserSite({});
    await closed.close();
    const error = { code: /BROWSER_PAGE_FAILED|ADDRESS_REFUSED/, message: /site\.test/ };
    await assert.rejects(stage.run({ action: "open", url: `https://site.test:${site.port}/` }), error);
    assert.match(await stage.say({ action: "open", url: `${base}/next` }), /Second page/, "usable right after");
  });

  it("ends a call that is stopped or takes too long, and works on", async () => {
    const stop = new AbortController();
    const slow = stage.run({ action: "open", url: `${base}/slow` }, undefined, stop.signal);
    await waitFor(() => site.requests.includes("GET /slow"));
    stop.abort();
    await assert.rejects(slow, { code: "ABORTED" });
    await stage.run({ action: "open", url: `${base}/stuck` });
    const hang = new AbortController();
    const ref = await stage.refOf(`button "Hang"`);
    const hanging = stage.run({ action: "click", ref }, undefined, hang.signal);
    await waitFor(() => site.requests.includes("GET /hung"));
    hang.abort();
    await assert.rejects(hanging, { code: "ABORTED" });
    assert.match(await stage.say({ action: "close" }), /no page is open/);
    assert.match(await stage.say({ action: "open", url: `${base}/next` }), /Second page/);
  });

  it("says that a page crashed, and opens it again", async () => {
    await stage.run({ action: "open", url: `${base}/` });
    const current = stage.browser.of("main").peek("a")?.current;
    const devtools = await current?.context().newCDPSession(current);
    const crashed = new Promise((resolve) => current?.once("crash", resolve));
    devtools?.send("Page.crash").catch(() => undefined);
    await crashed;
    await assert.rejects(stage.run({ action: "snapshot" }), { code: "BROWSER_PAGE_CRASHED" });
    assert.match(await stage.say({ action: "open", url: `${base}/next` }), /Second page/);
  });

  it("tells a person who must allow it what would be clicked, and where", async () => {
    await stage.run({ action: "open", url: `${base}/` });
    const ref = await stage.refOf(`button "Delete"`);
    const tool = stage.tool();
    assert.equal(tool.isOutward?.({ action: "click", ref }), true);
    assert.equal(tool.isOutward?.({ action: "open", url: base }), false);
    const subject = await tool.approvalSubject?.({ action: "click", ref });
    assert.match(subject?.text ?? "", /^browser\naction="click"\nref="\w+"\npage=http:.*\/\nelement=- button "Delete"/);
  });

  it("needs no page to say that there is none", async () => {
    await assert.rejects(stage.run({ action: "snapshot" }), { code: "BROWSER_NO_PAGE" });
    assert.equal(await stage.say({ action: "tabs" }), "No page is open.");
  });
});

it("is declared in few bytes", async (test) => {
  const stage = await createBrowserStage({ allow: [] });
  test.after(() => stage.close());
  const { name, description, parameters } = stage.tool();
  assert.ok(Buffer.byteLength(JSON.stringify({ name, description, parameters })) <= 1300);
});

/** Of a PNG: width and height. */
function sizeOf(part: unknown): number[] {
  const data = Buffer.from((part as { data: string }).data, "base64");
  return [data.readUInt32BE(16), data.readUInt32BE(20)];
}

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}
