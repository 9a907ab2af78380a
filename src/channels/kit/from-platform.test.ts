import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { replaceOutsideCode } from "./from-platform.ts";

const toNames = (text: string) => replaceOutsideCode(text, /<@(\w+)(?:\|(\w+))?>/g, (_, id, name) => `@${name ?? id}`);

describe("replaceOutsideCode", () => {
  const cases: [string, string, string][] = [
    ["words", "hi <@U1>, <@U2|bob>", "hi @U1, @bob"],
    ["code spans", "`<@U1>` <@U1> `` a`<@U1> ``", "`<@U1>` @U1 `` a`<@U1> ``"],
    ["fences", "```\n<@U1>\n\n<@U2>\n``` <@U3>", "```\n<@U1>\n\n<@U2>\n``` @U3"],
    ["fences within a line", "a ```<@U1>``` <@U2>", "a ```<@U1>``` @U2"],
    ["longer fences", "````\n```\n<@U1>\n````\n<@U2>", "````\n```\n<@U1>\n````\n@U2"],
    ["backticks without a partner", "a ` <@U1>\n` <@U2>", "a ` @U1\n` @U2"],
    ["fences without a partner", "``` <@U1>", "``` @U1"],
    ["a span inside of an open fence", "``` `<@U1>` <@U2>", "``` `<@U1>` @U2"],
    ["nothing", "", ""],
  ];
  for (const [name, text, expected] of cases) test(name, () => assert.equal(toNames(text), expected));

  test("patterns see the whole text", () => {
    assert.equal(
      replaceOutsideCode("a `b` c", /(?<=` )c/g, () => "x"),
      "a `b` x",
    );
  });
  test("is quick on many backticks", () => {
    const started = process.hrtime.bigint();
    for (const text of ["`".repeat(200_000), "` `` ``` ".repeat(30_000), "``` ` ".repeat(50_000), "`a".repeat(100_000)])
      toNames(text);
    assert.ok(Number(process.hrtime.bigint() - started) / 1e6 < 2_000);
  });
});
