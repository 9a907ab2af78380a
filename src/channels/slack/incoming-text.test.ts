import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSlackText, listMentioned } from "./incoming-text.ts";

const names = {
  user: (id: string) => ({ U1: "ann", U2: "bob" })[id],
  channel: (id: string) => ({ C1: "general" })[id],
};
const cases: [raw: string, text: string][] = [
  ["plain *words* 👋", "plain *words* 👋"],
  ["<@UMOM> hello", "hello"],
  ["  <@UMOM|mom>: hello", "hello"],
  ["<@UMOM>", ""],
  ["hello <@UMOM>", "hello @UMOM"],
  ["<@U1> and <@U2|robert> and <@U9|zoe> and <@U9>", "@ann and @bob and @zoe and @U9"],
  ["<#C1> <#C1|renamed> <#C9|other> <#C9>", "#general #renamed #other #C9"],
  ["<!here> <!channel> <!subteam^S1|@devs> <!date^1^{date}|Feb 18>", "@here @channel @devs Feb 18"],
  [
    "<https://a.b/c> <https://a.b/c|a.b/c> <https://a.b/c|the page>",
    "https://a.b/c https://a.b/c the page (https://a.b/c)",
  ],
  ["<mailto:x@y.z|x@y.z>", "x@y.z"],
  ["1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt;", "1 < 2 && 3 > 2 &lt;"],
  ["`<@U1>` and ```\n<@U2> &lt;b&gt;\n```", "`<@U1>` and ```\n<@U2> <b>\n```"],
  ["&lt;@U1&gt;", "<@U1>"],
];

for (const [raw, text] of cases) {
  test(`${JSON.stringify(raw)} is read as ${JSON.stringify(text)}`, () => {
    assert.equal(fromSlackText(raw, "UMOM", names), text);
  });
}

test("people in code are not mentioned", () => {
  assert.deepEqual(listMentioned("<@U1> `<@U2>` &lt;@U3&gt; <@U1|a> <@U4|b>"), ["U1", "U4"]);
});
