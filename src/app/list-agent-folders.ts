/** The folders that agents can write, by the configuration: nothing in them ever decides what the host does. */
import { resolve } from "node:path";
import { mainAgentId } from "../sessions/index.ts";
import type { buildLayout } from "../store/index.ts";
import type { MomConfig } from "./config-schema.ts";

type Layout = ReturnType<typeof buildLayout>;

/** Absolute, each once: workspaces, the agents' working folders, and what the config opens beside them. */
export function listAgentFolders(layout: Layout, { agents, sandbox }: MomConfig): string[] {
  const folders = [mainAgentId, ...Object.keys(agents)].flatMap((id) => {
    const { workspace, workDir } = agents[id] ?? {};
    const workspaceDir = pickWorkspaceDir(layout, id, workspace);
    return workDir === undefined ? [workspaceDir] : [workspaceDir, resolve(layout.dataDir, workDir)];
  });
  return [...new Set([layout.workspaceDir, ...folders, ...sandbox.roots])];
}

export function pickWorkspaceDir(layout: Layout, agentId: string, configured: string | undefined): string {
  if (configured !== undefined) return resolve(layout.dataDir, configured);
  return agentId === mainAgentId ? layout.workspaceDir : layout.agentWorkspaceDir(agentId);
}
