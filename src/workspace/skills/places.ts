/** The folders that are searched for skills, in the order in which they win (spec 3.9). Pure. */
import { join } from "node:path";
import type { SkillSource } from "../../contracts/workspace.ts";
import type { SkillsConfig } from "./config.ts";

export interface SkillPlace {
  /** Absolute; need not exist. */
  folder: string;
  source: SkillSource;
  /** At this depth every `.md` counts. 1: the folder is a shelf, and its subfolders are the root folders. */
  rootLevel: 0 | 1;
}

export interface SkillFolders {
  workspaceDir: string;
  /** What channel folders are relative to: the main workspace. Absent: this one. */
  channelRoot?: string | undefined;
  dataDir: string;
  homeDir: string;
  /** `skills/` of mom's package. Absent: there are none. */
  bundledDir?: string | undefined;
}

/** `extra`: those that were checked. `channelFolder`: relative to `channelRoot`. */
export function buildPlaces(
  folders: SkillFolders,
  config: Pick<SkillsConfig, "bundled" | "piAgent">,
  extra: readonly string[],
  channelFolder?: string,
): SkillPlace[] {
  const { workspaceDir, channelRoot = workspaceDir, dataDir, homeDir, bundledDir } = folders;
  const at = (folder: string, source: SkillSource, rootLevel: 0 | 1 = 0) => ({ folder, source, rootLevel });
  return [
    ...(channelFolder === undefined ? [] : [at(join(channelRoot, channelFolder, "skills"), "channel")]),
    at(join(workspaceDir, "skills"), "workspace"),
    at(join(workspaceDir, ".skills"), "workspace"),
    at(join(dataDir, "skills"), "managed"),
    at(join(dataDir, ".skill-bundles"), "managed", 1),
    ...(config.bundled && bundledDir !== undefined ? [at(bundledDir, "bundled")] : []),
    ...extra.map((folder) => at(folder, "extra")),
    ...(config.piAgent ? [at(join(homeDir, ".pi", "agent", "skills"), "user")] : []),
  ];
}
