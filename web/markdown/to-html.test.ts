/** Markdown of strangers becomes harmless HTML. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { blockToHtml, splitBlocks, toSafeAddress } from "./to-html.ts";

const render = (text: string, style: "answer" | "message" = "answer") =>
  splitBlocks(text, style)
    .map((block) => blockToHtml(block, style))
    .join("");

/** Tags that are in the HTML as such. */
const tagsOf = (html: string) => [...html.matchAll(/<([a-z0-9]+)/gi)].map(([, name]) => name?.toLowerCase());

const attacks = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  '<a href="javascript:alert(1)">x</a>',
  "<svg/onload=alert(1)>",
  "<iframe src=//evil.example></iframe>",
  "<style>*{display:none}</style>",
  "<br onclick=alert(1)>",
  "text <b style=position:fixed>bold</b>",
  "<details open ontoggle=alert(1)>",
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  "```html\n</code></pre><script>alert(1)</script>\n```",
  '```"><script>alert(1)</script>\nx\n```',
  "`<script>alert(1)</script>`",
  '[x](https://e.example/"onmouseover="alert(1))',
  '![x" onerror="alert(1)](data:image/png;base64,aGk=)',
  "| a |\n|---|\n| <script>alert(1)</script> |",
  "- [ ] <script>alert(1)</script>",
  "# <img src=x onerror=alert(1)>",
];

for (const attack of attacks) {
  test(`nothing gets through: ${attack.slice(0, 60).replaceAll("\n", " ")}`, () => {
    const html = render(attack);
    const bad = tagsOf(html).filter((name) =>
      ["script", "iframe", "svg", "style", "details", "math"].includes(name ?? ""),
    );
    assert.deepEqual(bad, []);
    const attributes = [...html.matchAll(/<[a-z0-9]+((?:\s+[\w-]+(?:="[^"]*")?)*)/gi)].map(([, all]) => all ?? "");
    assert.ok(
      attributes.every((all) => !/\s(on\w+|style)=/i.test(all.replaceAll(/="[^"]*"/g, "="))),
      html,
    );
    assert.ok(tagsOf(html).every((name) => name !== "img") || html.includes('src="data:image/png;base64,'), html);
  });
}

test("links lead to the web or to mail, in a tab of their own, and nowhere else", () => {
  const html = render("[a](https://example.org/x) <mailto:a@b.example> https://auto.example");
  assert.equal(html.match(/target="_blank" rel="noopener noreferrer"/g)?.length, 3);
  const refused = [
    "javascript:alert(1)",
    " JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "vbscript:x",
    "#code=abc",
    "/files/x",
    "//e.example",
    "blob:x",
  ];
  for (const href of refused) {
    assert.equal(toSafeAddress(href), undefined, href);
    assert.ok(!render(`[x](<${href}>)`).includes("<a"), href);
  }
});

test("pictures from elsewhere become links, those of other kinds their names", () => {
  assert.match(render("![cat](https://e.example/cat.png)"), /<a href="https:\/\/e\.example\/cat\.png"[^>]*>cat<\/a>/);
  assert.ok(!render("![cat](https://e.example/cat.png)").includes("<img"));
  assert.ok(!render("![x](data:image/svg+xml;base64,aGk=)").includes("<img"));
  assert.match(render("![x](data:image/png;base64,aGk=)"), /<img src="data:image\/png;base64,aGk=" alt="x">/);
});

test("headings stand below those of the page", () => {
  assert.equal(render("# One\n\n###### Six"), "<h3>One</h3>\n<h6>Six</h6>\n");
});

test("a person's line ends are kept, a model's are not", () => {
  assert.ok(render("a\nb", "message").includes("<br>"));
  assert.ok(!render("a\nb").includes("<br>"));
});

test("links by name find their address in another block", () => {
  assert.match(render("[docs][d]\n\n[d]: https://example.org/"), /<a href="https:\/\/example\.org\/"/);
});

const tagCount = (html: string, name: string) => tagsOf(html).filter((tag) => tag === name).length;

test("quotes and lists in each other end at a depth, and are text from there", () => {
  assert.equal(tagCount(render(`${"> ".repeat(5_000)}a`), "blockquote"), 21);
  assert.equal(tagCount(render(`${"- ".repeat(5_000)}a`), "ul"), 21);
  assert.match(render(`${"> ".repeat(5_000)}<b onclick=x>`), /&gt; &gt; &lt;b onclick=x&gt;/);
  assert.equal(tagCount(render(`${"> ".repeat(19)}a`), "blockquote"), 19);
});

test("a paragraph with too many marks, or too long, is plain text; its neighbours are not", () => {
  for (const trick of ["_*a".repeat(4_000), "[".repeat(5_000), "![](".repeat(2_000), "`a``".repeat(2_000)]) {
    const [html, next] = [render(trick), render(`${trick}\n\n**b**`)];
    assert.equal(html, `<p>${trick}</p>\n`);
    assert.ok(next.endsWith("<p><strong>b</strong></p>\n"));
  }
  assert.equal(render(`${"word ".repeat(4_000)}**b**\nc`), `<p>${"word ".repeat(4_000)}**b**<br>c</p>\n`);
  assert.match(render(`a${" ".repeat(5_000)}**b**`), /\*\*b\*\*/);
});

test("many paragraphs, each with almost too many marks, are plain text from some point on", () => {
  const html = render(`${"_*a".repeat(199)}\n\n`.repeat(100));
  assert.equal(tagCount(html, "p"), 100);
  assert.ok(html.endsWith(`<p>${"_*a".repeat(199)}</p>\n`));
  assert.ok(tagCount(html, "em") > 0);
});

test("code may be long and full of marks", () => {
  const code = "*_~[]`\n".repeat(5_000);
  assert.equal(render(`\`\`\`\n${code}\`\`\``), `<pre><code>${code.trimEnd()}</code></pre>\n`);
});

test("what is too much altogether is one plain block", () => {
  const table = `${"|a".repeat(5_000)}\n${"|-".repeat(5_000)}\n${"|<b>\n".repeat(5_000)}`;
  const blocks = splitBlocks(table, "answer");
  assert.deepEqual(
    blocks.map(({ kind, raw }) => [kind, raw]),
    [["plain", table]],
  );
  assert.deepEqual(new Set(tagsOf(render(table))), new Set(["p", "br"]));
});
