import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import { plainDialect } from "./dialects/plain.ts";
import { createTerminalDialect } from "./dialects/terminal.ts";
import { renderMarkdown, splitFinishedBlocks } from "./markdown.ts";

const plain = (markdown: string) => renderMarkdown(markdown, plainDialect);
const terminal = (markdown: string, room = 40, color = true) =>
  renderMarkdown(markdown, createTerminalDialect(color), room);

describe("the plain dialect", () => {
  const cases: [string, string, string][] = [
    ["drops marks", "**b** *i* ~~s~~ `c` __b__ _i_", "b i s c b i"],
    ["keeps text in code alone", "`*not* &amp;`\n\n```\n**x** &lt;\n```", "*not* &amp;\n\n**x** &lt;"],
    ["shows where links lead", "[docs](https://a.b/c_(d)) <https://x.y>", "docs (https://a.b/c_(d)) https://x.y"],
    ["leaves bare addresses alone", "see https://a.b/__init__.py, ok", "see https://a.b/__init__.py, ok"],
    ["shows unsafe links as words", "[x](javascript:alert(1))", "x (javascript:alert(1))"],
    ["writes lists", "- a\n- b\n  1. c\n  2. d", "- a\n- b\n  1. c\n  2. d"],
    ["keeps the numbers of lists", "9. a\n10. b", " 9. a\n10. b"],
    ["writes tasks", "- [x] done\n- [ ] open", "- [x] done\n- [ ] open"],
    ["writes quotes", "> a\n> b", "> a\n> b"],
    ["lines tables up", "|a|b\\|c|\n|:-|-:|\n|long|1|", "a    │ b|c\n─────┼────\nlong │   1"],
    ["decodes entities", "a &amp; &lt;b&gt; &#65; &unknown;", "a & <b> A &unknown;"],
    ["shows HTML as it is", "<b>x</b><br>y", "<b>x</b>\ny"],
    ["keeps escaped marks", "\\*not bold\\*", "*not bold*"],
    ["never loses a text to its syntax", "[x]: http://a", "[x]: http://a"],
  ];
  for (const [name, markdown, expected] of cases) test(name, () => assert.equal(plain(markdown), expected));
});

describe("the terminal dialect", () => {
  test("uses weights and colours, and ends what it begins", () => {
    assert.equal(terminal("a **b *c* d** e"), "a \x1b[1mb \x1b[3mc\x1b[23m d\x1b[22m e");
    assert.equal(terminal("# T"), "\x1b[1m\x1b[4mT\x1b[24m\x1b[22m");
  });
  test("underlines addresses, and says them once", () => {
    assert.equal(terminal("https://a.b <b@c.d>"), "\x1b[4mhttps://a.b\x1b[24m \x1b[4mb@c.d\x1b[24m");
    assert.equal(terminal("[a](https://a.b)"), "a (\x1b[4mhttps://a.b\x1b[24m)");
  });
  test("keeps structure readable without colour", () => {
    const text = terminal("## T\n\n`c` **b**\n\n> q", 40, false);
    assert.equal(text, "## T\n\n`c` b\n\n│ q");
  });
  test("wraps words to the room, also in lists and quotes, and leaves code unwrapped", () => {
    const long = "several words that go on ".repeat(6);
    for (const line of terminal(`${long}\n\n- ${long}\n  - ${long}\n\n> ${long}`, 30).split("\n")) {
      assert.ok(stringWidth(line) <= 30, line);
    }
    const code = "x".repeat(200);
    assert.ok(stripVTControlCharacters(terminal(`\`\`\`\n${code}\n\`\`\``)).includes(code));
  });
  test("turns a table that does not fit into records", () => {
    const text = terminal(`|name|text|\n|-|-|\n|a|${"long ".repeat(20)}|`, 30, false);
    assert.match(text, /^name: a\ntext: long long/);
  });
});

describe("hostile Markdown", () => {
  test("control characters do not come through, however they are spelled", () => {
    for (const text of ["\x1b[2Jx", "&#27;[2Jx", "&#x1b;]0;t&#7;x", "[&#27;[2J](https://a.b/&#27;[2J)", "`\x1b[2J`"]) {
      assert.doesNotMatch(plain(text), /[\x00-\x08\x0b-\x1f\x7f-\x9f]/, text);
    }
    assert.doesNotMatch(plain("&#8238;gnp.exe"), /\u202e/);
  });
  test("deep nesting and long runs of marks end soon and lose no text", () => {
    const texts = [
      "> ".repeat(10_000),
      "1. ".repeat(3_000),
      "[".repeat(30_000),
      "*a".repeat(8_000),
      `${"a.".repeat(30_000)}@`,
    ];
    const started = process.hrtime.bigint();
    for (const text of texts) assert.notEqual(plain(`${text}x`), "");
    assert.ok(Number(process.hrtime.bigint() - started) / 1e6 < 5_000);
  });
});

describe("splitFinishedBlocks", () => {
  test("keeps the last block back", () => {
    assert.deepEqual(splitFinishedBlocks("a\n\nb"), { finished: "a\n\n", rest: "b" });
    assert.deepEqual(splitFinishedBlocks("a"), { finished: "", rest: "a" });
    assert.deepEqual(splitFinishedBlocks("a\n\n```ts\nx\n\ny"), { finished: "a\n\n", rest: "```ts\nx\n\ny" });
    assert.deepEqual(splitFinishedBlocks(""), { finished: "", rest: "" });
  });
  test("wherever a text is cut, its blocks look as they do in one piece", () => {
    const text =
      "# T\n\npara *one*\ngoes on\n\n- a\n- b\n\n  more\n\n```js\nx\n\n- y\n```\n\n|a|b|\n|-|-|\n|1|2|\n\n> q\n> r\n\nend";
    const whole = plain(text);
    for (let step = 1; step < 12; step++) {
      let shown: string[] = [];
      let rest = "";
      for (let at = 0; at < text.length; at += step) {
        const cut = splitFinishedBlocks(rest + text.slice(at, at + step));
        if (cut.finished.trim() !== "") shown = [...shown, plain(cut.finished)];
        rest = cut.rest;
      }
      assert.equal([...shown, plain(rest)].join("\n\n"), whole, `pieces of ${step}`);
    }
  });
});
