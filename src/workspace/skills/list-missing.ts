/** What a skill needs and this machine lacks, with the way to get it. Looks only; installs nothing. */
import type { SkillNeed } from "../../contracts/workspace.ts";
import type { SkillMetadata } from "./parse-metadata.ts";

export interface Machine {
  platform: NodeJS.Platform;
  hasProgram(name: string): boolean;
  /** Set and not empty? The value is nobody's business here. */
  hasVariable(name: string): boolean;
  /** Is there something at this path of mom's config? */
  hasSetting(path: string): boolean;
}

const systems: Readonly<Record<string, string>> = { darwin: "macOS", linux: "Linux", win32: "Windows" };

export function listMissing(metadata: SkillMetadata, machine: Machine): SkillNeed[] {
  if (metadata.isAlways) return [];
  return [
    ...listMissingSystem(metadata, machine),
    ...metadata.bins
      .filter((name) => !machine.hasProgram(name))
      .map((name) => withInstall(`program ${name}`, findInstalls(metadata, machine, [name]))),
    ...listMissingChoice(metadata, machine),
    ...metadata.env.filter((name) => !machine.hasVariable(name)).map((name) => describeVariable(name, metadata)),
    ...metadata.config
      .filter((path) => !machine.hasSetting(path))
      .map((path) => withInstall(`setting ${path}`, `mom config set ${path} <value>`)),
  ];
}

function listMissingSystem({ os }: SkillMetadata, { platform }: Machine): SkillNeed[] {
  if (os.length === 0 || os.includes(platform)) return [];
  return [{ what: os.map((name) => systems[name] ?? name).join(" or ") }];
}

function listMissingChoice(metadata: SkillMetadata, machine: Machine): SkillNeed[] {
  const { anyBins } = metadata;
  if (anyBins.length === 0 || anyBins.some((name) => machine.hasProgram(name))) return [];
  const what = anyBins.length === 1 ? `program ${anyBins[0]}` : `one of the programs ${anyBins.join(", ")}`;
  return [withInstall(what, findInstalls(metadata, machine, anyBins))];
}

/** The ways that bring one of the programs on this system; one that does not say what it brings may bring any. */
function findInstalls({ install }: SkillMetadata, { platform }: Machine, names: readonly string[]): string | undefined {
  const ways = install
    .filter(({ os }) => os.length === 0 || os.includes(platform))
    .filter(({ bins }) => bins.length === 0 || names.some((name) => bins.includes(name)))
    .map(({ words }) => words);
  return ways.length === 0 ? undefined : [...new Set(ways)].join(", or ");
}

function describeVariable(name: string, { homepage }: SkillMetadata): SkillNeed {
  const where = homepage === undefined ? "" : ` (see ${homepage})`;
  return withInstall(`environment variable ${name}`, `set ${name} where mom is started${where}`);
}

function withInstall(what: string, install: string | undefined): SkillNeed {
  return install === undefined ? { what } : { what, install };
}
