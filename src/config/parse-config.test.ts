/** Every way a config can be wrong, each with the words that people get; and what a right one gives. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { parseConfig } from "./parse-config.ts";
import { formatProblems } from "./problem.ts";
import { secret } from "./secret.ts";

const schema = z.object({
  adapters: z
    .record(
      z.string().regex(/^[a-z][a-z0-9.-]*$/),
      z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("cli"), prompt: z.string().default("> ") }),
        z.object({
          type: z.literal("slack"),
          botToken: secret().min(1),
          dm: z.union([z.enum(["everyone", "none"]), z.array(z.string())]).default("none"),
        }),
      ]),
    )
    .default({}),
  models: z
    .object({
      default: z.string().optional(),
      retries: z.int().min(0).max(10).default(3),
      stream: z.boolean().default(true),
      providers: z
        .record(
          z.string(),
          z.object({
            baseUrl: z.url().optional(),
            apiKey: secret().optional(),
            headers: z.record(z.string(), secret()).optional(),
            models: z.array(z.object({ id: z.string() })).default([]),
          }),
        )
        .default({}),
    })
    .prefault({}),
  roots: z.array(z.string().startsWith("/", "must be an absolute path")).default([]),
});

const env = { LAB_KEY: "key-from-env", HOST: "example.com", EMPTY: "", PORT: "8080" };
const files: Record<string, string> = { "secrets/token": "token-from-file\n", two: "a\n\n" };

function parse(text: string) {
  const readFile = async (path: string) => {
    const found = files[path];
    if (found === undefined) throw new Error(`ENOENT: no such file ${path}`);
    return found;
  };
  return parseConfig(text, { schema, env, readFile });
}

async function parseOk(text: string) {
  const result = await parse(text);
  assert.ok(result.type === "ok", result.type === "invalid" ? formatProblems(result.problems) : "");
  return result;
}

async function problemsOf(text: string) {
  const result = await parse(text);
  assert.ok(result.type === "invalid", "should have been refused");
  return result.problems;
}

async function problemOf(text: string) {
  const [problem, ...others] = await problemsOf(text);
  assert.ok(problem);
  assert.deepEqual(others, []);
  return problem;
}

describe("a right config", () => {
  test("an empty one is all defaults", async () => {
    const { config, warnings, secrets } = await parseOk("{}");
    assert.deepEqual(config, {
      adapters: {},
      models: { retries: 3, stream: true, providers: {} },
      roots: [],
    });
    assert.deepEqual({ warnings, secrets }, { warnings: [], secrets: [] });
  });

  test("comments, bare keys, single quotes and a byte order mark are fine", async () => {
    const { config } = await parseOk("\uFEFF// mom\n{ models: { default: 'a/b', /* few */ retries: 1, }, }");
    assert.equal(config.models.default, "a/b");
    assert.equal(config.models.retries, 1);
  });
});

describe("syntax", () => {
  test("an error has line, column and the line with a caret", async () => {
    const problem = await problemOf("{\n  models: {\n    retries: 3\n    stream: true,\n  },\n}");
    assert.equal(problem.message, "config.json:4:5: not valid JSON5, invalid character 's'");
    assert.deepEqual(problem.location, { line: 4, column: 5, excerpt: "    stream: true,\n    ^" });
    assert.match(problem.hint, /missing comma/);
  });

  test("a string that was not closed is shown on its own line", async () => {
    const problem = await problemOf('{\n  roots: ["/srv],\n}');
    assert.equal(problem.location?.line, 2);
    assert.equal(problem.location?.excerpt.split("\n")[1]?.indexOf("^"), 17);
  });

  test("an empty file ends too early", async () => {
    assert.equal((await problemOf("")).message, "config.json:1:1: not valid JSON5, invalid end of input");
  });

  test("the shown line never has a token in it", async () => {
    for (const line of [
      '{ botToken: "xoxb-very-secret" appToken: "xapp-very-secret" }',
      '{ botToken: "xoxb-very-secret, dm: "none" }',
      "{ botToken: xoxb-very-secret, dm: 'none' }",
      "{ 'botToken': 'it\\'s very-secret' 1 }",
    ]) {
      const { location, message } = await problemOf(line);
      assert.doesNotMatch(`${location?.excerpt}${message}`, /very|secret,|xoxb/);
      assert.match(location?.excerpt ?? "", /botToken/);
    }
  });

  test("a very long line is cut around the place", async () => {
    const { location } = await problemOf(`{ roots: [${"1, ".repeat(500)} x ] }`);
    const [shown = "", caret = ""] = location?.excerpt.split("\n") ?? [];
    assert.equal(shown.length, 100);
    assert.equal(caret.length - 1, shown.indexOf("*"));
  });

  test("endless nesting is refused, not followed", async () => {
    const problem = await problemOf(`{ roots: ${"[".repeat(5000)}${"]".repeat(5000)} }`);
    assert.equal(problem.message, "config.json: found more than 64 levels of nesting, expected at most 64");
  });
});

describe("wrong values", () => {
  const cases: [what: string, text: string, message: string, hint: RegExp][] = [
    ["type", '{ models: { retries: "3" } }', 'models.retries: found "3", expected a number', /without quotes/],
    ["fraction", "{ models: { retries: 1.5 } }", "models.retries: found 1.5, expected a whole number", /config set/],
    [
      "boolean",
      "{ models: { stream: 'yes' } }",
      'models.stream: found "yes", expected true or false',
      /without quotes/,
    ],
    ["text", "{ models: { default: 5 } }", "models.default: found 5, expected a string", /in quotes/],
    ["list", '{ roots: "/srv" }', 'roots: found "/srv", expected a list', /brackets/],
    [
      "range",
      "{ models: { retries: 11 } }",
      "models.retries: found 11, expected a number of at most 10",
      /config set models\.retries/,
    ],
    [
      "format",
      '{ models: { providers: { lab: { baseUrl: "nope" } } } }',
      'models.providers.lab.baseUrl: found "nope", expected a URL such as https://example.com',
      /config set models\.providers\.lab\.baseUrl/,
    ],
    ["object", "{ models: [] }", "models: found a list, expected an object", /config set models/],
    ["null", "{ models: null }", "models: found null, expected an object", /config set models/],
    ["whole file", "[]", "config.json: found a list, expected an object", /config\.json/],
    [
      "unknown adapter type",
      '{ adapters: { team: { type: "slak" } } }',
      'adapters.team.type: found "slak", expected one of "cli", "slack"',
      /Did you mean "slack"\?/,
    ],
    [
      "adapter without type",
      "{ adapters: { team: {} } }",
      'adapters.team.type: missing, expected one of "cli", "slack"',
      /config set adapters\.team\.type/,
    ],
    [
      "name",
      '{ adapters: { "My Team": { type: "cli" } } }',
      'adapters."My Team": found the name "My Team", expected a name that is a string that matches /^[a-z][a-z0-9.-]*$/',
      /another name/,
    ],
    [
      "union",
      '{ adapters: { "a.b": { type: "slack", botToken: "x", dm: "evryone" } } }',
      'adapters."a.b".dm: found "evryone", expected one of "everyone", "none", or a list',
      /Did you mean "everyone"\?/,
    ],
    [
      "inside the union's list",
      '{ adapters: { a: { type: "slack", botToken: "x", dm: [7] } } }',
      "adapters.a.dm.0: found 7, expected a string",
      /in quotes/,
    ],
    [
      "own words of a schema",
      '{ roots: ["srv"] }',
      'roots.0: found "srv": must be an absolute path',
      /config set roots\.0/,
    ],
  ];
  for (const [what, text, message, hint] of cases) {
    test(what, async () => {
      const problem = await problemOf(text);
      assert.equal(problem.message, message);
      assert.match(problem.hint, hint);
      assert.equal(problem.message.includes("\n"), false);
    });
  }

  test("all problems come at once", async () => {
    const problems = await problemsOf("{ models: { retries: -1, stream: 0 }, roots: 1 }");
    assert.deepEqual(
      problems.map(({ path }) => path),
      ["models.retries", "models.stream", "roots"],
    );
  });

  test("text from the file cannot write into the terminal", async () => {
    const [problem] = await problemsOf(
      '{ models: { stream: "\\u001b[2J\\u009b1A\\n" }, adapters: { "\\u001b]0;x": {} } }',
    );
    const shown = (await problemsOf('{ adapters: { "\\u001b]0;x": {} } }')).map(({ message }) => message).join();
    assert.doesNotMatch(`${problem?.message}${shown}`, /[\u0000-\u001f\u007f-\u009f]/);
  });
});

describe("unknown keys", () => {
  test("are warnings with the nearest key, and dropped", async () => {
    const { config, warnings } = await parseOk("{ model: {}, models: { retries: 1 } }");
    assert.deepEqual(warnings, [
      { path: "model", message: "model: unknown key, ignored", hint: 'Did you mean "models"?' },
    ]);
    assert.equal("model" in config, false);
  });

  test("are found at every depth: records, lists, unions by type, strict objects", async () => {
    const { warnings, config } = await parseOk(`{
      adapters: {
        here: { type: "cli", promt: "$ " },
        "a.b": { type: "slack", botToken: "x", prompt: "only cli has this" },
      },
      models: { providers: { lab: { basUrl: "x", models: [{ id: "m", contxt: 1 }] } } },
    }`);
    assert.deepEqual(
      warnings.map(({ path, hint }) => [path, hint]),
      [
        ["adapters.here.promt", 'Did you mean "prompt"?'],
        ['adapters."a.b".prompt', 'Known here: "type", "botToken", "dm".'],
        ["models.providers.lab.basUrl", 'Did you mean "baseUrl"?'],
        ["models.providers.lab.models.0.contxt", 'Known here: "id".'],
      ],
    );
    assert.deepEqual(config.adapters["here"], { type: "cli", prompt: "> " });
  });

  test("cannot refuse the config, whatever they hold", async () => {
    const { warnings, secrets } = await parseOk('{ later: { key: "${NOT_SET}", file: { $file: "gone" } } }');
    assert.deepEqual(
      warnings.map(({ path }) => path),
      ["later"],
    );
    assert.deepEqual(secrets, []);
  });

  test("a key called __proto__ is one of them", async () => {
    const { config, warnings } = await parseOk('{ "__proto__": { roots: ["/x"] } }');
    assert.deepEqual(config.roots, []);
    assert.deepEqual(
      warnings.map(({ path }) => path),
      ["__proto__"],
    );
  });
});

describe("references", () => {
  test("variables stand for a string or a part of one, files for a string", async () => {
    const { config, secrets } = await parseOk(`{
      adapters: { a: { type: "slack", botToken: { $file: "secrets/token" } } },
      models: { providers: { lab: { baseUrl: "https://\${HOST}/v1", apiKey: "\${LAB_KEY}" } } },
    }`);
    const slack = config.adapters["a"];
    assert.ok(slack?.type === "slack");
    assert.equal(slack.botToken, "token-from-file");
    assert.equal(config.models.providers["lab"]?.baseUrl, "https://example.com/v1");
    assert.equal(config.models.providers["lab"]?.apiKey, "key-from-env");
    assert.deepEqual(secrets.toSorted(), ["example.com", "key-from-env", "token-from-file"]);
  });

  test("values marked secret are secrets without a reference, also in records", async () => {
    const { secrets } = await parseOk(`{
      adapters: { a: { type: "slack", botToken: "written-here" } },
      models: { providers: { lab: { headers: { "x-key": "header-key" } } } },
    }`);
    assert.deepEqual(secrets.toSorted(), ["header-key", "written-here"]);
  });

  test("only one trailing newline of a file goes", async () => {
    assert.equal((await parseOk('{ models: { default: { $file: "two" } } }')).config.models.default, "a\n");
  });

  test("a doubled dollar is plain text", async () => {
    assert.equal((await parseOk('{ models: { default: "$${LAB_KEY} $5" } }')).config.models.default, "${LAB_KEY} $5");
  });

  test("what a variable holds is not read again", async () => {
    const result = await parseConfig('{ models: { default: "${A}" } }', {
      schema,
      env: { A: "${B}" },
      readFile: async () => "",
    });
    assert.equal(result.type === "ok" && result.config.models.default, "${B}");
  });

  test("a missing variable names itself and the key", async () => {
    const problem = await problemOf('{ models: { providers: { lab: { apiKey: "${NO_KEY}", baseUrl: "http://a" } } } }');
    assert.equal(problem.path, "models.providers.lab.apiKey");
    assert.equal(problem.message, "models.providers.lab.apiKey: the environment variable NO_KEY is not set");
    assert.match(problem.hint, /^Set NO_KEY where mom is started/);
  });

  test("an empty variable is as good as none", async () => {
    assert.match((await problemOf('{ models: { default: "${EMPTY}" } }')).message, /EMPTY is empty$/);
  });

  test("a name that no variable can have is not passed on silently", async () => {
    const problem = await problemOf('{ models: { default: "${LAB-KEY}" } }');
    assert.match(problem.message, /"\$\{LAB-KEY\}" is not the name of an environment variable/);
    assert.match(problem.hint, /\$\$\{LAB-KEY\}/);
  });

  test("a missing file names itself and the key", async () => {
    const problem = await problemOf('{ adapters: { a: { type: "slack", botToken: { $file: "no/such" } } } }');
    assert.equal(
      problem.message,
      'adapters.a.botToken: the file "no/such" cannot be read (ENOENT: no such file no/such)',
    );
    assert.match(problem.hint, /Create the file or correct the path/);
  });

  test("a file reference has nothing beside it", async () => {
    assert.match((await problemOf('{ models: { default: { $file: "two", x: 1 } } }')).message, /of another shape/);
    assert.match((await problemOf("{ models: { default: { $file: 3 } } }")).message, /of another shape/);
  });

  test("a broken reference does not hide other problems", async () => {
    const problems = await problemsOf(
      '{ models: { default: "${NO}", retries: "x" }, adapters: { a: { type: "${NO}" } } }',
    );
    assert.deepEqual(problems.map(({ path }) => path).toSorted(), [
      "adapters.a.type",
      "models.default",
      "models.retries",
    ]);
  });

  test("no message shows a secret", async () => {
    const [port] = await problemsOf('{ models: { retries: "${PORT}" } }');
    assert.equal(port?.message, "models.retries: found hidden text from ${PORT}, expected a number");
    assert.match(port?.hint ?? "", /reference always gives text/);
    const [token] = await problemsOf("{ adapters: { a: { type: 'slack', botToken: 12345678 } } }");
    assert.equal(token?.message, "adapters.a.botToken: found hidden number, expected a string");
    const own = z.object({ key: secret().refine(() => false, { error: ({ input }) => `"${input}" is wrong` }) });
    const result = await parseConfig('{ key: "abc-secret" }', { schema: own, env, readFile: async () => "" });
    assert.equal(result.type === "invalid" && result.problems[0]?.message, 'key: found hidden string: "***" is wrong');
  });
});
