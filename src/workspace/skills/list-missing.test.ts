/** Requirements against a machine that the test describes, and programs against real folders. */
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createProgramFinder } from "./find-programs.ts";
import { listMissing, type Machine } from "./list-missing.ts";
import type { SkillMetadata } from "./parse-metadata.ts";

const nothing: SkillMetadata = { isAlways: false, os: [], bins: [], anyBins: [], env: [], config: [], install: [] };
const machine: Machine = {
  platform: "linux",
  hasProgram: (name) => name === "git",
  hasVariable: (name) => name === "HOME",
  hasSetting: (path) => path === "models.default",
};

describe("what is missing", () => {
  const brew = { words: "brew install gs", bins: ["gs"], os: [] };
  const cases: [what: string, needs: Partial<SkillMetadata>, missing: { what: string; install?: string }[]][] = [
    ["nothing asked", {}, []],
    ["a program that is there", { bins: ["git"] }, []],
    ["one that is not", { bins: ["git", "gs"] }, [{ what: "program gs" }]],
    ["with a way to get it", { bins: ["gs"], install: [brew] }, [{ what: "program gs", install: "brew install gs" }]],
    [
      "with several ways, those for other systems and programs left out",
      {
        bins: ["gs"],
        install: [
          brew,
          { words: "uv tool install x", bins: [], os: ["linux"] },
          { words: "brew install y", bins: [], os: ["darwin"] },
          { words: "go install z", bins: ["z"], os: [] },
        ],
      },
      [{ what: "program gs", install: "brew install gs, or uv tool install x" }],
    ],
    ["one of several is enough", { anyBins: ["gs", "git"] }, []],
    ["none of several", { anyBins: ["gs", "mutool"] }, [{ what: "one of the programs gs, mutool" }]],
    ["a choice of one", { anyBins: ["gs"], install: [brew] }, [{ what: "program gs", install: "brew install gs" }]],
    ["a variable that is set", { env: ["HOME"] }, []],
    [
      "a variable that is not",
      { env: ["X_KEY"], homepage: "https://x.example" },
      [{ what: "environment variable X_KEY", install: "set X_KEY where mom is started (see https://x.example)" }],
    ],
    ["a setting that is there", { config: ["models.default"] }, []],
    ["one that is not", { config: ["a.b"] }, [{ what: "setting a.b", install: "mom config set a.b <value>" }]],
    ["this system", { os: ["darwin", "linux"] }, []],
    ["another system", { os: ["darwin"] }, [{ what: "macOS" }]],
    ["several other systems", { os: ["darwin", "win32", "aix"] }, [{ what: "macOS or Windows or aix" }]],
    ["always", { isAlways: true, os: ["darwin"], bins: ["gs"], env: ["X"], config: ["a"] }, []],
    [
      "everything at once",
      { os: ["win32"], bins: ["gs"], env: ["X"] },
      [
        { what: "Windows" },
        { what: "program gs" },
        { what: "environment variable X", install: "set X where mom is started" },
      ],
    ],
  ];
  for (const [what, needs, missing] of cases) {
    test(what, () => assert.deepEqual(listMissing({ ...nothing, ...needs }, machine), missing));
  }
});

test("a program is a file that may be run, in an absolute folder of PATH; a new one is noticed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mom-path-"));
  try {
    await writeFile(join(folder, "tool"), "", { mode: 0o755 });
    await writeFile(join(folder, "text"), "", { mode: 0o644 });
    await mkdir(join(folder, "folder"));
    const path = ["", ".", "relative", "/nowhere/at/all", folder, folder].join(delimiter);
    const clock = createFakeClock();
    const finder = createProgramFinder({ path, platform: "linux", clock });
    const find = async () => [...(await finder.find(["tool", "text", "folder", "absent"]))];
    assert.deepEqual(await find(), ["tool"]);
    await writeFile(join(folder, "absent"), "");
    await chmod(join(folder, "absent"), 0o755);
    // Long ago, so that what follows has another time also where the disk's clock ticks slowly.
    await utimes(folder, 1, 1);
    for (let look = 0; look < 2; look++) {
      await clock.advance(100);
      assert.deepEqual(await find(), ["tool", "absent"]);
    }
    await rm(join(folder, "tool"));
    await clock.advance(999);
    assert.deepEqual(await find(), ["tool", "absent"], "it kept still and was looked at less than a second ago");
    await clock.advance(1);
    const both = await Promise.all([find(), find()]);
    assert.deepEqual(both, [["absent"], ["absent"]]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
