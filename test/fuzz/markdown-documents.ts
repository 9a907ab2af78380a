/** Markdown from a seed, put together from what goes wrong: the same seed gives the same text. */
import { createRandom, type Random } from "../fakes/random-history.ts";

/** Marks, half of them without a partner. */
const marks = [
  "*",
  "**",
  "***",
  "_",
  "__",
  "~",
  "~~",
  "`",
  "``",
  "```",
  "````",
  "~~~",
  "|",
  "||",
  "\\",
  "&",
  "<",
  ">",
  "#",
];
const mentions = [
  "@ann",
  "@ann.lee",
  "@ann.lee.",
  "@ann_x",
  "@nobody",
  "@everyone",
  "@here",
  "@channel",
  "@all",
  "@room",
  "@Everyone",
  "<@U123>",
  "<@!123>",
  "<@&1>",
  "<#C1|dev>",
  "<#12>",
  "<!here>",
  "<!channel|x>",
  "<!subteam^S1>",
  "<t:1:R>",
  "<:a:1>",
  "<a:b:2>",
  "</cmd:1>",
  "<id:guide>",
  "#dev",
  "#nope",
  "bob@ann.lee",
  "@ann@x.org",
  "&lt;@U1&gt;",
  "&#60;!here&#62;",
  "&lt;!here&gt;",
  "@every\u200bone",
  "@ann's",
  "x/@ann",
];
const links = [
  "https://a.b/c_d_(e)",
  "<https://x.y/@everyone?a=1&b=2>",
  "[l](https://a.b/(c)d)",
  "[l*a*b](<https://a.b/c d>)",
  "[](https://e.f)",
  "[@ann](https://a.b)",
  "[x](javascript:alert(1))",
  "[y](mailto:bob@x.org)",
  "<bob@x.org>",
  "![alt](https://i.j/k.png)",
  "[![in](https://i.j/k.png)](https://l.m)",
  "[a][r1]",
  "[r1]",
  "![r1]",
  "[r1]: https://r.e/f 'title'",
  "[note]: words",
  "[a](b",
  'https://a.b/|<>"{}',
  "[`c`](https://a.b)",
  "[long label with *words*](https://a.b/c)",
  "[a\nb](https://a.b/c)",
  `https://long.example/${"path/".repeat(30)}`,
  `[l](https://long.example/${"q".repeat(120)})`,
  "http:// ",
  "[x](&#106;avascript:y)",
];
const html = [
  "<b>x</b>",
  "<br>",
  "<br/>",
  "<div>\n\nx\n</div>",
  "<!-- c -->",
  "<script>y</script>",
  "<a href='x'>",
  "</pre>",
  "<pre>",
  "<![CDATA[x]]>",
  "<?php z ?>",
  "</b>",
  "<b",
  "<code>",
];
const entities = [
  "&amp;",
  "&lt;b&gt;",
  "&#27;[2J",
  "&#0;",
  "&#xfdd0;",
  "&nbsp;",
  "&quot;",
  "&#8238;",
  "&amp;lt;",
  "&unknown;",
  "&#38;lt;",
  "&#64;everyone",
];
const words = [
  "word",
  "two words",
  "a",
  "1",
  "2026",
  "snake_case_name",
  "你好，世界。没有空格",
  "日本語",
  "👩‍👩‍👧‍👦",
  "🇩🇪🇫🇷",
  "e\u0301\u0323",
  "שלום עולם",
  "\u202eevil\u202c",
  "naïve",
  "x".repeat(90),
  "你".repeat(50),
  "👍🏽".repeat(20),
  "z\u0300\u0301\u0302\u0303".repeat(8),
  "ﷺ",
  "\ud83d",
  "\ude00x",
  "\u200b",
  "\u00a0",
  "ǅ",
  "½",
  "-",
  "1.",
  "1)",
  "+",
  "=",
  "---",
  "===",
  "***",
  "2 * 3 * 4",
  "a|b",
  "C:\\path\\x",
  "don't",
  "$5 and $6",
  "`code`",
  "``a`b``",
  "`@ann`",
  "`<!here>`",
  "`&lt;`",
  "` `",
];
const controls = [
  "\x1b[31m",
  "\x1b]0;t\x07",
  "\x00",
  "\x07",
  "\ufdd0",
  "\ufdd3",
  "\u2028",
  "\t",
  "\r\n",
  "\r",
  "\uffff",
  "\x9b1m",
];
const lineStarts = [
  "",
  "",
  "",
  "# ",
  "## ",
  "> ",
  "> > ",
  "- ",
  "* ",
  "+ ",
  "1. ",
  "10) ",
  "  - ",
  "    ",
  "   ",
  "- [ ] ",
  "- [x] ",
  "  ",
  "\t",
  "> - ",
  "- > ",
  "|",
  "1. > ",
  ">",
  "-",
  "#",
];
const languages = ["", "ts", "c++", "a b", "x`y", "@ann", "<!here>"];

export function makeMarkdown(seed: number): string {
  const random = createRandom(seed);
  return Array.from({ length: random.between(1, 3) }, () => makeBlock(random)).join(
    pick(random, ["\n\n", "\n", "\n\n\n", "  \n"]),
  );
}

const pick = <T>(random: Random, items: readonly T[]): T => items[random.between(0, items.length - 1)] as T;

function makeBlock(random: Random): string {
  const kind = random.next();
  if (kind < 0.12) return makeFence(random);
  if (kind < 0.22) return makeTable(random);
  return Array.from({ length: random.between(1, 3) }, () => pick(random, lineStarts) + makeLine(random)).join("\n");
}

function makeFence(random: Random): string {
  const fence = pick(random, ["```", "```", "````", "~~~", "  ```", "> ```", "- ```"]);
  const lines = Array.from({ length: random.between(0, 5) }, () => makeLine(random));
  const end = random.chance(0.8) ? `\n${fence.replace(/[^`~]/g, " ")}` : "";
  return `${fence}${pick(random, languages)}\n${lines.join("\n")}${end}`;
}

function makeTable(random: Random): string {
  const columns = random.between(1, 4);
  const row = () => `|${Array.from({ length: columns }, () => makeSpan(random).replaceAll("\n", " ")).join("|")}|`;
  const rule = `|${Array.from({ length: columns }, () => pick(random, ["-", ":-", "-:", ":-:"])).join("|")}|`;
  return [row(), rule, ...Array.from({ length: random.between(0, 4) }, row)].join("\n");
}

function makeLine(random: Random): string {
  return Array.from({ length: random.between(1, 5) }, () => makeSpan(random)).join(
    pick(random, [" ", " ", "", "\n", "  "]),
  );
}

function makeSpan(random: Random): string {
  const kind = random.next();
  if (kind < 0.12) {
    const mark = pick(random, marks);
    return mark + makeSpan(random) + mark;
  }
  if (kind < 0.24) return pick(random, marks);
  if (kind < 0.34) return pick(random, mentions);
  if (kind < 0.44) return pick(random, links);
  if (kind < 0.48) return pick(random, html);
  if (kind < 0.53) return pick(random, entities);
  if (kind < 0.56) return pick(random, controls);
  return pick(random, words);
}
