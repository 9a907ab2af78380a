/** web_fetch from end to end: a real site on loopback, the real threads. */
import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { buildPng } from "../../../test/fakes/images.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { textOf } from "../../../test/fakes/tool-workspace.ts";
import { startWebSite, type WebSite } from "../../../test/fakes/web-site.ts";
import { createAddressGuard } from "../../base/address-guard.ts";
import { createSystemClock } from "../../base/clock.ts";
import { createImageWork } from "../kit/image-work.ts";
import { webConfig } from "./config.ts";
import { createWebTools } from "./create-web-tools.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { createPageSource } from "./page-source.ts";
import { createBodyRenderer } from "./render-body.ts";
import { createWebFetchTool } from "./web-fetch.ts";

type Params = { url: string; format?: "markdown" | "text" | "html"; offset?: number; maxChars?: number };

function createTools(site: WebSite, fetchConfig: Record<string, number> = {}) {
  const real = createSystemClock();
  let laterMs = 0;
  const clock = { ...real, monotonic: () => real.monotonic() + laterMs };
  const config = webConfig.parse({ allowPrivate: [site.allowEntry], fetch: fetchConfig });
  const { fetchTool, close } = createWebTools({ clock, log: silentLog, config, imageWork });
  const run = (path: string, params: Omit<Params, "url"> = {}, signal = new AbortController().signal) =>
    fetchTool.execute("call", { url: site.url + path, ...params }, signal, () => undefined);
  const later = (ms: number) => {
    laterMs += ms;
  };
  return { run, later, close };
}

/** A site per test; the threads are slow to start, so tests without a configuration of their own share them. */
const renderer = createBodyRenderer(createSystemClock());
const imageWork = createImageWork({ clock: createSystemClock() });
after(() => Promise.all([renderer.close(), imageWork.close()]));

async function open(t: TestContext) {
  const site = await startWebSite(t);
  const clock = createSystemClock();
  const web = createGuardedFetch({ guard: createAddressGuard({ allow: [site.allowEntry] }), clock });
  t.after(() => web.close());
  const source = createPageSource({ web, renderer, clock }, webConfig.parse({}).fetch);
  const tool = createWebFetchTool({ source, imageWork });
  const run = (path: string, params: Omit<Params, "url"> = {}, signal = new AbortController().signal) =>
    tool.execute("call", { url: site.url + path, ...params }, signal, () => undefined);
  return { site, run };
}

async function openWith(t: TestContext, fetchConfig: Record<string, number>) {
  const site = await startWebSite(t);
  const tools = createTools(site, fetchConfig);
  t.after(() => tools.close());
  return { site, ...tools };
}

/** What stands between the marks, and the notice behind them. */
function unwrap(text: string) {
  const [, inner, notice] =
    /^<outside source="[^"]*" mark="(?:\w+)">\n(.*)\n<\/outside \w+>\n\([^\n]*\)(?:\n\n\[(.*)\])?$/s.exec(text) ?? [];
  assert.ok(inner !== undefined, `not marked: ${text.slice(0, 200)}`);
  return { inner, notice };
}

const sentence = "Whales are large animals that live in the sea, and they sing, which carries far, for a long time.";
const article = `<html><head><title>On whales</title><meta name="author" content="Jo Poe"></head><body>
<nav><a href="/">Home</a><a href="/more">More</a></nav>
<article><h1>On whales</h1>${`<p>${sentence} <a href="/song">Songs</a>.</p>`.repeat(12)}</article>
<footer>Imprint</footer></body></html>`;

test("gives the article as Markdown, with title, byline and links, marked as from outside", async (t) => {
  const { site, run } = await open(t);
  site.put("/a", { body: article });
  const result = await run("/a");
  const { inner, notice } = unwrap(textOf(result));
  assert.ok(inner.startsWith("# On whales\n\nJo Poe\n\n"));
  assert.ok(inner.includes(`${sentence} [Songs](${site.url}/song).`));
  assert.doesNotMatch(inner, /Imprint|Home/);
  assert.equal(notice, undefined);
  assert.equal(result.outside, `${site.url}/a`);
  assert.deepEqual(result.details, {
    url: `${site.url}/a`,
    status: 200,
    contentType: "text/html; charset=utf-8",
    bytes: article.length,
    title: "On whales",
  });
});

test("gives plain text, or the HTML as it is, from the same load", async (t) => {
  const { site, run } = await open(t);
  site.put("/a", { body: article });
  const text = unwrap(textOf(await run("/a", { format: "text" }))).inner;
  assert.ok(text.startsWith("On whales\n\nJo Poe\n\n"));
  assert.doesNotMatch(text, /\[Songs\]|https?:/);
  assert.equal(unwrap(textOf(await run("/a#part", { format: "html" }))).inner, article);
  assert.equal(site.requests.length, 1);
});

test("names the final address after a redirect", async (t) => {
  const { site, run } = await open(t);
  site.put("/old", { status: 301, headers: { location: "/new" } });
  site.put("/new", { body: '<p>Moved <a href="x">here</a></p>' });
  const result = await run("/old");
  assert.equal(result.outside, `${site.url}/new`);
  assert.match(textOf(result), new RegExp(`source="${site.url}/new".*\\(${site.url}/x\\)`, "s"));
});

test("cuts long pages and goes on by offset; the pieces make the whole, loaded once", async (t) => {
  const { site, run } = await open(t);
  const lines = Array.from({ length: 4000 }, (_, i) => `<p>Paragraph ${i} ${"ä€😀x".repeat(20)}</p>`);
  site.put("/long", { body: `<html><body><main>${lines.join("")}</main></body></html>` });
  const pieces: string[] = [];
  let offset = 0;
  do {
    const { inner, notice = "" } = unwrap(textOf(await run("/long", { offset })));
    assert.ok(Buffer.byteLength(inner) <= 50 * 1024);
    pieces.push(inner);
    offset = Number(/Go on with offset=(\d+)/.exec(notice)?.[1] ?? 0);
  } while (offset > 0);
  const found = pieces.join("\n").match(/Paragraph (\d+) (?:ä€😀x){20}/g) ?? [];
  assert.equal(found.length, 4000);
  assert.deepEqual(new Set(found).size, 4000);
  assert.ok(pieces.length > 10);
  assert.equal(site.requests.length, 1);
  await assert.rejects(run("/long", { offset: 10_000_000 }), { code: "WEB_BEYOND_END" });
});

test("gives fewer characters when told so", async (t) => {
  const { site, run } = await open(t);
  site.put("/data", { type: "text/plain", body: "0123456789".repeat(10) });
  const { inner, notice } = unwrap(textOf(await run("/data", { maxChars: 15, offset: 5 })));
  assert.equal(inner, "567890123456789");
  assert.equal(notice, "Characters 5-19 of 100. Go on with offset=20.");
});

test("keeps pages for their minutes, and failures not at all", async (t) => {
  const { site, run, later } = await openWith(t, { cacheMinutes: 5 });
  site.put("/a", { type: "text/plain", body: "one" });
  site.put("/missing", { status: 404, type: "text/plain" });
  await run("/a");
  later(4 * 60_000);
  await run("/a");
  assert.equal(site.requests.length, 1);
  later(60_000);
  await run("/a");
  assert.equal(site.requests.length, 2);
  await run("/missing");
  await run("/missing");
  assert.equal(site.requests.length, 4);
});

test("gives JSON and other text as it is", async (t) => {
  const { site, run } = await open(t);
  const table: [string, string][] = [
    ["application/json", '{"a": [1]}'],
    ["application/ld+json; charset=utf-8", "{}"],
    ["text/csv", "a,b\n1,2"],
    ["application/rss+xml", "<rss/>"],
    ["application/octet-stream", "plain words"],
    ["", "no type at all"],
  ];
  for (const [index, [type, body]] of table.entries()) {
    site.put(`/${index}`, { type, body });
    assert.equal(unwrap(textOf(await run(`/${index}`))).inner, body, type);
  }
});

test("reads any charset: header, byte order mark, the page's own word", async (t) => {
  const { site, run } = await open(t);
  const latin = Buffer.from("Gr\xfc\xdfe", "latin1");
  site.put("/header", { type: "text/plain; charset=iso-8859-1", body: latin });
  site.put("/guess", { type: "text/plain", body: latin });
  site.put("/meta", { type: "text/html", body: Buffer.concat([Buffer.from('<meta charset="latin1"><p>'), latin]) });
  site.put("/bom", { type: "text/plain", body: Buffer.from("\uFEFFGrüße", "utf16le") });
  site.put("/jis", { type: "text/plain; charset=Shift_JIS", body: Buffer.from([0x93, 0xfa, 0x96, 0x7b]) });
  for (const path of ["/header", "/guess", "/meta", "/bom"]) {
    assert.equal(unwrap(textOf(await run(path))).inner, "Grüße", path);
  }
  assert.equal(unwrap(textOf(await run("/jis"))).inner, "日本");
});

test("reads PDF files, whatever they are called", async (t) => {
  const { site, run } = await open(t);
  site.put("/a.pdf", { type: "application/pdf", body: buildPdf("Hello from a PDF") });
  site.put("/b", { type: "application/octet-stream", body: buildPdf("") });
  const { inner } = unwrap(textOf(await run("/a.pdf")));
  assert.equal(inner, "[page 1 of 1]\nHello from a PDF");
  assert.match(unwrap(textOf(await run("/b"))).notice ?? "", /no text in it/);
  site.put("/broken.pdf", { type: "application/pdf", body: "%PDF-1.4 rubbish" });
  await assert.rejects(run("/broken.pdf"), { code: "WEB_PAGE_UNREADABLE" });
});

test("gives pictures as pictures, and large ones smaller", async (t) => {
  const { site, run } = await open(t);
  const small = buildPng(4, 2, () => [255, 0, 0, 255]);
  site.put("/p", { type: "image/png", body: small });
  const result = await run("/p");
  assert.match(textOf(result), /\/p \(image\/png, 4×2, \d+ B\)\. A picture from outside/);
  assert.deepEqual(result.content[1], { type: "image", data: small.toString("base64"), mimeType: "image/png" });
  assert.equal(result.outside, `${site.url}/p`);
  site.put("/wide", { type: "image/png", body: buildPng(2500, 5, () => [255, 0, 0, 255]) });
  assert.match(textOf(await run("/wide")), /2500×5, .*; shown as image\/png, 2000×4, /);
  const noise = buildPng(1400, 1400, (x, y) => {
    const value = Math.imul(x * 2654435761 + y * 40503, 2246822519) >>> 0;
    return [value & 255, (value >> 8) & 255, (value >> 16) & 255, 255];
  });
  assert.ok(noise.length > 5 * 1024 * 1024);
  site.put("/heavy", { type: "image/png", body: noise });
  const heavy = (await run("/heavy")).content[1];
  assert.ok(heavy?.type === "image" && heavy.data.length <= 4.5 * 1024 * 1024);
  assert.equal(heavy.mimeType, "image/jpeg");
});

test("lets no picture through that cannot be decoded", async (t) => {
  const { site, run } = await open(t);
  const header = "89504e470d0a1a0a0000000d49484452";
  site.put("/huge", { type: "image/png", body: Buffer.from(`${header}0000ffff0000ffff0806000000`, "hex") });
  await assert.rejects(run("/huge"), { code: "IMAGE_TOO_LARGE", message: /65535×65535/ });
  site.put("/stub", { type: "image/png", body: Buffer.from(`${header}00000010000000100806000000`, "hex") });
  await assert.rejects(run("/stub"), { code: "IMAGE_UNREADABLE" });
});

test("refuses other binaries by their type", async (t) => {
  const { site, run } = await open(t);
  site.put("/zip", { type: "application/zip", body: "PK\x03\x04" });
  await assert.rejects(run("/zip"), { code: "WEB_TYPE_REFUSED", message: /application\/zip/ });
  site.put("/lie", { type: "text/plain", body: Buffer.from([1, 0, 2]) });
  await assert.rejects(run("/lie"), { code: "WEB_TYPE_REFUSED" });
});

test("a failure of the other side is an answer, with a bit of what it said", async (t) => {
  const { site, run } = await open(t);
  const missing = textOf(await run("/missing"));
  assert.match(missing, /\/missing answered with HTTP status 404\. There is no such page.*\n\n<outside .*\nNot here\n/);
  site.put("/login", { status: 401 });
  assert.match(textOf(await run("/login")), /status 401\. It asks for a login; the browser tool may help\.$/);
  site.put("/long", { status: 500, body: `<p>${"word ".repeat(5000)}</p>` });
  assert.ok(textOf(await run("/long")).length < 2500);
});

test("says that a page needs its scripts, or a login", async (t) => {
  const { site, run } = await open(t);
  site.put("/app", { body: '<html><body><div id="root"></div><script src="/app.js"></script></body></html>' });
  const app = unwrap(textOf(await run("/app")));
  assert.equal(app.inner, "(no text)");
  assert.match(app.notice ?? "", /without running its scripts; the browser tool may help/);
  site.put("/login", { body: "<form><label>Name</label><input name=n><input type=password name=p></form>" });
  assert.match(unwrap(textOf(await run("/login"))).notice ?? "", /ask for a login/);
});

test("adds https where an address has no protocol, and refuses private ones", async () => {
  const config = webConfig.parse({});
  const tools = createWebTools({ clock: createSystemClock(), log: silentLog, config, imageWork });
  const fetch = (url: string) => tools.fetchTool.execute("c", { url }, new AbortController().signal, () => undefined);
  await assert.rejects(fetch("127.0.0.1/x"), { code: "ADDRESS_REFUSED" });
  await assert.rejects(fetch("http://localhost:1/"), { code: "ADDRESS_REFUSED" });
  await assert.rejects(fetch("what is this"), { code: "ADDRESS_INVALID" });
});

test("limits come from the configuration", async (t) => {
  const { site, run } = await openWith(t, { maxBytes: 2000 });
  site.put("/a", { body: "x".repeat(2001) });
  await assert.rejects(run("/a"), { code: "WEB_TOO_BIG" });
});

test("stops when aborted", async (t) => {
  const { site, run } = await open(t);
  site.put("/a", { body: article });
  await assert.rejects(run("/a", {}, AbortSignal.abort()), { code: "ABORTED" });
});

/** A PDF of one page with one line. */
function buildPdf(line: string): Buffer {
  const stream = `BT /F1 24 Tf 72 700 Td (${line}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let text = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const place = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  return Buffer.from(
    `${text}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF`,
  );
}
