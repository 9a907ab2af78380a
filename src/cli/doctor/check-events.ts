/** Event files of the agents and of every chat: how many wait, and where some could not be used. */
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { MomConfig } from "../../app/index.ts";
import { checkEvents } from "../../automation/index.ts";
import { buildLayout } from "../../store/index.ts";
import type { Finding } from "./finding.ts";

/** More is not worth the wait. */
const mostChats = 5000;

export async function checkEventFiles(dataDir: string, { agents, events }: MomConfig): Promise<Finding[]> {
  if (!events.enabled) return [];
  const { workspaceDir, agentWorkspaceDir } = buildLayout(dataDir);
  const own = Object.entries(agents).filter(([id]) => id !== "main");
  const mainDir = agents["main"]?.workspace;
  return checkEvents([
    {
      label: "events",
      workspaceDir: mainDir === undefined ? workspaceDir : resolve(dataDir, mainDir),
      folder: "events",
    },
    ...own.map(([id, { workspace }]) => ({
      label: `agents/${id}/events`,
      workspaceDir: workspace === undefined ? agentWorkspaceDir(id) : resolve(dataDir, workspace),
      folder: "events",
    })),
    ...(await listChatFolders(workspaceDir)).map((folder) => ({ label: folder, workspaceDir, folder })),
  ]);
}

/** Of chats that have such a folder. */
async function listChatFolders(workspaceDir: string): Promise<string[]> {
  const list = (path: string) => readdir(join(workspaceDir, path), { withFileTypes: true }).catch(() => []);
  const folders: string[] = [];
  for (const adapter of await list("channels")) {
    for (const chat of adapter.isDirectory() ? await list(join("channels", adapter.name)) : []) {
      if (chat.isDirectory()) folders.push(join("channels", adapter.name, chat.name, "events"));
      if (folders.length === mostChats) return folders;
    }
  }
  return folders;
}
