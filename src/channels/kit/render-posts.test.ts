import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createDiscordDialect } from "./dialects/discord.ts";
import { createMatrixHtmlDialect } from "./dialects/matrix-html.ts";
import { createMrkdwnDialect } from "./dialects/mrkdwn.ts";
import { plainDialect } from "./dialects/plain.ts";
import { createRichMarkdownDialect } from "./dialects/rich-markdown.ts";
import { measureSignal, signalDialect, toStyledText } from "./dialects/signal.ts";
import { createTelegramHtmlDialect, measureTelegramHtml } from "./dialects/telegram-html.ts";
import { graphemesOf } from "./graphemes.ts";
import { measure } from "./measure.ts";
import { renderPosts } from "./render-posts.ts";

const [mrkdwn, telegram, discord, rich, matrix] = [
  createMrkdwnDialect(),
  createTelegramHtmlDialect(),
  createDiscordDialect(),
  createRichMarkdownDialect(),
  createMatrixHtmlDialect(),
];
const at = (maxLength: number) => ({ maxLength, unit: "utf16" as const });
const count = (length: number, write: (n: number) => string) => Array.from({ length }, (_, n) => write(n));
const eight = "word ".repeat(8).trim();

describe("renderPosts", () => {
  test("gives nothing for nothing, and one post for what fits", () => {
    assert.deepEqual(renderPosts(" \n", plainDialect, at(64)), []);
    assert.deepEqual(renderPosts("**a**", mrkdwn, at(64)), ["*a*"]);
    assert.deepEqual(renderPosts("a\n\nb", plainDialect, at(Infinity)), ["a\n\nb"]);
  });

  test("never gives an empty post", () => {
    for (const dialect of [plainDialect, mrkdwn, telegram, discord, rich, matrix, signalDialect]) {
      for (const text of [
        "\x07",
        "\u200b",
        "&nbsp;",
        "```\n```",
        "<!-- -->",
        "**",
        "[a]: b",
        "|\u200b|\n|-|",
        "-",
        "> ",
        "` `",
      ]) {
        const posts = renderPosts(text, dialect, at(64));
        assert.equal(posts.length, 1, text);
        assert.match(posts[0] ?? "", /[^\s\u200b]/, text);
      }
    }
  });

  test("cuts at paragraphs, else at lines, else at words", () => {
    assert.deepEqual(renderPosts(`${eight}\n\n${eight}`, plainDialect, at(64)), [eight, eight]);
    assert.deepEqual(renderPosts(`${eight}\n${eight}`, plainDialect, at(64)), [eight, eight]);
    for (const post of renderPosts("word ".repeat(60), plainDialect, at(64))) assert.match(post, /^word( word)*$/);
    for (const post of renderPosts("没有空格的句子，".repeat(30), plainDialect, at(64))) assert.match(post, /，$/);
  });

  test("a short text stays with a long one behind it, and a heading with what it is about", () => {
    const [first] = renderPosts(`Look:\n\n${"word ".repeat(60)}`, plainDialect, at(100));
    assert.match(first ?? "", /^Look:\n\nword/);
    assert.deepEqual(renderPosts(`${eight}\n\n# Next\n\n${eight}`, mrkdwn, at(64)), [eight, `*Next*\n\n${eight}`]);
  });

  test("code goes on as code, in its language, and loses no line", () => {
    const lines = count(60, (n) => `${" ".repeat(n % 5)}const value${n} = "<${n}>";`);
    const text = `Here:\n\n\`\`\`ts\n${lines.join("\n")}\n\`\`\``;
    const cases = [
      { dialect: mrkdwn, frame: /^```\n([\s\S]*)\n```$/ },
      { dialect: discord, frame: /^```ts\n([\s\S]*)\n```$/ },
      { dialect: rich, frame: /^```ts\n([\s\S]*)\n```$/ },
      { dialect: telegram, frame: /^<pre><code class="language-ts">([\s\S]*)<\/code><\/pre>$/ },
    ];
    for (const { dialect, frame } of cases) {
      const posts = renderPosts(text, dialect, at(300)).map((post) => post.replace(/^Here:\n\n/, ""));
      assert.ok(posts.length > 3);
      const code = posts.map((post) => frame.exec(post)?.[1] ?? assert.fail(post)).join("\n");
      assert.deepEqual(
        code.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').split("\n"),
        lines,
      );
    }
  });

  test("marks and links are ended and begun again", () => {
    const posts = renderPosts(`**${eight} *${eight}* [${eight}](https://a.b)**`, telegram, at(100));
    assert.ok(posts.length > 1);
    for (const post of posts) assert.match(post, /^<b>.*<\/b>$/);
    assert.deepEqual(
      renderPosts(`~~${eight} ${eight}~~`, discord, at(64)),
      [12, 4].map((length) => `~~${"word ".repeat(length).trim()}~~`),
    );
  });

  test("lists go on with their numbers, and an item without its sign", () => {
    const text = `1. ${eight}\n2. ${eight} ${eight}\n3. ${eight}`;
    assert.deepEqual(renderPosts(text, plainDialect, at(64)), [
      `1. ${eight}`,
      `2. ${"word ".repeat(12).trim()}`,
      `   word word word word`,
      `3. ${eight}`,
    ]);
    const nested = renderPosts("- a\n  - b\n    - c\n".repeat(8), plainDialect, at(64));
    for (const post of nested) for (const line of post.split("\n")) assert.match(line, /^(?: {0,4})- [abc]$/);
    assert.equal(nested.join("\n"), "- a\n  - b\n    - c\n".repeat(8).trimEnd());
  });

  test("quotes go on as quotes, and tables with their header", () => {
    for (const post of renderPosts(`> ${"word ".repeat(40)}`, mrkdwn, at(64))) assert.match(post, /^> word/);
    const rows = count(30, (n) => `|name ${n}|${n}|`);
    const posts = renderPosts(`|a|b|\n|-|-|\n${rows.join("\n")}`, rich, at(120));
    for (const post of posts) assert.match(post, /^\| a \| b \|\n\| --- \| --- \|\n\| name/);
    assert.equal(posts.flatMap((post) => post.split("\n").slice(2)).length, 30);
  });

  test("a mention is never cut", () => {
    const written = "<@U0123456789ABCDEF>";
    const dialect = createMrkdwnDialect({ user: () => written, channel: () => undefined });
    const posts = renderPosts(`@ann${" @ann,@ann".repeat(40)}`, dialect, at(64));
    assert.equal(posts.join("").split(written).length - 1, 81);
    for (const post of posts) assert.doesNotMatch(post.replaceAll(written, ""), /[<>@U]/);
  });

  test("measures what is sent, in the platform's own way", () => {
    for (const post of renderPosts("&".repeat(500), mrkdwn, at(100))) assert.ok(post.length <= 100);
    assert.ok(renderPosts("&".repeat(500), telegram, at(100)).length > 25);
    assert.ok(renderPosts("&".repeat(500), telegram, { ...at(100), measure: measureTelegramHtml }).length <= 6);
    const signal = renderPosts(`**${"né ".repeat(100).trim()}**`, signalDialect, {
      ...at(100),
      measure: measureSignal,
    });
    for (const post of signal) {
      const { text, ranges } = toStyledText(post);
      assert.ok(Buffer.byteLength(text) <= 100);
      assert.deepEqual(ranges, [{ start: 0, length: text.length, style: "BOLD" }]);
    }
  });

  test("never cuts a character, in any unit", () => {
    for (const unit of ["utf16", "codepoint", "byte"] as const) {
      for (const cluster of ["👩‍👩‍👧‍👦", "e\u0301", "🇩🇪", "👍🏽"]) {
        for (const markdown of [
          cluster.repeat(200),
          `\`${cluster.repeat(200)}\``,
          `\`\`\`\n${cluster.repeat(200)}\n\`\`\``,
        ]) {
          const posts = renderPosts(markdown, plainDialect, { maxLength: 90, unit });
          assert.equal(posts.join(""), cluster.repeat(200));
          for (const post of posts) {
            assert.ok(measure(post, unit) <= 90);
            assert.deepEqual(new Set(graphemesOf(post)), new Set([cluster]));
          }
        }
      }
    }
  });

  test("a character that is too long by itself is cut between its code points", () => {
    const zalgo = `z${"\u0301".repeat(300)}`;
    const posts = renderPosts(zalgo, plainDialect, at(64));
    assert.equal(posts.join(""), zalgo);
    assert.ok(posts.every((post) => post.length <= 64));
  });

  test("what cannot be kept up becomes plain words", () => {
    const url = `https://a.b/${"path/".repeat(60)}`;
    for (const dialect of [mrkdwn, telegram, discord, rich, matrix, plainDialect]) {
      for (const text of [
        url,
        `[label](${url})`,
        `${"> ".repeat(60)}deep`,
        `|${"h".repeat(90)}|\n|-|\n|c|`,
        `- ![x](${url})`,
      ]) {
        const posts = renderPosts(text, dialect, at(80));
        assert.ok(posts.every((post) => post.length <= 80));
      }
    }
    assert.equal(renderPosts(url, plainDialect, at(80)).join(""), url);
  });

  test("ends where not even one character fits", () => {
    assert.deepEqual(renderPosts("&a", telegram, at(1)), ["&amp;", "a"]);
    assert.equal(renderPosts("😀 **b**", plainDialect, { maxLength: 1, unit: "byte" }).join(""), "😀b");
  });

  test("a megabyte takes well under a second", () => {
    const fill = (text: string) => text.repeat(Math.ceil(1_048_576 / text.length));
    const texts = {
      paragraphs: fill("Some **bold** words and `code` with a [link](https://a.b/c) and more.\n\n"),
      lines: fill("Some **bold** words and `code`, but no blank lines.\n"),
      code: `\`\`\`ts\n${fill("const x = 1 < 2;\n")}\`\`\``,
      "one line": fill("word "),
      "one word": fill("word&"),
      "no spaces": fill("这是一个很长的句子没有空格"),
      table: `|a|b|\n|-|-|\n${fill("|cell one|cell two|\n")}`,
    };
    for (const [name, text] of Object.entries(texts)) {
      const before = process.cpuUsage();
      assert.ok(renderPosts(text, discord, at(2_000)).length > 500);
      const { user } = process.cpuUsage(before);
      assert.ok(user / 1_000 < 2_000, `${name}: ${user / 1_000} ms`);
    }
  });
});
