/** Edits of the text: what is asked for happens, everything else stays to the letter. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import JSON5 from "json5";
import { z } from "zod";
import { editConfig } from "./edit-config.ts";

const schema = z.object({
  adapters: z.record(z.string(), z.object({ type: z.string(), dm: z.unknown().optional() })).default({}),
  models: z
    .object({ default: z.string().optional(), retries: z.int().default(3), key: z.string().optional() })
    .prefault({}),
  tools: z.record(z.string(), z.unknown()).default({}),
  list: z.array(z.unknown()).default([]),
});
const deps = { schema, env: { KEY: "k" }, readFile: async () => "" };

const text = `// mom's config
{
  // where people talk
  adapters: {
    // the terminal
    terminal: { type: "cli" }, // here
    "a.b": { type: 'slack', dm: "none" /* closed */ },
  },
  /* models */
  models: {
    default: "x/y", // the one
  },
  tools: {},
  // nothing below
}
// end
`;

async function edit(source: string, path: string, value: unknown): Promise<string> {
  const result = await editConfig(source, path, value, deps);
  assert.ok(result.type === "ok", JSON.stringify(result));
  return result.text;
}

describe("setting a key", () => {
  test("replaces the value and nothing else", async () => {
    assert.equal(await edit(text, "models.default", "z"), text.replace('"x/y"', '"z"'));
    assert.equal(await edit(text, "adapters.terminal", { type: "web" }), text.replace('"cli"', '"web"'));
  });

  test("adds to an object on several lines, in its style", async () => {
    const expected = text.replace("// the one\n", "// the one\n    retries: 5,\n");
    assert.equal(await edit(text, "models.retries", 5), expected);
  });

  test("adds to an object on one line, behind its comment", async () => {
    const expected = text.replace('"none" /* closed */', '"none", /* closed */ extra: { a: [1, "b"] }');
    assert.equal(await edit(text, 'adapters."a.b".extra', { a: [1, "b"] }), expected);
  });

  test("opens an empty object", async () => {
    const expected = text.replace("tools: {},", 'tools: {\n    exec: {\n      ask: ["a", "b"],\n    },\n  },');
    assert.equal(await edit(text, "tools.exec.ask", ["a", "b"]), expected);
  });

  test("makes the objects on the way, behind the last comment", async () => {
    const expected = text.replace("// nothing below\n", '// nothing below\n  "new-one": {\n    deep: 1,\n  },\n');
    const result = await editConfig(text, "new-one.deep", 1, deps);
    assert.ok(result.type === "ok");
    assert.equal(result.text, expected);
    assert.deepEqual(
      result.warnings.map(({ path }) => path),
      ["new-one"],
    );
  });

  test("keeps plain JSON plain", async () => {
    const json = '{\n\t"models": {\n\t\t"retries": 1\n\t}\n}\n';
    const expected = '{\n\t"models": {\n\t\t"retries": 1,\n\t\t"default": "a"\n\t}\n}\n';
    assert.equal(await edit(json, "models.default", "a"), expected);
    assert.equal(await edit('{"list":[1]}', "tools.a", 1), '{"list":[1], "tools": { "a": 1 }}');
  });

  test("keeps Windows line ends", async () => {
    assert.equal(
      await edit("{\r\n  list: [],\r\n}\r\n", "tools.a", 1),
      "{\r\n  list: [],\r\n  tools: {\r\n    a: 1,\r\n  },\r\n}\r\n",
    );
  });

  test("starts an empty file, and one that has only a comment", async () => {
    assert.equal(await edit("{}\n", "models.default", "a"), '{\n  models: {\n    default: "a",\n  },\n}\n');
    assert.equal(await edit("{\n  // soon\n}\n", "list", [1]), "{\n  // soon\n  list: [1],\n}\n");
    assert.equal(await edit("{ /* soon */ }", "list", []), "{ /* soon */ list: [], }");
  });

  test("replaces and appends entries of lists", async () => {
    assert.equal(await edit("{ list: [1, /* two */ 2] }", "list.1", 9), "{ list: [1, /* two */ 9] }");
    assert.equal(await edit("{ list: [1] }", "list.1", "b"), '{ list: [1, "b"] }');
    const refused = await editConfig("{ list: [1] }", "list.5", 1, deps);
    assert.ok(refused.type === "invalid");
    assert.match(refused.problems[0]?.hint ?? "", /with an editor/);
  });

  test("writes any text so that it reads back the same", async () => {
    for (const value of ['quo"te', "line\nbreak \u2028 \\ é 😀", "${KEY}", "// no comment"]) {
      assert.deepEqual(JSON5.parse(await edit(text, "models.key", value)).models.key, value);
    }
  });

  test("of a key that stands there twice, the one that counts is changed", async () => {
    assert.equal(await edit("{ list: [1], list: [2] }", "list", [3]), "{ list: [1], list: [3] }");
  });
});

describe("removing a key", () => {
  test("takes its line, and no comment", async () => {
    assert.equal(await edit(text, "tools", undefined), text.replace("  tools: {},\n", ""));
    assert.equal(
      await edit(text, "models.default", undefined),
      text.replace('default: "x/y", // the one', "// the one"),
    );
    assert.match(await edit(text, "adapters.terminal", undefined), /\/\/ the terminal\n\s+\/\/ here\n {4}"a\.b"/);
  });

  test("takes the whole of an object on several lines", async () => {
    const lines = text.split("\n");
    const from = lines.indexOf("  models: {");
    assert.equal(await edit(text, "models", undefined), lines.toSpliced(from, 3).join("\n"));
  });

  test("leaves no comma behind that plain JSON would not allow", async () => {
    assert.equal(await edit('{\n  "list": [],\n  "tools": {}\n}', "tools", undefined), '{\n  "list": []\n}');
    assert.equal(await edit("{ list: [1, 2, 3] }", "list.2", undefined), "{ list: [1, 2] }");
    assert.equal(await edit("{ list: [1, 2, 3] }", "list.0", undefined), "{ list: [2, 3] }");
    assert.equal(await edit("{ list: [1] }", "list", undefined), "{ }");
  });

  test("says when there is nothing to remove", async () => {
    assert.deepEqual(await editConfig(text, "models.retries", undefined, deps), { type: "absent" });
  });
});

describe("an edit is checked before anybody writes it", () => {
  test("a wrong value is refused with its problem", async () => {
    const result = await editConfig(text, "models.retries", "many", deps);
    assert.ok(result.type === "invalid");
    assert.equal(result.problems[0]?.message, 'models.retries: found "many", expected a number');
  });

  test("a removal that breaks the config is refused", async () => {
    const result = await editConfig(text, "adapters.terminal.type", undefined, deps);
    assert.ok(result.type === "invalid");
    assert.match(result.problems[0]?.message ?? "", /^adapters\.terminal\.type: missing/);
  });

  test("a value inside something that has no inside is refused", async () => {
    const result = await editConfig(text, "models.default.name", 1, deps);
    assert.ok(result.type === "invalid");
  });

  test("problems that were there before do not stand in the way", async () => {
    const broken = '{ models: { key: "${NOT_HERE}", retries: 1 } }';
    const result = await editConfig(broken, "models.retries", 2, deps);
    assert.ok(result.type === "ok");
    assert.equal(result.text, broken.replace("1", "2"));
    assert.match(result.remaining[0]?.message ?? "", /NOT_HERE is not set/);
  });

  test("a file that is not JSON5 is left alone", async () => {
    const result = await editConfig("{ a: ", "models.retries", 2, deps);
    assert.ok(result.type === "invalid");
    assert.match(result.problems[0]?.message ?? "", /not valid JSON5/);
  });

  test("a path must be one", async () => {
    for (const path of ["", ".", "a..b", 'a."b', 'a"b"', "a.", 'a."\\x"']) {
      await assert.rejects(editConfig(text, path, 1, deps), { code: "CONFIG_PATH_INVALID" }, path);
    }
  });
});
