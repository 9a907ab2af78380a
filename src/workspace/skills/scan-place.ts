/** One place as the library keeps it: its skills parsed, checked and scanned, its problems, and what it depends on. */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { SkillDiagnostic } from "../../contracts/workspace.ts";
import { parseSkill, type SkillFacts } from "./parse-skill.ts";
import type { SkillPlace } from "./places.ts";
import { readSkill } from "./read-skill.ts";
import { scanText } from "./scan-text.ts";
import { type FoundFile, walkPlace } from "./walk-place.ts";
import type { WatchedPaths } from "./watched-paths.ts";

export interface KnownSkill {
  facts: SkillFacts;
  /** As it was reached; what the index names. */
  path: string;
  realPath: string;
  /** What the scan found; empty for mom's own. */
  warnings: string[];
  /** SHA-256 of its text. */
  hash: string;
}

interface KnownFile {
  skill?: KnownSkill;
  diagnostics: SkillDiagnostic[];
  stamp: string;
}

export interface ScannedPlace {
  skills: KnownSkill[];
  diagnostics: SkillDiagnostic[];
  watched: WatchedPaths;
  /** By path as reached. */
  files: ReadonlyMap<string, KnownFile>;
}

const maxDiagnostics = 100;

/** `before`: what is known of files whose stamp has not changed is taken from it. Never throws. */
export async function scanPlace(
  place: SkillPlace,
  workspaceDir: string,
  before?: ReadonlyMap<string, KnownFile>,
): Promise<ScannedPlace> {
  const walk = await walkPlace(place, workspaceDir);
  const files = new Map<string, KnownFile>();
  for (const file of walk.files) {
    const stamp = walk.watched.get(file.path) ?? "";
    const known = before?.get(file.path);
    const isKnown = known !== undefined && known.stamp === stamp;
    files.set(file.path, isKnown ? known : { ...(await loadFile(file, place, workspaceDir)), stamp });
  }
  const all = [...files.values()];
  return {
    skills: all.flatMap(({ skill }) => (skill ? [skill] : [])),
    diagnostics: boundDiagnostics(place, [...walk.diagnostics, ...all.flatMap(({ diagnostics }) => diagnostics)]),
    watched: walk.watched,
    files,
  };
}

function boundDiagnostics({ folder }: SkillPlace, diagnostics: SkillDiagnostic[]): SkillDiagnostic[] {
  const over = diagnostics.length - maxDiagnostics;
  if (over <= 0) return diagnostics;
  const message = `has ${over} more problems that are not listed`;
  return [...diagnostics.slice(0, maxDiagnostics), { path: folder, level: "warning", message }];
}

/** Files of a root folder that people expect in any repository. */
const companions = /^(?:readme|licen[cs]e|notice|changelog|contributing|security|code_of_conduct|agents|claude)\.md$/i;

async function loadFile(file: FoundFile, place: SkillPlace, workspaceDir: string): Promise<Omit<KnownFile, "stamp">> {
  const { path, realPath } = file;
  const read = await readSkill(realPath, workspaceDir);
  if (read.type === "absent") return { diagnostics: [] };
  if (read.type === "unusable") return { diagnostics: [{ path, level: "error", message: read.reason }] };
  const { facts, problems, hasFrontmatter } = parseSkill(read.text, file.names);
  if (!hasFrontmatter && companions.test(basename(path))) return { diagnostics: [] };
  const diagnostics = problems.map((problem) => ({ path, ...problem }));
  if (!facts) return { diagnostics };
  const warnings = place.source === "bundled" ? [] : scanText(read.text);
  const hash = createHash("sha256").update(read.text).digest("hex");
  return { skill: { facts, path, realPath, warnings, hash }, diagnostics };
}
