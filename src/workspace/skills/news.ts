/** Tells the operator once about every third-party skill that has not been seen before, and what the scan found in it. */
import { errorText } from "../../base/errors.ts";
import type { Log } from "../../contracts/log.ts";
import type { SkillPlace } from "./places.ts";
import type { KnownSkill } from "./scan-place.ts";

/** Which contents have been told of, by hash; outlives the process. */
export interface SeenSkills {
  has(hash: string): Promise<boolean>;
  add(hash: string): Promise<void>;
}

export interface NewsDeps {
  seen: SeenSkills;
  log: Log;
}

export interface News {
  /** Never rejects: when the memory fails, it may be told again. */
  announce(place: SkillPlace, skills: readonly KnownSkill[]): Promise<void>;
}

const maxRemembered = 10_000;

export function createNews({ seen, log }: NewsDeps): News {
  // Spares the store the question at every reading.
  const told = new Set<string>();

  const isNew = async (hash: string): Promise<boolean> => {
    if (told.has(hash)) return false;
    if (told.size >= maxRemembered) told.clear();
    told.add(hash);
    if (await seen.has(hash)) return false;
    await seen.add(hash);
    return true;
  };
  return {
    async announce({ source }, skills) {
      if (source === "bundled") return;
      for (const { hash, facts, path, warnings } of skills) {
        try {
          if (!(await isNew(hash))) continue;
        } catch (error) {
          log.debug("It could not be looked up whether a skill is new.", {
            skill: facts.name,
            reason: errorText(error),
          });
        }
        const fields = { skill: facts.name, source, path };
        if (warnings.length === 0) log.info("A new skill was found.", fields);
        else
          log.warn("A new skill has content that has been used to harm; read it before it is used.", {
            ...fields,
            warnings,
          });
      }
    },
  };
}
