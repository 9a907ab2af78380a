/** Every rule for a skill's file: what passes, and the one sentence for what does not. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseSkill } from "./parse-skill.ts";

const good = "name: pdf-forms\ndescription: Fills forms.";
const parse = (yaml: string, names = ["pdf-forms"]) => parseSkill(`---\n${yaml}\n---\n# Body\n`, names);
const withMetadata = (json: string) => parse(`${good}\nmetadata: ${json}`);

test("a plain skill, its defaults, and fields of others", () => {
  const { facts, problems } = parse(
    `${good}\nlicense: MIT\nallowed-tools: [read]\nmetadata:\n  author: ann\n  version: 1.0`,
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(facts, {
    name: "pdf-forms",
    description: "Fills forms.",
    isModelInvocable: true,
    isUserInvocable: true,
    isPinned: false,
    tags: [],
    metadata: { isAlways: false, os: [], bins: [], anyBins: [], env: [], config: [], install: [] },
  });
});

test("every field that is understood", () => {
  const { facts, problems } = parse(
    `${good}\ndisable-model-invocation: true\nuser-invocable: false\nscope: pinned\ntags: [pdf, " forms "]`,
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(
    [facts?.isModelInvocable, facts?.isUserInvocable, facts?.isPinned, facts?.tags],
    [false, false, true, ["pdf", "forms"]],
  );
  assert.deepEqual(parse(`${good}\ntags: a, b c`).facts?.tags, ["a", "b c"]);
});

test("a description becomes one line, without what cannot be seen", () => {
  const { facts } = parse("name: pdf-forms\ndescription: |\n  Fills\n  forms\u{e0041} 👩‍🔬.\n");
  assert.equal(facts?.description, "Fills forms 👩‍🔬.");
});

describe("what is refused, each with one sentence", () => {
  const long = (length: number) => "a".repeat(length);
  const cases: [what: string, yaml: string, message: RegExp, names?: string[]][] = [
    ["no name", "description: x", /^name is missing: write `name: pdf-forms`$/],
    ["an empty name", 'name: ""\ndescription: x', /^name is empty$/],
    ["a name of null", "name:\ndescription: x", /^name is missing/],
    ["a name that is a number", "name: 12\ndescription: x", /^name must be text: put 12 in quotes$/, ["12"]],
    ["a name that is a list", "name: [a]\ndescription: x", /^name must be text$/],
    [
      "capitals",
      "name: PDF-forms\ndescription: x",
      /^name "PDF-forms" may have lowercase letters, digits and hyphens only$/,
    ],
    ["an underscore", "name: pdf_forms\ndescription: x", /lowercase letters, digits and hyphens only$/],
    ["letters of other alphabets", "name: größe\ndescription: x", /lowercase letters, digits and hyphens only$/],
    ["a hyphen in front", "name: -pdf\ndescription: x", /^name "-pdf" may not begin or end with a hyphen$/],
    ["a hyphen at the end", "name: pdf-\ndescription: x", /^name "pdf-" may not begin or end with a hyphen$/],
    ["two hyphens", "name: pdf--forms\ndescription: x", /^name "pdf--forms" may not have two hyphens in a row$/],
    ["65 characters", `name: ${long(65)}\ndescription: x`, /^name has 65 characters; 64 are allowed$/, [long(65)]],
    ["another folder", "name: forms\ndescription: x", /^name "forms" must be that of its folder or file, "pdf-forms"$/],
    ["no description", "name: pdf-forms", /^description is missing: say what/],
    ["an empty description", 'name: pdf-forms\ndescription: " "', /^description is empty/],
    ["a hidden description", 'name: pdf-forms\ndescription: "\\u200b"', /^description is empty/],
    ["a description of a number", "name: pdf-forms\ndescription: 5", /^description must be text: put 5 in quotes$/],
    [
      "1025 characters",
      `name: pdf-forms\ndescription: ${long(1025)}`,
      /^description has 1025 characters; 1024 are allowed$/,
    ],
    ["a flag in words", `${good}\ndisable-model-invocation: yes`, /^disable-model-invocation must be true or false$/],
    ["another flag in words", `${good}\nuser-invocable: "false"`, /^user-invocable must be true or false$/],
    ["an unknown scope", `${good}\nscope: turn`, /^scope must be "pinned" or left out$/],
    ["metadata of a number", `${good}\nmetadata: 3`, /^metadata must be a map, or a text with JSON5$/],
    ["ours of a list", `${good}\nmetadata: { mom: [] }`, /^metadata.mom must be a map, or a text with JSON5$/],
    ["ours not JSON5", `${good}\nmetadata: { openclaw: "{a:" }`, /^metadata.openclaw is a text that is not JSON5: /],
    ["always in words", `${good}\nmetadata: { mom: { always: 1 } }`, /^metadata.mom.always must be true or false$/],
    [
      "os of a number",
      `${good}\nmetadata: { mom: { os: [1] } }`,
      /^metadata.mom.os must be a list of texts, at most 50$/,
    ],
    ["requires of a list", `${good}\nmetadata: { mom: { requires: [gh] } }`, /^metadata.mom.requires must be a map$/],
    [
      "a path as program",
      `${good}\nmetadata: { mom: { requires: { bins: [/bin/sh] } } }`,
      /^metadata.mom.requires.bins has "\/bin\/sh", which is not the plain name of a program$/,
    ],
    [
      "a bad variable",
      `${good}\nmetadata: { mom: { requires: { env: ["A=1"] } } }`,
      /^metadata.mom.requires.env has "A=1", which is not the name of an environment variable$/,
    ],
    [
      "a bad setting",
      `${good}\nmetadata: { mom: { requires: { config: ["a b"] } } }`,
      /^metadata.mom.requires.config has "a b", which is not the path of a setting$/,
    ],
  ];
  for (const [what, yaml, message, names] of cases) {
    test(what, () => {
      const { facts, problems } = parse(yaml, names);
      assert.equal(facts, undefined);
      assert.deepEqual(
        problems.map(({ level }) => level),
        ["error"],
      );
      assert.match(problems[0]?.message ?? "", message);
    });
  }
});

describe("what is passed over with a warning", () => {
  const cases: [what: string, metadata: string, message: RegExp][] = [
    ["emoji", "{ mom: { emoji: 3 } }", /^metadata.mom.emoji must be text: put 3 in quotes$/],
    ["a homepage that is none", "{ mom: { homepage: 'javascript:x' } }", /homepage must be an http or https address$/],
    [
      "a homepage with a password",
      "{ mom: { homepage: 'https://a:b@c.example' } }",
      /homepage must be an http or https address$/,
    ],
    [
      "a kind that is unknown",
      "{ mom: { install: [{ kind: apt, package: x }] } }",
      /^metadata.mom.install\[0\].kind must be one of brew, node, go, uv, download$/,
    ],
    [
      "no package",
      "{ mom: { install: [{ kind: node }] } }",
      /install\[0\].package must be the plain name of a package \(for node\)$/,
    ],
    [
      "a package with a command",
      "{ mom: { install: [{ kind: brew, formula: 'x; rm -rf ~' }] } }",
      /install\[0\].formula must be the plain name/,
    ],
    [
      "an option as package",
      "{ mom: { install: [{ kind: uv, package: '--index-url=x' }] } }",
      /install\[0\].package must be the plain name/,
    ],
    [
      "a download of a file",
      "{ mom: { install: [{ kind: download, url: 'file:///etc/passwd' }] } }",
      /install\[0\].url must be an http or https address \(for download\)$/,
    ],
    ["install of a text", "{ mom: { install: brew } }", /^metadata.mom.install must be a list of maps, at most 50$/],
  ];
  for (const [what, metadata, message] of cases) {
    test(what, () => {
      const { facts, problems } = withMetadata(metadata);
      assert.deepEqual(facts?.metadata.install, []);
      assert.equal(facts?.metadata.homepage ?? facts?.metadata.emoji, undefined);
      assert.deepEqual(
        problems.map(({ level }) => level),
        ["warning"],
      );
      assert.match(problems[0]?.message ?? "", message);
    });
  }
  test("tags", () => {
    const { facts, problems } = parse(`${good}\ntags: { a: 1 }`);
    assert.deepEqual(facts?.tags, []);
    assert.deepEqual(problems, [{ level: "warning", message: "tags must be a list of texts, at most 50" }]);
  });
});

describe("metadata", () => {
  const expected = {
    skillKey: "key",
    emoji: "📄",
    homepage: "https://pdf.example/x",
    primaryEnv: "PDF_KEY",
    isAlways: true,
    os: ["darwin", "linux", "win32"],
    bins: ["gs"],
    anyBins: ["a", "b"],
    env: ["PDF_KEY"],
    config: ["tools.pdf"],
    install: [
      { words: "brew install gs", bins: ["gs"], os: ["darwin"] },
      { words: "npm install --global @a/b@1.2", bins: [], os: [] },
      { words: "go install example.com/x/cmd@latest", bins: [], os: [] },
      { words: "go install example.com/x/cmd@v1", bins: [], os: [] },
      { words: "uv tool install pdf", bins: [], os: [] },
      { words: "download https://pdf.example/gs.zip", bins: [], os: [] },
    ],
  };
  const json5 = `{ skillKey: 'key', emoji: '📄', homepage: 'https://pdf.example/x', primaryEnv: 'PDF_KEY', always: true,
    os: ['macos', 'linux', 'windows'], requires: { bins: ['gs'], anyBins: ['a', 'b'], env: ['PDF_KEY'], config: ['tools.pdf'] },
    install: [{ id: 'x', kind: 'brew', formula: 'gs', bins: ['gs'], os: ['darwin'] }, { kind: 'node', package: '@a/b@1.2' },
      { kind: 'go', module: 'example.com/x/cmd' }, { kind: 'go', module: 'example.com/x/cmd@v1' }, { kind: 'uv', package: 'pdf' },
      { kind: 'download', url: 'https://pdf.example/gs.zip' }, ] }`;
  for (const [what, written] of [
    ["a map", `{ mom: ${json5} }`],
    ["a text with JSON5", `{ openclaw: ${JSON.stringify(json5)} }`],
    ["the older name", `{ moltbot: ${json5} }`],
    ["a text with JSON5 as a whole", JSON.stringify(`{ moltbot: ${json5} }`)],
    ["the first of several", `{ moltbot: { always: false }, openclaw: { always: false }, mom: ${json5} }`],
  ] as const) {
    test(`as ${what}`, () => {
      const { facts, problems } = withMetadata(written.replaceAll("\n", " "));
      assert.deepEqual(problems, []);
      assert.deepEqual(facts?.metadata, expected);
    });
  }
});

describe("frontmatter that cannot be read", () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${["b", "c", "d", "e", "f"].map((key, at) => `${key}: &${key} [${Array(9).fill(`*${"abcdef"[at]}`)}]`).join("\n")}`;
  const cases: [what: string, text: string, message: RegExp][] = [
    ["none", "# Title\n", /^has no frontmatter: begin it with ---/],
    ["an empty file", "", /^has no frontmatter/],
    ["no end", `---\n${good}\n`, /^has frontmatter that does not end/],
    ["broken YAML", '---\nname: "x\ndescription: y\n---\n', /^has frontmatter that is no plain YAML: .*\(line \d\)$/],
    ["a key twice", `---\n${good}\nname: y\n---\n`, /no plain YAML: Map keys must be unique \(line 4\)$/],
    ["a tag", `---\n${good}\nx: !!js/function 'f'\n---\n`, /no plain YAML: Unresolved tag.*\(line 4\)$/],
    ["a list", "---\n- a\n---\n", /^has frontmatter without fields/],
    ["nothing between the lines", "---\n---\n", /^has frontmatter without fields/],
    ["aliases of aliases", `---\n${bomb}\n---\n`, /^has frontmatter that is too tangled to read: .*alias/],
    ["10,000 brackets", `---\na: ${"[".repeat(10_000)}\n---\n`, /^has frontmatter that is/],
    ["20,000 characters", `---\nx: ${"a".repeat(20_000)}\n---\n`, /^has frontmatter of over 16000 characters$/],
  ];
  for (const [what, text, message] of cases) {
    test(what, () => {
      const { facts, problems } = parseSkill(text, ["x"]);
      assert.equal(facts, undefined);
      assert.equal(problems.length, 1);
      assert.match(problems[0]?.message ?? "", message);
      assert.doesNotMatch(problems[0]?.message ?? "", /\n/);
    });
  }
});
