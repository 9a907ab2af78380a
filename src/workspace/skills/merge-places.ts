/** The skills of all places → one per name, the first place wins; what loses is said. Pure. */
import type { Skill, SkillDiagnostic, SkillSet } from "../../contracts/workspace.ts";
import { listMissing, type Machine } from "./list-missing.ts";
import type { SkillPlace } from "./places.ts";
import type { KnownSkill, ScannedPlace } from "./scan-place.ts";

export interface PlaceResult {
  place: SkillPlace;
  scanned: ScannedPlace;
}

/** `deny`: names or skillKeys that are left out without a word. */
export function mergePlaces(results: readonly PlaceResult[], deny: readonly string[], machine: Machine): SkillSet {
  const byName = new Map<string, Skill>();
  const files = new Set<string>();
  const diagnostics: SkillDiagnostic[] = [];
  for (const { place, scanned } of results) {
    diagnostics.push(...scanned.diagnostics);
    for (const known of scanned.skills) {
      if (files.has(known.realPath) || isDenied(known, deny)) continue;
      files.add(known.realPath);
      const winner = byName.get(known.facts.name);
      if (winner) diagnostics.push(describeCollision(known, winner));
      else byName.set(known.facts.name, toSkill(known, place, machine));
    }
  }
  const skills = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { skills, diagnostics };
}

function isDenied({ facts: { name, metadata } }: KnownSkill, deny: readonly string[]): boolean {
  return deny.includes(name) || (metadata.skillKey !== undefined && deny.includes(metadata.skillKey));
}

function describeCollision({ path, facts }: KnownSkill, winner: Skill): SkillDiagnostic {
  return {
    path,
    level: "warning",
    message: `is not used: ${winner.path} has the name "${facts.name}" too and comes first`,
  };
}

function toSkill({ facts, path, warnings }: KnownSkill, { source }: SkillPlace, machine: Machine): Skill {
  const { metadata, ...own } = facts;
  const { emoji, homepage, skillKey, primaryEnv } = metadata;
  return {
    ...own,
    path,
    source,
    ...(emoji !== undefined && { emoji }),
    ...(homepage !== undefined && { homepage }),
    ...(skillKey !== undefined && { skillKey }),
    ...(primaryEnv !== undefined && { primaryEnv }),
    missing: listMissing(metadata, machine),
    warnings,
  };
}
