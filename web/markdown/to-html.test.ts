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
