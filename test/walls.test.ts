/** The walls that dependency-cruiser cannot see: who may ask the system for time, environment and the end of the process. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

interface Wall {
  name: string;
  /** Matched line by line, comments removed. */
  forbidden: RegExp;
  /** Where it may stand. */
  except: RegExp;
  /** Lines that must be caught, and lines that must not be: the wall's own test. */
  caught: string[];
  passed: string[];
}

const walls: Wall[] = [
  {
    name: "the environment and the end of the process belong to config/ and cli/",
    forbidden:
      /\bprocess\s*(?:\??\.\s*(?:env|exit|exitCode)\b|\[\s*["'](?:env|exit))|import\s.*\b(?:env|exit)\b.*from "node:process"/,
    except: /^src\/(?:config|cli)\//,
    caught: [
      "const x = process.env.HOME;",
      "process.exit(1)",
      "process.exitCode = 1",
      'process["env"]',
      'import { env } from "node:process";',
    ],
    passed: ["process.environment", "child.process.pid", "io.env", "io.exit(1)", "process.execPath"],
  },
  {
    name: "the time is asked of the clock",
    forbidden:
      /\bDate\.now\b|\bnew Date\(\s*\)|\bnew Date\b(?!\s*\()|(?<![\w.])Date\(\s*\)|\bperformance\.now\b|\bprocess\.hrtime\b/,
    except: /^src\/(?:base\/clock|gateway\/client\/system-clock)\.ts$/,
    caught: [
      "Date.now()",
      "new Date()",
      "new Date( ).getTime()",
      "const now = Date.now;",
      "performance.now()",
      "process.hrtime.bigint()",
    ],
    passed: ["new Date(clock.now())", "clock.now()", "value instanceof Date", "Date.UTC(2026, 0)", "Date.parse(text)"],
  },
  {
    name: "waiting goes through the clock (the stall monitor measures the loop itself)",
    forbidden: /(?<![\w.])set(?:Timeout|Interval)\b|\bglobalThis\.set(?:Timeout|Interval)\b|"node:timers/,
    except: /^src\/(?:base\/clock|observability\/stall-monitor|gateway\/client\/system-clock)\.ts$/,
    caught: [
      "setTimeout(run, 5);",
      "const id = setInterval(run, 5)",
      'import { setTimeout } from "node:timers/promises";',
    ],
    passed: ["socket.setTimeout(5)", "clearTimeout(id)", "resetTimeouts()"],
  },
  {
    name: "modules hold no state",
    forbidden: /^(?:export )?(?:let|var)\s/,
    except: /^$/,
    caught: ["let count = 0;", "export let current: string;", "var x"],
    passed: ["  let count = 0;", "letter();", "const limit = 5;"],
  },
  {
    name: "there is one gate: a tool is executed there, and a custom one by the tool that stands for it",
    forbidden:
      /\.execute\b\s*(?:\?\.)?\s*\(|\.execute\s*\??\.\s*(?:call|apply|bind)\b|\[\s*["'`]execute["'`]\s*\]\s*(?:\?\.)?\s*\(|\{[^{}]*\bexecute\b[^{}]*\}\s*=[^=>]/,
    except: /^src\/tools\/(?:tool-set|host\/invoke-tool)\.ts$/,
    caught: [
      "await tool.execute(id, params, signal, update)",
      "tool.execute?.(id)",
      "tool.execute.call(tool, id)",
      'tool["execute"](id)',
      "const { name, execute } = tool;",
    ],
    passed: [
      "async execute(id, params) {",
      "execute(toolCallId: string): Promise<void>;",
      "set.run(call)",
      "executes(x)",
    ],
  },
];

const root = join(import.meta.dirname, "..");
const sources = globSync("src/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));

function listViolations({ forbidden, except }: Wall): string[] {
  return sources
    .filter((file) => !except.test(file))
    .flatMap((file) => {
      const lines = stripComments(readFileSync(join(root, file), "utf8")).split("\n");
      return lines.flatMap((line, at) => (forbidden.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : []));
    });
}

/** Comments may name what code may not; line numbers stay. */
function stripComments(text: string): string {
  const blank = (comment: string) => comment.replace(/[^\n]/g, "");
  return text.replace(/^\s*\/\*[\s\S]*?\*\//gm, blank).replace(/(?<=^|\s)\/\/ .*$/gm, "");
}

for (const wall of walls) {
  describe(wall.name, () => {
    test("the source keeps it", () => {
      assert.ok(sources.length > 10);
      assert.deepEqual(listViolations(wall), []);
    });
    test("a breach would be seen", () => {
      for (const line of wall.caught) assert.match(line, wall.forbidden);
      for (const line of wall.passed) assert.doesNotMatch(line, wall.forbidden);
    });
  });
}

test("the gate is where it is looked for", () => {
  const gate = stripComments(readFileSync(join(root, "src/tools/tool-set.ts"), "utf8"));
  assert.equal(gate.match(/\.execute\(/g)?.length, 1);
});
