/** One agent's workspace as the port that agent and commands use; joins the parts of this room. */
import { join } from "node:path";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { createBootstrapFiles } from "./bootstrap-files.ts";
import { createComplaints } from "./complaints.ts";
import { expandPrompt, type SkillReader } from "./expand-prompt.ts";
import { createFirstRun } from "./first-run.ts";
import { createTemplateLibrary } from "./templates/template-library.ts";

export interface WorkspaceDeps {
  /** Absolute, as the other folders. The agent writes here: nothing in it is trusted. */
  workspaceDir: string;
  /** What channel folders are relative to: the main workspace. Absent: this one. */
  channelRoot?: string;
  /** Its `prompts/` has templates for all agents. */
  dataDir: string;
  /** Given: templates of `.pi/agent/prompts/` in it are offered too. */
  homeDir?: string;
  /** A folder for coding work, chosen by the operator: AGENTS.md or CLAUDE.md of it and its parents are shown. */
  workDir?: string;
  skills: SkillReader;
  clock: Clock;
  log: Log;
}

export function createWorkspace(deps: WorkspaceDeps): Workspace {
  const { workspaceDir, dataDir, homeDir, workDir, skills, clock } = deps;
  const complain = createComplaints(deps.log);
  const templates = createTemplateLibrary({
    places: [
      { root: workspaceDir, folder: "prompts" },
      { root: join(dataDir, "prompts"), folder: "." },
      ...(homeDir === undefined ? [] : [{ root: join(homeDir, ".pi", "agent", "prompts"), folder: "." }]),
    ],
    clock,
    complain,
  });
  return {
    ...createBootstrapFiles({
      workspaceDir,
      clock,
      complain,
      ...(deps.channelRoot !== undefined && { channelRoot: deps.channelRoot }),
      ...(workDir !== undefined && { workDir }),
    }),
    ...createFirstRun({ workspaceDir, complain }),
    skills: (channelFolder) => skills.list(channelFolder),
    templates: async () =>
      (await templates.list()).filter(({ problem }) => problem === undefined).map(({ template }) => template),
    expand: (text, channelFolder) => expandPrompt({ templates, skills }, text, channelFolder),
  };
}
