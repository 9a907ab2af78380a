import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { breakMassMentions, encodeMassMentions, inertMark, splitMentions } from "./mentions.ts";

const users = ["ann", "ann.lee", "ann-marie", "ann_b_", "юля", "josé", "all", "x1"];
const channels = ["dev", "dev.ops", "💬-talk", "général"];
const writer = {
  user: (name: string) => (users.includes(name) ? `<${name}>` : undefined),
  channel: (name: string) => (channels.includes(name) ? `{${name}}` : undefined),
};
const write = (words: string) =>
  splitMentions(words, writer)
    .map((node) => (node.type === "mention" ? node.written : node.type === "text" ? node.words : ""))
    .join("");

describe("splitMentions", () => {
  const cases: [string, string, string][] = [
    ["names", "@ann and @x1 in #dev", "<ann> and <x1> in {dev}"],
    ["nobody", "@bob #nope @", "@bob #nope @"],
    [
      "punctuation behind a name",
      "@ann. @ann, @ann! (@ann) @ann: @ann; @ann? @ann's",
      "<ann>. <ann>, <ann>! (<ann>) <ann>: <ann>; <ann>? <ann>'s",
    ],
    ["several dots", "@ann... @ann--see @ann._.", "<ann>... <ann>--see <ann>._."],
    [
      "names with punctuation in them",
      "@ann.lee @ann-marie. @ann_b_ #dev.ops!",
      "<ann.lee> <ann-marie>. <ann_b_> {dev.ops}!",
    ],
    ["the longest known name", "@ann.lee. @ann-marie-", "<ann.lee>. <ann-marie>-"],
    ["half a name is nobody", "@ann.jones @ann_x @anna @ann-x", "@ann.jones @ann_x @anna @ann-x"],
    ["other letters", "@юля, @josé #général", "<юля>, <josé> {général}"],
    ["symbols in names of chats", "#💬-talk #dev👍", "{💬-talk} {dev}👍"],
    ["mail addresses", "bob@ann x.y@ann.lee bob+@ann", "bob@ann x.y@ann.lee bob+<ann>"],
    [
      "addresses elsewhere",
      "@ann@x.org @ann:x.org @ann/pkg site.org/@ann",
      "@ann@x.org @ann:x.org @ann/pkg site.org/@ann",
    ],
    ["names beside each other", "@ann/@x1 @ann,@x1 @ann@x1", "<ann>/<x1> <ann>,<x1> @ann@x1"],
    ["doubled signs", "@@ann ##dev &#dev", "@@ann ##dev &#dev"],
    ["at the edges", "@ann", "<ann>"],
    ["a known name wins over everybody", "@all", "<all>"],
  ];
  for (const [name, words, expected] of cases) test(name, () => assert.equal(write(words), expected));

  test("nothing is lost, and a long row of signs costs little", () => {
    for (const words of [
      "@".repeat(50_000),
      "@ann".repeat(20_000),
      `@${".".repeat(50_000)}`,
      `@${"a".repeat(90_000)}`,
    ]) {
      const joined = splitMentions(words, writer).map((node) => ("words" in node ? node.words : ""));
      assert.equal(joined.join(""), words);
    }
  });
});

describe("breakMassMentions", () => {
  const cases: [string, string][] = [
    ["@everyone @here @channel @all @room @group", "@·everyone @·here @·channel @·all @·room @·group"],
    ["@Everyone x@here @everyone!", "@·Everyone x@·here @·everyone!"],
    ["@everyonex @here_", "@·everyonex @·here_"],
    ["@allison @channels @roommate", "@allison @channels @roommate"],
  ];
  for (const [words, expected] of cases) {
    test(words, () => assert.equal(breakMassMentions(words).replaceAll(inertMark, "·"), expected));
  }
  test("in addresses", () => assert.equal(encodeMassMentions("https://a.b/@here"), "https://a.b/%40here"));
});
