/** Where everything lies in a data directory (spec 1.2). The one place that knows the names of files and folders. */
import { join } from "node:path";
import type { ChannelRef } from "../contracts/message.ts";
import { encodeId } from "./encode-id.ts";

export interface Layout {
  dataDir: string;
  configPath: string;
  /** Keys and tokens. Host only. */
  authPath: string;
  /** Host only: database, lock, logs. */
  stateDir: string;
  databasePath: string;
  lockPath: string;
  /** Who holds the lock, and a sign that the last run did not end cleanly. */
  runningPath: string;
  logsDir: string;
  /** Conversations that people asked for as files, until they are delivered. */
  exportsDir: string;
  /** What tools see. */
  workspaceDir: string;
  channelsDir: string;
  /** Skills and prompt templates that hold for every agent. */
  skillsDir: string;
  promptsDir: string;
  /** What tools never see, even where a root contains it. */
  hostOnlyPaths: string[];
  /** Relative to the workspace. */
  channelFolder(channel: ChannelRef): string;
  channelDir(channel: ChannelRef): string;
  /** The workspace of an agent that has one of its own. */
  agentWorkspaceDir(agentId: string): string;
}

export function buildLayout(dataDir: string): Layout {
  const stateDir = join(dataDir, "state");
  const workspaceDir = join(dataDir, "workspace");
  const channelFolder = ({ adapter, channelId }: ChannelRef) =>
    join("channels", encodeId(adapter), encodeId(channelId));
  return {
    dataDir,
    configPath: join(dataDir, "config.json"),
    authPath: join(dataDir, "auth.json"),
    stateDir,
    databasePath: join(stateDir, "mom.db"),
    lockPath: join(stateDir, "mom.lock"),
    runningPath: join(stateDir, "running.json"),
    logsDir: join(stateDir, "logs"),
    exportsDir: join(stateDir, "exports"),
    workspaceDir,
    channelsDir: join(workspaceDir, "channels"),
    skillsDir: join(dataDir, "skills"),
    promptsDir: join(dataDir, "prompts"),
    hostOnlyPaths: ["config.json", "auth.json", "auth.json.lock", "state", "tools", "plugins"].map((name) =>
      join(dataDir, name),
    ),
    channelFolder,
    channelDir: (channel) => join(workspaceDir, channelFolder(channel)),
    agentWorkspaceDir: (agentId) => join(dataDir, "agents", encodeId(agentId), "workspace"),
  };
}
