/** The first-run ritual: as long as BOOTSTRAP.md is there, mom and her person have not got to know each other yet. */
import { lstat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../base/errors.ts";
import type { Workspace } from "../contracts/workspace.ts";
import type { Complain } from "./complaints.ts";

export function createFirstRun({
  workspaceDir,
  complain,
}: {
  workspaceDir: string;
  complain: Complain;
}): Pick<Workspace, "isFirstRun" | "endFirstRun"> {
  const path = join(workspaceDir, "BOOTSTRAP.md");
  const isFirstRun = async () => {
    try {
      return (await lstat(path)).isFile();
    } catch {
      return false;
    }
  };
  return {
    isFirstRun,
    async endFirstRun() {
      if (!(await isFirstRun())) return;
      try {
        await unlink(path);
      } catch (error) {
        const code = systemCode(error);
        // The agent, which is asked to remove it, was quicker.
        if (code !== "ENOENT") complain(path, `it cannot be removed (${code ?? "unknown"})`);
      }
    },
  };
}
