/** The skills of a data directory, for commands that look at them beside a mom that may be running. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { MomConfig } from "../../app/index.ts";
import { createSystemClock } from "../../base/clock.ts";
import { StoreError } from "../../base/errors.ts";
import { pickNearest } from "../../base/nearest.ts";
import { valueAt } from "../../config/index.ts";
import type { Skill, SkillSet } from "../../contracts/workspace.ts";
import { buildLayout } from "../../store/index.ts";
import { createSkillLibrary, findBundledSkills } from "../../workspace/index.ts";
import { createSilentLog } from "../cli-log.ts";
import { findDataDir } from "../data-dir.ts";
import type { CliIo } from "../io.ts";
import { loadValidConfig } from "../load-valid-config.ts";

/** Throws what `findDataDir` and `loadValidConfig` throw. */
export async function loadSkills(io: CliIo, data: string | undefined): Promise<SkillSet> {
  const dataDir = await findDataDir(io, data);
  const { config } = await loadValidConfig(io, dataDir, { create: false });
  return listSkills(io, dataDir, config);
}

/** What the main agent would be offered. */
export async function listSkills(io: Pick<CliIo, "env">, dataDir: string, config: MomConfig): Promise<SkillSet> {
  const clock = createSystemClock();
  const library = createSkillLibrary({
    workspaceDir: resolve(dataDir, config.agents["main"]?.workspace ?? buildLayout(dataDir).workspaceDir),
    dataDir,
    homeDir: io.env["HOME"] ?? homedir(),
    bundledDir: findBundledSkills(),
    config: () => config.skills,
    path: io.env["PATH"] ?? "",
    platform: process.platform,
    env: io.env,
    hasSetting: (path) => isSet(valueAt(config, path.split("."))),
    // Telling of new ones is the running mom's.
    seen: { has: async () => true, add: async () => undefined },
    clock,
    log: createSilentLog(clock),
  });
  return library.list();
}

const isSet = (value: unknown) => value !== undefined && value !== null && value !== false && value !== "";

/** Throws `SKILL_UNKNOWN`. */
export function findSkill(skills: readonly Skill[], name: string): Skill {
  const found = skills.find((skill) => skill.name === name);
  if (found) return found;
  const near = pickNearest(
    name,
    skills.map((skill) => skill.name),
  );
  throw new StoreError("SKILL_UNKNOWN", `There is no skill "${name}".`, {
    hint:
      near === undefined
        ? "`mom skills list --all` shows the ones there are, `mom skills check` what is wrong with others."
        : `Did you mean ${near}?`,
  });
}
