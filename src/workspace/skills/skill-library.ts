/**
 * The skills that a conversation can use. Asked before every turn: looks whether a file or folder has changed (what keeps
 * still, once a second at most), reads only then, and gives one skill per name. Holds nothing up while it looks. Bodies
 * are read when somebody wants them. The workspace room hands it on to prompt, commands and the command line.
 */
import { basename, dirname } from "node:path";
import { AgentError } from "../../base/errors.ts";
import type { Skill, SkillDiagnostic, SkillSet } from "../../contracts/workspace.ts";
import { isInside } from "../read-file.ts";
import { loadScanner } from "./catalog.ts";
import type { SkillsConfig } from "./config.ts";
import { createExtraFolders } from "./extra-folders.ts";
import { createProgramFinder } from "./find-programs.ts";
import { mergePlaces, type PlaceResult } from "./merge-places.ts";
import { buildPlaces, type SkillFolders } from "./places.ts";
import type { SkillFailure } from "./read-skill.ts";
import type { KnownSkill } from "./scan-place.ts";
import { createShelf, type ShelfDeps } from "./shelf.ts";

export interface SkillLibraryDeps extends SkillFolders, ShelfDeps {
  /** Asked at every list(), so that an edited config counts at once. */
  config(): SkillsConfig;
  /** The value of PATH that programs of skills are looked up in. */
  path: string;
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  /** Is there something at this dotted path of mom's config? */
  hasSetting(path: string): boolean;
}

export interface SkillLibrary {
  /**
   * `channelFolder`: relative to the workspace; its skills come first. What is changed on the disk shows a second later at
   * the latest. Never rejects for what the files contain.
   */
  list(channelFolder?: string): Promise<SkillSet>;
  /** Without frontmatter. Rejects with `SKILL_UNREADABLE` when the file is gone or no skill any more. */
  readBody(skill: Skill): Promise<string>;
  /**
   * Folders outside the workspace that the read tool must be able to read, existing or not. Extra folders that are new in
   * the config, and skills that are linked in from elsewhere, are known after the next list(), so ask again then.
   */
  roots(): string[];
  /** Resolves when nothing is being read any more. */
  close(): Promise<void>;
}

export function createSkillLibrary(deps: SkillLibraryDeps): SkillLibrary {
  const { workspaceDir, channelRoot = workspaceDir } = deps;
  const shelf = createShelf(deps);
  const programs = createProgramFinder(deps);
  const extra = createExtraFolders(deps);
  // Already now, so that roots() knows them before anybody has listed skills.
  const firstCheck = extra.check();
  const machine = {
    platform: deps.platform,
    hasVariable: (name: string) => Boolean(deps.env[name]),
    hasSetting: (path: string) => deps.hasSetting(path),
  };
  return {
    async list(channelFolder) {
      const config = deps.config();
      const { usable, tooWide } = await extra.check();
      const places = buildPlaces(deps, config, usable, channelFolder);
      const results = await Promise.all(places.map(async (place) => ({ place, scanned: await shelf.refresh(place) })));
      const found = await programs.find(listPrograms(results));
      const merged = mergePlaces(results, config.deny, { ...machine, hasProgram: (name) => found.has(name) });
      return { skills: merged.skills, diagnostics: [...tooWide.map(describeTooWide), ...merged.diagnostics] };
    },
    async readBody({ name, path }) {
      const { readSkillAt, parseFrontmatter } = await loadScanner();
      const read = await readSkillAt(path, isInside(path, workspaceDir) ? workspaceDir : channelRoot);
      const parsed = read.type === "text" ? parseFrontmatter(read.text) : undefined;
      if (parsed?.type === "ok") return parsed.body;
      throw buildUnreadable(name, path, read.type === "text" ? "is no skill any more" : describeFailure(read));
    },
    roots() {
      const all = buildPlaces(deps, deps.config(), extra.known());
      const places = all.filter(({ source }) => source !== "workspace");
      const folders = places.map(({ folder }) => folder);
      const linked = places.flatMap((place) => shelf.knownAt(place)).map(toReadRoot);
      const isNew = (path: string) => ![...folders, workspaceDir, channelRoot].some((folder) => isInside(path, folder));
      return [...folders, ...new Set(linked.filter(isNew))];
    },
    async close() {
      await firstCheck;
      await shelf.idle();
    },
  };
}

/** All that a skill may ask for. */
function listPrograms(results: readonly PlaceResult[]): string[] {
  const skills = results.flatMap(({ scanned }) => scanned.skills);
  return skills.flatMap(({ facts: { metadata } }) => [...metadata.bins, ...metadata.anyBins]);
}

const describeTooWide = (path: string): SkillDiagnostic => ({
  path,
  level: "error",
  message:
    "skills.extraFolders names a folder that holds the data directory or the home folder; what it names can be " +
    "read by the model. Name the folder of the skills alone.",
});

/** The folder of a skill; of a file in a root folder only the file, whose neighbours may be anything. */
function toReadRoot({ realPath }: KnownSkill): string {
  return basename(realPath) === "SKILL.md" ? dirname(realPath) : realPath;
}

function describeFailure(read: SkillFailure): string {
  return read.type === "absent" ? "is not there any more" : read.reason;
}

function buildUnreadable(name: string, path: string, reason: string): AgentError {
  return new AgentError("SKILL_UNREADABLE", `The skill "${name}" cannot be used: ${path} ${reason}.`, {
    hint: "`mom skills check` says what is wrong with the skills there are.",
  });
}
