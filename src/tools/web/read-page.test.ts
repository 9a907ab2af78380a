/** What is made of a page: content picked, Markdown and text, links made absolute, long pages in parts that fit together. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { loadPageReader } from "./catalog.ts";
import { leanHtml } from "./lean-html.ts";
import type { PageReader } from "./pick-content.ts";
import { type PageJob, readPage } from "./read-page.ts";

let reader: PageReader;
before(async () => {
  reader = await loadPageReader();
});

const read = (html: string, job: Partial<PageJob> = {}) =>
  readPage({ html, url: "https://site.example/a/b", format: "markdown", enoughChars: 100_000, ...job }, reader);
const prose = "The sea is wide, the boats are small, and whoever sails them, day by day, learns patience from it. ";

describe("picking", () => {
  it("finds the article, its author, site and date, and leaves navigation out", () => {
    const data = {
      "@context": "https://schema.org",
      "@type": "Article",
      headline: "Boats",
      author: { name: "Jo Poe" },
    };
    const page = read(`<html><head><title>Boats – Site</title><meta property="og:site_name" content="The Site">
      <meta property="article:published_time" content="2026-01-02"><script type="application/ld+json">${JSON.stringify(data)}</script></head>
      <body><nav><a href="/">Home</a></nav><div class="content">${`<p>${prose}${prose}</p>`.repeat(6)}</div><footer>Imprint</footer></body></html>`);
    assert.equal(page.isArticle, true);
    assert.deepEqual(
      [page.title, page.byline, page.siteName, page.publishedTime],
      ["Boats", "Jo Poe", "The Site", "2026-01-02"],
    );
    assert.doesNotMatch(page.text, /Home|Imprint/);
  });

  it("takes the main part of a page that is no article, and the whole of one without", () => {
    const lists = '<ul><li><a href="/1">One</a></li><li><a href="2">Two</a></li></ul>';
    const main = read(
      `<html><body><nav>Menu</nav><main>${lists}<button>Press</button></main><footer>Imprint</footer></body></html>`,
    );
    assert.deepEqual(
      [main.isArticle, main.text],
      [false, "-   [One](https://site.example/1)\n-   [Two](https://site.example/a/2)"],
    );
    const whole = read(`<html><head><title>T</title></head><body><header>Top</header>${lists}</body></html>`);
    assert.match(whole.text, /^Top\n\n- {3}\[One\]/);
    assert.equal(whole.title, "T");
  });

  it("drops what is hidden", () => {
    const page = read(`<html><body><p>Seen</p><p hidden>No</p><div style="color:red;display: none">No</div>
      <span aria-hidden="true">No</span><script>No</script><template>No</template><!-- No --><noscript>No</noscript></body></html>`);
    assert.equal(page.text, "Seen");
  });

  it("reads fragments, broken markup and nothing at all", () => {
    assert.equal(read("<p>Only <b>this").text, "Only **this**");
    assert.equal(read("just words").text, "just words");
    assert.equal(read("").text, "");
    assert.equal(read("<html></html>").text, "");
    assert.equal(read("<!doctype html><title>T</title><p>Short").title, "T");
  });
});

describe("Markdown", () => {
  const body = (html: string) => read(`<html><body>${html}</body></html>`).text;
  it("has links that lead somewhere", () => {
    assert.equal(body('<p><a href="//cdn.example/x_(1)">a</a></p>'), "[a](https://cdn.example/x_%281%29)");
    assert.equal(body('<p><a href="#part">b</a> <a href="javascript:x()">c</a> <a>d</a></p>'), "b c d");
    assert.equal(body('<p>x<a href="/empty"></a></p>'), "x");
    const based = read('<html><head><base href="/root/"></head><body><a href="x">a</a></body></html>');
    assert.equal(based.text, "[a](https://site.example/root/x)");
  });
  it("has pictures that say something", () => {
    assert.equal(
      body('<p><img src="/a.png" alt="A  cat"><img src="/b.png"></p>'),
      "![A cat](https://site.example/a.png)",
    );
    assert.equal(body('<p><img src="data:image/png;base64,xxxx" alt="Dot"></p>'), "Dot");
  });
  it("has headings, code, lists and no escapes", () => {
    assert.equal(
      body("<h2>Use * and _x_</h2><pre><code>a_b *c*\n  d</code></pre>"),
      "## Use * and _x_\n\n```\na_b *c*\n  d\n```",
    );
  });
  it("has tables in pipes, and layout tables as paragraphs", () => {
    const table =
      "<table><thead><tr><th>A</th><th>B|C</th></tr></thead><tbody><tr><td>1</td><td><p>2</p><p>3</p></td></tr></tbody></table>";
    assert.equal(body(table), "| A | B\\|C |\n| --- | --- |\n| 1 | 2 3 |");
    const layout = `<table><tr><td>Left</td><td>${table}</td></tr></table>`;
    assert.match(body(layout), /^Left\n\n\| A \|/);
  });
});

it("makes plain text with a line per block", () => {
  const html =
    "<html><body><h1>T</h1><p>One\n two<br>three</p><ul><li>a</li><li>b</li></ul><pre>x\n  y</pre></body></html>";
  assert.equal(read(html, { format: "text" }).text, "T\n\nOne two\nthree\n\na\n\nb\n\nx\n  y");
});

describe("long pages", () => {
  const paragraphs = Array.from({ length: 6000 }, (_, i) => `<p class="p">${i} ${prose}</p>`).join("\n");
  const long = `<html><body><nav>Menu</nav><main>${paragraphs}</main></body></html>`;
  it("gives the beginning of the whole first, cut between paragraphs", () => {
    const start = read(long);
    const whole = read(long, { enoughChars: Number.POSITIVE_INFINITY });
    assert.deepEqual([start.isCut, whole.isCut], [true, false]);
    assert.ok(start.text.length >= 100_000 && start.text.length < 110_000);
    assert.ok(whole.text.startsWith(`${start.text}\n\n`));
    assert.ok(whole.text.endsWith(`5999 ${prose.trim()}`));
  });
  it("looks at all of it when its text begins late", () => {
    const late = `<html><body><main>${'<div class="x"></div>'.repeat(25_000)}<p>At last</p></main></body></html>`;
    assert.deepEqual([read(late).text, read(late).isCut], ["At last", false]);
  });
});

describe("leaning", () => {
  it("keeps what is written and the data about it", () => {
    const data = '<script type="application/ld+json">{}</script>';
    assert.equal(
      leanHtml(`a<script>x</script>b<STYLE>y</Style >c<!-- z -->d${data}e<svg><path/></svg>f`),
      `abcd${data}ef`,
    );
    assert.equal(leanHtml("<scripted>a</scripted>"), "<scripted>a</scripted>");
  });
  it("leaves open what is never closed, and does not look for its end again and again", () => {
    assert.equal(leanHtml("a<script>b<style>c</style>d"), "a<script>bd");
    const hostile = "<svg><!--".repeat(200_000);
    const startedAt = performance.now();
    assert.equal(leanHtml(hostile), hostile);
    assert.ok(performance.now() - startedAt < 5000);
  });
});
