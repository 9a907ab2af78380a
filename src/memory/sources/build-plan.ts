/** Makes the plain list of places out of the agent's roots and the configuration. Done on the main side, read by the thread. */
import type { MemoryConfig } from "../config.ts";
import { type ChannelFolder, type MemorySourceRoots, type SourcePlan, toScope, toSlashes } from "./source.ts";

export interface PlanParts {
  roots: MemorySourceRoots;
  config: Pick<MemoryConfig, "folders" | "sessions">;
  channelFolder: ChannelFolder;
  /** Absolute: what relative folders of the config begin at. */
  resolveFolder(path: string): string;
}

export function buildPlan({ roots, config, channelFolder, resolveFolder }: PlanParts): SourcePlan {
  const { workspaceDir, channelsRoot, channels, transcripts = [] } = roots;
  return {
    workspaceDir,
    ...(channelsRoot !== undefined && { channelsRoot }),
    ...(channels && { channelFolders: channels.map((channel) => toSlashes(channelFolder(channel))) }),
    transcripts: config.sessions
      ? transcripts.map(({ name, path, visibility }) => ({ name, path, scope: toScope(visibility, channelFolder) }))
      : [],
    folders: config.folders.map(({ name, path, visibility }) => ({
      name,
      path: resolveFolder(path),
      scope: visibility,
    })),
  };
}
