/** Hooks: requests from outside and scripts of the operator's, as far as the config and the files show. */
import { resolve } from "node:path";
import type { MomConfig } from "../../app/index.ts";
import { checkHooks } from "../../automation/index.ts";
import { buildLayout } from "../../store/index.ts";
import type { Finding } from "./finding.ts";

export function checkHooksOf(dataDir: string, { hooks, agents, sandbox }: MomConfig): Promise<Finding[]> {
  const { workspaceDir, agentWorkspaceDir } = buildLayout(dataDir);
  const own = Object.entries(agents).flatMap(([id, { workspace, workDir }]) => [
    workspace === undefined ? agentWorkspaceDir(id) : resolve(dataDir, workspace),
    ...(workDir === undefined ? [] : [resolve(dataDir, workDir)]),
  ]);
  return checkHooks(hooks, [workspaceDir, ...own, ...sandbox.roots]);
}
