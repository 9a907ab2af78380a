/** What each dialect makes of Markdown, to the letter. `·` stands for the mark that shows nothing. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Dialect } from "../dialect.ts";
import { renderMarkdown } from "../markdown.ts";
import { inertMark } from "../mentions.ts";
import { createDiscordDialect } from "./discord.ts";
import { createMatrixHtmlDialect } from "./matrix-html.ts";
import { createMrkdwnDialect } from "./mrkdwn.ts";
import { plainDialect } from "./plain.ts";
import { createRichMarkdownDialect } from "./rich-markdown.ts";
import { renderSignal, type StyleRange } from "./signal.ts";
import { createTelegramHtmlDialect, measureTelegramHtml } from "./telegram-html.ts";
import { createWhatsappDialect } from "./whatsapp.ts";

type Case = [name: string, markdown: string, expected: string];

const mentions = {
  user: (name: string) => (name === "ann" ? "<@U7>" : undefined),
  channel: (name: string) => (name === "dev" ? "<#C9>" : undefined),
};

function describeDialect(name: string, dialect: Dialect, cases: Case[]): void {
  describe(name, () => {
    for (const [what, markdown, expected] of cases) {
      test(what, () => assert.equal(renderMarkdown(markdown, dialect).replaceAll(inertMark, "·"), expected));
    }
  });
}

const table = "|name|n|\n|:-|-:|\n|**a**|1|\n|b & c|22|";
const grid = "name  │  n\n──────┼───\na     │  1\nb & c │ 22";
const wideTable = `|name|text|\n|-|-|\n|a|${"long words ".repeat(8)}|`;
const wideText = "long words ".repeat(8).trim();

describeDialect("Slack's mrkdwn", createMrkdwnDialect(mentions), [
  ["marks", "**bold** *it* ~~gone~~ `code`", "*bold* _it_ ~gone~ `code`"],
  ["underscored marks", "__bold__ _it_ ***both***", "*bold* _it_ _*both*_"],
  ["marks in marks", "**bold *and it* too**", "*bold _and it_ too*"],
  ["the same mark in itself", "**a **b** c**", "*a b c*"],
  ["marks within a word", "un**believ**able", "un·*believ*·able"],
  ["marks where there are no spaces", "这是**重要**的", "这是·*重要*·的"],
  ["marks beside each other", "**a**`b`*c*", "*a*·`b`·_c_"],
  ["marks over lines", "**two\nlines**", "*two*\n*lines*"],
  ["marks beside punctuation", '**a:** b, (**c**) **"d"**.', '*a:* b, (*c*) *"d"*.'],
  ["no marks", "2 * 3 * 4 snake_case_name ~5", "2 * 3 * 4 snake_case_name ~5"],
  ["what Slack obeys", "a & b < c > d", "a &amp; b &lt; c &gt; d"],
  ["entities", "&lt;b&gt; &amp;lt; &#39;", "&lt;b&gt; &amp;lt; '"],
  ["HTML", "<b>x</b><br>y", "&lt;b&gt;x&lt;/b&gt;\ny"],
  ["headings", "# One **b**\n\n### Three", "*One b*\n\n*Three*"],
  ["underlined headings", "Title\n===\n\ntext", "*Title*\n\ntext"],
  ["nested lists", "- a\n- b\n  - c\n    - d", "• a\n• b\n  • c\n    • d"],
  ["numbered lists", "3. three\n4. four\n   more", "3. three\n4. four\n   more"],
  ["lists with gaps", "1. a\n2. b\n\n   more\n3. c", "1. a\n\n2. b\n\n   more\n\n3. c"],
  ["tasks", "- [x] done\n- [ ] open", "• ☑ done\n• ☐ open"],
  ["code in a list", "* a\n\n  ```sh\n  ls\n\n  pwd\n  ```\n* b", "• a\n\n```\nls\n\npwd\n```\n\n• b"],
  ["code at the start of an item", "- ```\n  c\n  ```", "•\n```\nc\n```"],
  ["quotes", "> quote\n> more\n\nafter", "> quote\n> more\n\nafter"],
  ["quotes in quotes", "> a\n> > b", "> a\n>\n> > b"],
  ["code in a quote", "> a\n> ```\n> code\n> ```\n> b", "> a\n\n```\ncode\n```\n\n> b"],
  ["a sign of a quote that is none", "\\> no quote", "·&gt; no quote"],
  ["code blocks", '```ts\na < 2 && "x"\n```', '```\na &lt; 2 &amp;&amp; "x"\n```'],
  ["fences in code", "````md\n```js\nx\n```\n````", "```\n`·``js\nx\n`·``\n```"],
  ["indented code", "    a <b>", "```\na &lt;b&gt;\n```"],
  ["backticks in code", "`` a`b ``", "`aˋb`"],
  ["backticks in words", "\\`not code\\` and \\`\\`\\`", "ˋnot codeˋ and ˋˋˋ"],
  ["commands in code", "`<!here>` `<@U1>`", "`&lt;!here&gt;` `&lt;@U1&gt;`"],
  ["tables", table, `\`\`\`\n${grid.replace("&", "&amp;")}\n\`\`\``],
  ["wide tables", wideTable, `*name*: a\n*text*: ${wideText}`],
  ["links", "[docs](https://a.b/c_(d))", "<https://a.b/c_(d)|docs>"],
  [
    "bare addresses",
    "https://a.b/__init__.py, <https://x.y/?a=1&b=2>",
    "<https://a.b/__init__.py>, <https://x.y/?a=1&amp;b=2>",
  ],
  ["marks in labels", "[**bold** label](https://a.b)", "<https://a.b|*bold* label>"],
  ["signs in links", '[a|b>c](https://x.y/q?a=<b>|c"d)', "<https://x.y/q?a=%3Cb%3E%7Cc%22d|a|b&gt;c>"],
  ["labels over lines", "[a\nb](https://x.y)", "<https://x.y|a b>"],
  ["pictures", "![cat](https://i.j/k.png) ![](https://i.j/l.png)", "<https://i.j/k.png|cat> <https://i.j/l.png>"],
  ["a picture in a link", "[![alt](https://i.j/k.png)](https://a.b)", "<https://a.b|alt>"],
  ["unsafe links", "[x](javascript:alert(1)) [y](/rel)", "x (javascript:alert(1)) y (/rel)"],
  ["mail", "<bob@x.org> [mail](mailto:bob@x.org)", "<mailto:bob@x.org|bob@x.org> <mailto:bob@x.org|mail>"],
  ["references", '[a][1] and [1]\n\n[1]: https://r.e/f "T"', "<https://r.e/f|a> and <https://r.e/f|1>"],
  ["what only looks like a reference", "[note]: words", "[note]: words"],
  ["known names", "@ann, @nobody in #dev", "<@U7>, @nobody in <#C9>"],
  [
    "names in code and links",
    "`@ann` [@ann](https://a.b) https://a.b/@ann",
    "`@ann` <https://a.b|@ann> <https://a.b/@ann>",
  ],
  ["names for everybody", "@everyone @here, @channel! @all", "@·everyone @·here, @·channel! @·all"],
  ["names for everybody in addresses", "https://a.b/@everyone", "<https://a.b/%40everyone>"],
  ["commands", "<@U1> <!here> <#C1|x> <!subteam^S1>", "&lt;@U1&gt; &lt;!here&gt; &lt;#C1|x&gt; &lt;!subteam^S1&gt;"],
  ["commands made of entities", "&lt;!here&gt; &#60;@U1&#62;", "&lt;!here&gt; &lt;@U1&gt;"],
  ["rules", "a\n\n---\n\nb", "a\n\n──────────\n\nb"],
  ["line breaks", "one\ntwo  \nthree\\\nfour", "one\ntwo\nthree\nfour"],
  ["control characters", "a\x1b[31mb\u202ec&#27;[2J\ufdd0d", "abcd"],
  ["nothing but marks", "```\n```", "ˋˋˋ\nˋˋˋ"],
]);

describeDialect("WhatsApp", createWhatsappDialect(), [
  ["marks", "**bold** *it* ~~gone~~ `code`", "*bold* _it_ ~gone~ `code`"],
  ["marks within a word", "un**believ**able", "un·*believ*·able"],
  ["plain signs", "a & b < c > d", "a & b < c > d"],
  ["headings", "## Two", "*Two*"],
  ["lists", "- a\n  1. b\n- [x] c", "• a\n  1. b\n• ☑ c"],
  ["quotes", "> a\n> b", "> a\n> b"],
  ["code", "```py\na = 1\n```", "```\na = 1\n```"],
  ["fences in code", "~~~\n```\n~~~", "```\n`·``\n```"],
  ["backticks in code", "`` a`b ``", "`aˋb`"],
  ["tables", table, `\`\`\`\n${grid}\n\`\`\``],
  ["links", "[docs](https://a.b) <https://x.y>", "docs (https://a.b) https://x.y"],
  ["mail", "[mail](mailto:bob@x.org)", "mail (bob@x.org)"],
  ["names for everybody", "@everyone", "@·everyone"],
]);

const telegramMentions = {
  ...mentions,
  user: (name: string) => (name === "ann" ? '<a href="tg://user?id=7">Ann</a>' : undefined),
};

describeDialect("Telegram's HTML", createTelegramHtmlDialect(telegramMentions), [
  ["marks", "**bold** *it* ~~gone~~ `code`", "<b>bold</b> <i>it</i> <s>gone</s> <code>code</code>"],
  ["marks in marks", "***both*** **a *b* c**", "<i><b>both</b></i> <b>a <i>b</i> c</b>"],
  ["marks over lines", "**two\nlines**", "<b>two\nlines</b>"],
  ["marks that were none", "\\*a\\* 2 * 3 * 4 a_b_c", "*a* 2 * 3 * 4 a_b_c"],
  ["signs", 'a & b < c > "d"', "a &amp; b &lt; c &gt; &quot;d&quot;"],
  ["entities", "&lt;b&gt; &amp;lt;", "&lt;b&gt; &amp;lt;"],
  ["HTML is text", "<b>x</b> </pre><br>y", "&lt;b&gt;x&lt;/b&gt; &lt;/pre&gt;\ny"],
  ["blocks of HTML are text", "<div>\nx\n</div>", "&lt;div&gt;\nx\n&lt;/div&gt;"],
  ["headings", "# One **b**\n\n### Three", "<b>One b</b>\n\n<b>Three</b>"],
  ["nested lists", "- a\n- b\n  - c\n    - d", "• a\n• b\n  • c\n    • d"],
  ["numbers", "9. a\n10. b\n    - c", "9. a\n10. b\n    • c"],
  ["tasks", "- [x] done\n- [ ] open", "• ☑ done\n• ☐ open"],
  [
    "code in a list",
    "- a\n  ```sh\n  ls\n  pwd\n  ```\n- b",
    '• a\n<pre><code class="language-sh">ls\npwd</code></pre>\n• b',
  ],
  ["quotes", "> a\n> b\n\nc", "<blockquote>a\nb</blockquote>\n\nc"],
  ["quotes in quotes", "> a\n> > b\n> > > c", "<blockquote>a\n\n&gt; b\n&gt;\n&gt; &gt; c</blockquote>"],
  ["lists in quotes", "> - a\n> - b", "<blockquote>• a\n• b</blockquote>"],
  ["code in quotes", "> ```\n> a\n> b\n> ```", "<blockquote><pre>a\nb</pre></blockquote>"],
  ["code", "```ts\na < b && c;\n```", '<pre><code class="language-ts">a &lt; b &amp;&amp; c;</code></pre>'],
  ["code without a language", "~~~\n</pre>\n~~~", "<pre>&lt;/pre&gt;</pre>"],
  ["code with a strange language", '```x"><b>\na\n```', "<pre>a</pre>"],
  ["fences in code", "````\n```\n````", "<pre>```</pre>"],
  ["tables", table, `<pre>${grid.replace("&", "&amp;")}</pre>`],
  ["wide tables", wideTable, `<b>name</b>: a\n<b>text</b>: ${wideText}`],
  ["links", '[d"ocs](https://a.b/c_(d)?e="f")', '<a href="https://a.b/c_(d)?e=%22f%22">d&quot;ocs</a>'],
  ["bare addresses", "https://a.b/?c=1&d=2.", '<a href="https://a.b/?c=1&amp;d=2">https://a.b/?c=1&amp;d=2</a>.'],
  ["marks in labels", "[**b** `c`](https://a.b)", '<a href="https://a.b"><b>b</b> <code>c</code></a>'],
  ["pictures", "![cat](https://i.j/k.png)", '<a href="https://i.j/k.png">cat</a>'],
  [
    "unsafe links",
    "[x](tg://resolve?domain=y) [z](file:///etc/passwd)",
    "x (tg://resolve?domain=y) z (file:///etc/passwd)",
  ],
  ["mail", "<bob@x.org> [mail](mailto:bob@x.org)", "bob@x.org mail (bob@x.org)"],
  ["known names", "@ann `@ann` @bob", '<a href="tg://user?id=7">Ann</a> <code>@ann</code> @bob'],
  ["names for everybody", "@everyone @all", "@·everyone @·all"],
  ["rules", "a\n***\nb", "a\n\n──────────\n\nb"],
  ["blank marks", "** ** `  ` a", "** **    a"],
]);

describeDialect("Matrix's HTML", createMatrixHtmlDialect(), [
  ["marks", "**b** *i* ~~s~~ `c`", "<p><strong>b</strong> <em>i</em> <del>s</del> <code>c</code></p>"],
  ["lines", "a\nb  \nc", "<p>a<br>b<br>c</p>"],
  ["headings", "# a\n\n###### b", "<h1>a</h1>\n<h6>b</h6>"],
  ["lists", "- a\n  - b", "<ul><li>a\n<ul><li>b</li></ul></li></ul>"],
  ["lists with gaps", "1. a\n\n2. b", "<ol><li><p>a</p></li>\n<li><p>b</p></li></ol>"],
  ["numbers", "3. a\n4. b", '<ol start="3"><li>a</li>\n<li>b</li></ol>'],
  ["tasks", "- [x] a\n- [ ] b", "<ul><li>☑ a</li>\n<li>☐ b</li></ul>"],
  ["tasks with gaps", "- [x] a\n\n- [ ] b", "<ul><li><p>☑ a</p></li>\n<li><p>☐ b</p></li></ul>"],
  ["quotes in quotes", "> a\n> > b", "<blockquote><p>a</p>\n<blockquote><p>b</p></blockquote></blockquote>"],
  ["code", '```js\n"<x>"\n\n&\n```', '<pre><code class="language-js">&quot;&lt;x&gt;&quot;\n\n&amp;</code></pre>'],
  [
    "tables",
    "|a|b|\n|-|-|\n|**c**|`d`|",
    "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><strong>c</strong></td><td><code>d</code></td></tr></tbody></table>",
  ],
  ["links", "[a](https://b.c/?d&e)", '<p><a href="https://b.c/?d&amp;e">a</a></p>'],
  ["HTML is text", "<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>"],
  ["rules", "---", "<hr>"],
  ["names for everybody", "@room", "<p>@·room</p>"],
]);

describeDialect("Discord", createDiscordDialect(mentions), [
  ["marks", "__bold__ _it_ ~~gone~~ `code`", "**bold** *it* ~~gone~~ `code`"],
  ["marks beside each other", "**a**__b__ `c`*d*", "**a**·**b** `c`*d*"],
  ["marks that were none", "\\*a\\* \\_b\\_ \\`c\\` ~~\\~~~", "\\*a\\* \\_b\\_ \\`c\\` ~~\\~~~"],
  ["words with underscores", "snake_case_name _ __init__ a_", "snake_case_name \\_ **init** a\\_"],
  ["spoilers", "||a|| b | c", "\\|\\|a\\|\\| b | c"],
  ["backslashes", "C:\\path\\\\ \\\\*x \\", "C:\\path\\ \\\\\\*x \\\\"],
  ["plain signs", "a & b < c > d", "a & b < c > d"],
  ["lines that are no blocks", "\\# a\n\\- b\n1\\. c\n\\> d\n\\-# e", "\\# a\n\\- b\n1\\. c\n\\> d\n\\-# e"],
  ["brackets that are no link", "\\[a](https://b.c)", "\\[a\\](https://b.c)"],
  ["HTML", "<b>x</b>", "<b>x</b>"],
  ["headings", "# a **b**\n\n### c\n\n#### d", "# a b\n\n### c\n\n**d**"],
  ["a heading that ends with its sign", "# a \\#", "# a \\#"],
  ["headings over lines", "a\nb\n---", "## a b"],
  ["nested lists", "* a\n* b\n  + c", "- a\n- b\n  - c"],
  ["tasks", "- [x] a\n- [ ] b", "- ☑ a\n- ☐ b"],
  ["code in a list", "- a\n  ```ts\n  b\n  ```", "- a\n```ts\nb\n```"],
  ["quotes", "> a\n> > b", "> a\n>\n> > b"],
  ["code", "```ts\n<@1> @everyone\n```", "```ts\n<@1> @everyone\n```"],
  ["fences in code", "````\n```ts\n````", "```\n`·``ts\n```"],
  ["backticks in code", "`` a`b `` ```` c``d ````", "``a`b`` ``c`·`d``"],
  ["code at the edge of code", "`` `a ``", "`` `a ``"],
  ["tables", table, `\`\`\`\n${grid}\n\`\`\``],
  ["wide tables", wideTable, `**name**: a\n**text**: ${wideText}`],
  ["links", "[d](https://a.b/c_(d))", "[d](https://a.b/c_%28d%29)"],
  ["labels with brackets", "[a \\] b [c]](https://d.e)", "[a \\] b \\[c\\]](https://d.e)"],
  ["bare addresses", "see https://a.b/__init__.py, <https://x.y>", "see https://a.b/__init__.py, https://x.y"],
  ["words right behind an address", "<https://a.b>c **https://x.y**", "https://a.b c **https://x.y**"],
  ["mail", "<bob_@x.org>", "bob\\_@x.org"],
  ["unsafe links", "[x](discord://y)", "x (discord://y)"],
  ["known names", "@ann in #dev, `@ann`", "<@U7> in <#C9>, `@ann`"],
  ["names for everybody", "@everyone, @here and x@everyone", "@·everyone, @·here and x@·everyone"],
  [
    "names for everybody in addresses",
    "https://a.b/@here [x](https://a.b/@everyone)",
    "https://a.b/%40here [x](https://a.b/%40everyone)",
  ],
  ["mentions", "<@1> <@!1> <@&2> <#3>", "<·@1> <·@!1> <·@&2> <·#3>"],
  [
    "other commands",
    "<t:4:R> <:e:5> <a:e:6> </c d:7> &lt;id:guide>",
    "<·t:4:R> <·:e:5> <·a:e:6> <·/c d:7> <·id:guide>",
  ],
  ["commands made of entities", "&lt;@1&gt; &#60;t:1>", "<·@1> <·t:1>"],
  ["rules", "a\n\n***\n\nb", "a\n\n──────────\n\nb"],
]);

describeDialect("GitHub's Markdown", createRichMarkdownDialect(mentions), [
  ["marks", "__bold__ _it_ ~~gone~~ `code`", "**bold** *it* ~~gone~~ `code`"],
  ["marks beside each other", "**a**__b__", "**a**·**b**"],
  ["marks that were none", "\\*a\\* \\_b\\_ \\`c\\` \\~d\\~", "\\*a\\* \\_b\\_ \\`c\\` ~d\\~"],
  ["signs that are no marks", "2 * 3, ~5, a[0] [1], **b**: c **d** - e", "2 * 3, ~5, a[0] [1], **b**: c **d** - e"],
  ["lines that are no blocks", "\\# a\n\\+ b\n1\\) c\n\\> d", "\\# a\n\\+ b\n1\\) c\n\\> d"],
  ["lines that underline nothing", "a\n\\===\nb\n\\---", "a\n\\===\nb\n\\---"],
  ["lines that are no table", "a | b\n\\-|-", "a | b\n\\-|-"],
  ["lines that are no code", "a\n     b", "a\nb"],
  ["HTML is text", "<b>x</b> <!-- y -->", "&lt;b>x&lt;/b> &lt;!-- y -->"],
  ["blocks of HTML are text", "<div>\n  x\n</div>", "&lt;div>\nx\n&lt;/div>"],
  ["line breaks", "a<br>b  \nc", "a  \nb  \nc"],
  ["entities that were none", "&amp;lt; &amp; AT&T &copy;", "&amp;lt; & AT&T ©"],
  ["headings", "# a **b**\n\n###### c", "# a b\n\n###### c"],
  ["lists", "* a\n* b\n  1. c\n\n     d", "- a\n- b\n  1. c\n\n     d"],
  ["tasks", "- [x] a\n- [ ] b", "- [x] a\n- [ ] b"],
  ["boxes that are none", "- \\[x] a\n- [x]\n- [y] b\n- # [ ] c", "- \\[x] a\n- \\[x\\]\n- \\[y] b\n- # [ ] c"],
  ["what belongs to a task", "- [x] a\n  - b", "- [x] a\n  - b"],
  ["quotes with code", "> a\n> ```ts\n> b\n> ```", "> a\n>\n> ```ts\n> b\n> ```"],
  ["code in a list", "- a\n  ```ts\n  b\n\n  c\n  ```", "- a\n  ```ts\n  b\n\n  c\n  ```"],
  ["fences in code", "````\n```ts\n````", "````\n```ts\n````"],
  ["indented code", "    <!here>", "```\n<!here>\n```"],
  ["backticks in code", "`` a`b ``", "``a`b``"],
  ["tables", table, "| name | n |\n| --- | --: |\n| **a** | 1 |\n| b & c | 22 |"],
  ["tables with lines in cells", "|a|b|\n|-|-|\n|x \\| y|z|", "```\na     │ b\n──────┼──\nx | y │ z\n```"],
  ["links", "[d](https://a.b/c_(d)) <https://x.y/?a&b>", "[d](https://a.b/c_%28d%29) <https://x.y/?a&b>"],
  ["addresses with entities in them", "<https://a.b/?c&amp;lt;d>", "<https://a.b/?c&amp;lt;d>"],
  ["pictures", "![cat](https://i.j/k.png)", "[cat](https://i.j/k.png)"],
  ["unsafe links", "[x](javascript:y)", "x (javascript:y)"],
  ["references", "[a][1]\n\n[1]: https://b.c", "[a](https://b.c)"],
  ["what only looks like a reference", "[note]: words", "\\[note\\]: words"],
  ["known names", "@ann in #dev, `@ann`", "<@U7> in <#C9>, `@ann`"],
  ["names for everybody", "@channel @everyone", "@·channel @·everyone"],
  ["commands", "<@U1> <!here> <#C1|x>", "&lt;@U1> &lt;!here> &lt;#C1|x>"],
  ["control characters", "a\x1b[31mb&#27;[2J\u202ec", "abc"],
]);

describeDialect("plain text", plainDialect, [
  ["code in a list", "- a\n  ```\n  b\n  ```", "- a\n  b"],
  ["mail", "[a](mailto:b@c.d) <b@c.d>", "a (b@c.d) b@c.d"],
  ["wide tables", `|a|\n|-|\n|${"x".repeat(120)}|`, `a: ${"x".repeat(120)}`],
  ["rows with too many cells", "|a|b|\n|-|-|\n|c|d `x || y`|", "a │ b\n──┼─────────\nc │ d x || y"],
  ["rows with too few cells", "|a|b|\n|-|-|\n|c|", "a │ b\n──┼──\nc │"],
  ["unsafe addresses", "<id:guide> [x](id:guide)", "id:guide x (id:guide)"],
  ["wide headers of tables", `|a|${"b".repeat(120)}|\n|-|-|\n|c|d|`, `│ a │ ${"b".repeat(120)}\n│ c │ d`],
  ["names", "@everyone @ann", "@everyone @ann"],
]);

describe("Signal", () => {
  const cases: [name: string, markdown: string, text: string, ranges: [number, number, StyleRange["style"]][]][] = [
    ["plain words", "a & <b>", "a & <b>", []],
    [
      "marks",
      "a **b** *c* ~~d~~ `e`",
      "a b c d e",
      [
        [2, 1, "BOLD"],
        [4, 1, "ITALIC"],
        [6, 1, "STRIKETHROUGH"],
        [8, 1, "MONOSPACE"],
      ],
    ],
    [
      "marks in marks",
      "**a *b* c**",
      "a b c",
      [
        [0, 5, "BOLD"],
        [2, 1, "ITALIC"],
      ],
    ],
    ["UTF-16 units", "👩‍👩‍👧 **é你**", "👩‍👩‍👧 é你", [[9, 2, "BOLD"]]],
    ["headings", "# a\n\nb", "a\n\nb", [[0, 1, "BOLD"]]],
    ["lists", "- **a**\n  - b", "• a\n  • b", [[2, 1, "BOLD"]]],
    ["quotes", "> *a*\n> b", "> a\n> b", [[2, 1, "ITALIC"]]],
    ["code", "a\n\n```ts\nb\n c\n```", "a\n\nb\n c", [[3, 4, "MONOSPACE"]]],
    ["tables", "|a|b|\n|-|-|\n|c|d|", "a │ b\n──┼──\nc │ d", [[0, 17, "MONOSPACE"]]],
    ["links", "[**a**](https://b.c)", "a (https://b.c)", [[0, 1, "BOLD"]]],
    ["signs of its own", "\ufdd2a\ufdd3 &#xfdd2;b", "a b", []],
    ["names for everybody", "@all", "@·all", []],
  ];
  for (const [name, markdown, text, ranges] of cases) {
    test(name, () => {
      const rendered = renderSignal(markdown);
      assert.equal(rendered.text.replaceAll(inertMark, "·"), text);
      assert.deepEqual(
        rendered.ranges.map(({ start, length, style }) => [start, length, style]),
        ranges,
      );
    });
  }
});

test("Telegram's length is that of the text without tags", () => {
  assert.equal(measureTelegramHtml('<a href="https://a.b">x</a> &amp; <b>👍</b>'), 6);
});
