/** Which programs this machine has, by looking into the folders of PATH. Starts none of them. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { Clock } from "../../contracts/clock.ts";
import { buildSighting, checkSighting, type Sighting, stampOf } from "./watched-paths.ts";

export interface ProgramFinder {
  /** Those of the names that are there. Looks again for what it knows when the folders have changed. Never rejects. */
  find(names: Iterable<string>): Promise<ReadonlySet<string>>;
}

export interface ProgramFinderDeps {
  /** The value of PATH. */
  path: string;
  platform: NodeJS.Platform;
  clock: Clock;
}

/** Relative folders of PATH are left out: what they mean depends on where one stands. */
export function createProgramFinder({ path, platform, clock }: ProgramFinderDeps): ProgramFinder {
  const folders = [...new Set(path.split(delimiter).filter((folder) => isAbsolute(folder)))];
  const endings = platform === "win32" ? [".exe", ".cmd", ".bat", ".com"] : [""];
  let known = new Map<string, boolean>();
  let sighting: Sighting | undefined;

  const refresh = async () => {
    const nowMs = clock.monotonic();
    const state = await checkSighting(sighting, nowMs);
    if (state === "fresh") return;
    if (sighting && state === "same") {
      sighting = { ...sighting, lookedAtMs: nowMs };
      return;
    }
    const stamps = await Promise.all(folders.map(async (folder) => [folder, await stampOf(folder)] as const));
    known = new Map();
    sighting = buildSighting(sighting, new Map(stamps), nowMs);
  };
  const isThere = async (name: string): Promise<boolean> => {
    for (const folder of folders) {
      for (const ending of endings) if (await isProgram(join(folder, name + ending))) return true;
    }
    return false;
  };
  return {
    async find(names) {
      const wanted = new Set(names);
      if (wanted.size === 0) return wanted;
      await refresh();
      // Another call may begin anew meanwhile; this one's answers stay together.
      const answers = known;
      for (const name of wanted) {
        if (!answers.has(name)) answers.set(name, await isThere(name));
      }
      return new Set([...wanted].filter((name) => answers.get(name)));
    },
  };
}

async function isProgram(path: string): Promise<boolean> {
  try {
    if (!(await stat(path)).isFile()) return false;
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
