/** The agents of the configuration: profile, workspace and folders of each, following the config as it changes. */
import { isAbsolute, join, relative, resolve } from "node:path";
import type { AgentProfile, ToolPlace } from "../agent/index.ts";
import type { SessionType } from "../contracts/session.ts";
import type { ToolScope } from "../contracts/tool.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { mainAgentId } from "../sessions/index.ts";
import type { buildLayout } from "../store/index.ts";
import type { ToolFolders } from "../tools/index.ts";
import { ensureWorkspace, type SkillLibrary } from "../workspace/index.ts";
import type { MomConfig } from "./config-schema.ts";
import { listAgentFolders, pickWorkspaceDir } from "./list-agent-folders.ts";

export interface AgentSet {
  /** Never throws: an agent that was taken out of the config answers with main's settings to the end of its turn. */
  profileOf(agentId: string): AgentProfile;
  workspaceOf(agentId: string): Workspace;
  foldersOf(scope: ToolScope): Promise<ToolFolders>;
  /** Absolute: where the session's tools start. */
  workDir(scope: ToolPlace): string;
  /** Everything that some agent can write. Absolute. */
  writableFolders(): string[];
  /** How a path relative to the main workspace is written for the session's tools. */
  toToolPath(scope: ToolPlace, path: string): string;
  close(): Promise<void>;
}

interface AgentSetDeps {
  layout: Layout;
  config(): MomConfig;
  /** Folders outside every workspace that tools may read. Absolute. */
  readable: readonly string[];
  /** Both for one workspace folder; kept as long as the folder is the agent's. */
  createWorkspace(profile: AgentProfile, skills: SkillLibrary): Workspace;
  createSkills(profile: AgentProfile): SkillLibrary;
}

interface Room {
  key: string;
  workspace: Workspace;
  skills: SkillLibrary;
}

type Layout = ReturnType<typeof buildLayout>;

/** Makes the workspaces of agents that are new. Before the store is opened, which makes folders in the main one. */
export async function ensureWorkspaces(layout: Layout, { agents }: MomConfig): Promise<void> {
  await ensureWorkspace(pickWorkspaceDir(layout, mainAgentId, agents[mainAgentId]?.workspace));
  for (const [id, { workspace }] of Object.entries(agents)) {
    await ensureWorkspace(pickWorkspaceDir(layout, id, workspace));
  }
}

export function createAgentSet({ layout, config, readable, createWorkspace, createSkills }: AgentSetDeps): AgentSet {
  const rooms = new Map<string, Room>();

  const profileOf = (agentId: string): AgentProfile => {
    const { agents, models } = config();
    const settings = agents[agentId] ?? agents[mainAgentId];
    const workspaceDir = pickWorkspaceDir(layout, agentId, settings?.workspace);
    const model = settings?.model;
    return {
      id: agentId,
      ...(model !== undefined && { model }),
      fallbacks: settings?.fallbacks ?? models.fallbacks,
      thinking: settings?.thinking ?? models.thinking ?? "off",
      workspaceDir,
      workDir: settings?.workDir === undefined ? workspaceDir : resolve(layout.dataDir, settings.workDir),
      bootstrapMaxChars: settings?.bootstrapMaxChars ?? 20_000,
      runTimeoutMs: (settings?.runTimeoutSeconds ?? 600) * 1000,
      memoryFlush: settings?.memoryFlush ?? true,
      forgetAfterTurns: settings?.forgetAfterTurns ?? 3,
    };
  };
  const roomOf = (agentId: string): Room => {
    const profile = profileOf(agentId);
    const key = `${profile.workspaceDir}\n${profile.workDir}`;
    const known = rooms.get(agentId);
    if (known?.key === key) return known;
    const skills = createSkills(profile);
    const room = { key, skills, workspace: createWorkspace(profile, skills) };
    rooms.set(agentId, room);
    return room;
  };
  const placeOf = ({ session, channel, principal }: ToolPlace): ToolFolders => {
    const { agentId, type } = session;
    const { workspaceDir, workDir } = profileOf(agentId);
    const channelDir = layout.channelDir(channel);
    const skills = [...roomOf(agentId).skills.roots(), ...readable];
    // Others than the owner work in their chat's folder: the owner's memory and other chats are not theirs to read.
    if (isForOthers(type) || (principal && isForOthers(principal.sessionType))) {
      const shared = ["skills", ".skills"].map((name) => join(workspaceDir, name));
      const readOnly = [...shared, ...skills];
      return { cwd: channelDir, roots: [channelDir], readOnly, scratch: "scratch", isShared: true, records: [] };
    }
    const roots = new Set([workspaceDir, channelDir, workDir]);
    return {
      cwd: workDir,
      roots: [...roots],
      readOnly: skills,
      scratch: pathFrom(workDir, join(channelDir, "scratch")),
      isShared: false,
      records: [layout.channelsDir],
    };
  };

  return {
    profileOf,
    workspaceOf: (agentId) => roomOf(agentId).workspace,
    foldersOf: async (scope) => placeOf(scope),
    workDir: (scope) => placeOf(scope).cwd,
    writableFolders: () => listAgentFolders(layout, config()),
    toToolPath: (scope, path) => pathFrom(placeOf(scope).cwd, join(layout.workspaceDir, path)),
    async close() {
      await Promise.all([...rooms.values()].map(({ skills }) => skills.close()));
    },
  };
}

/** Sessions that people beside the owner speak in. */
const isForOthers = (type: SessionType) => type === "dm" || type === "group" || type === "topic";

/** Relative where it lies below, else absolute. */
function pathFrom(folder: string, path: string): string {
  const inside = relative(folder, path);
  return inside.startsWith("..") || isAbsolute(inside) ? path : inside;
}
