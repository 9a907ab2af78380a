/**
 * The Markdown files that go into the prompt as they are (spec 3.4): which ones a session sees is decided here, by its
 * type; how they are read, cut and kept comes from the files beside this one.
 */
import { dirname, join, relative, resolve } from "node:path";
import type { Clock } from "../contracts/clock.ts";
import type { SessionType } from "../contracts/session.ts";
import type { BootstrapFile, Workspace } from "../contracts/workspace.ts";
import { isUnfilled, stripComments } from "./clean-markdown.ts";
import type { Complain } from "./complaints.ts";
import { cutText, toReadLimits } from "./cut-text.ts";
import { createFileCache, type FileRequest } from "./file-cache.ts";
import { isInside, type WorkspaceText } from "./read-file.ts";

export interface BootstrapFilesParts {
  workspaceDir: string;
  /** What channel folders are relative to: the main workspace. Absent: this one. */
  channelRoot?: string;
  /** A folder for coding work, outside the workspace: its rules and those of its parents are shown too. */
  workDir?: string;
  clock: Clock;
  complain: Complain;
}

type BootstrapFiles = Pick<Workspace, "bootstrapFiles" | "promptOverrides">;

/** Stands in a column for what has no fixed name: the rules around the work folder, the channel's own memory. */
type Slot = `${Uppercase<string>}.md` | "work folder" | "channel memory";

const shared: readonly Slot[] = ["SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "TOOLS.md", "work folder"];
/** Other people are in these, or may be: what mom knows for good stays out, also of a direct chat with somebody else. */
const amongOthers: readonly Slot[] = [...shared, "channel memory"];

const columns: Readonly<Record<SessionType, readonly Slot[]>> = {
  main: [...shared, "HEARTBEAT.md", "MEMORY.md", "channel memory", "BOOTSTRAP.md"],
  // The owner's own jobs: as main, without what is for a conversation or for the heartbeat.
  cron: [...shared, "MEMORY.md", "channel memory"],
  dm: amongOthers,
  group: amongOthers,
  topic: amongOthers,
  subagent: ["AGENTS.md", "TOOLS.md", "work folder"],
};

const overrideMaxChars = 20_000;
const maxWorkFiles = 10;
/** Folders above the work folder that are looked at, the nearest ones. */
const maxWorkFolders = 40;

interface Request extends FileRequest {
  name: string;
  maxChars: number;
}

export function createBootstrapFiles(parts: BootstrapFilesParts): BootstrapFiles {
  const { workspaceDir, channelRoot = workspaceDir, clock, complain } = parts;
  const cache = createFileCache<Request, BootstrapFile>({
    clock,
    complain,
    build: (file, request) => toBootstrapFile(file, request, complain),
  });
  const workFolders = parts.workDir === undefined ? [] : listFoldersDownTo(parts.workDir, workspaceDir);

  const get = (path: string, maxChars: number) =>
    cache.get({ root: workspaceDir, path, name: path, maxChars, limits: toReadLimits(maxChars) });

  const getChannelMemory = async (channelFolder: string, maxChars: number) => {
    const folder = resolve(channelRoot, channelFolder);
    // The workspace itself is no channel: its MEMORY.md is the one that others must not see.
    if (folder === resolve(channelRoot) || !isInside(folder, channelRoot)) return undefined;
    const path = join(relative(channelRoot, folder), "MEMORY.md");
    // A link would be a way to show another chat's memory in this one.
    const limits = { ...toReadLimits(maxChars), refuseLinks: true as const };
    return cache.get({ root: channelRoot, path, name: path, maxChars, limits });
  };

  const getRules = async (folder: string, maxChars: number) => {
    // A work folder inside the workspace is the agent's to replace by a link.
    const root = isInside(folder, workspaceDir) ? workspaceDir : folder;
    for (const fileName of ["AGENTS.md", "CLAUDE.md"]) {
      const name = join(folder, fileName);
      const file = await cache.get({
        root,
        path: relative(root, name),
        name,
        maxChars,
        limits: toReadLimits(maxChars),
      });
      if (file) return file;
    }
    return undefined;
  };

  const getSlot = async (slot: Slot, channelFolder: string, maxChars: number) => {
    if (slot === "channel memory") return [await getChannelMemory(channelFolder, maxChars)];
    if (slot !== "work folder") return [await get(slot, maxChars)];
    const rules = await Promise.all(workFolders.map((folder) => getRules(folder, maxChars)));
    return rules.filter((file) => file !== undefined).slice(-maxWorkFiles);
  };

  return {
    async bootstrapFiles({ sessionType, channelFolder, maxChars }) {
      const found = await Promise.all(columns[sessionType].map((slot) => getSlot(slot, channelFolder, maxChars)));
      return found.flat().filter((file) => file !== undefined);
    },
    async promptOverrides() {
      const [system, append] = await Promise.all([
        get("SYSTEM.md", overrideMaxChars),
        get("APPEND_SYSTEM.md", overrideMaxChars),
      ]);
      return { ...(system && { system: system.text }), ...(append && { append: append.text }) };
    },
  };
}

function toBootstrapFile(file: WorkspaceText, request: Request, complain: Complain): BootstrapFile | undefined {
  const { name, maxChars, root, path } = request;
  if (file.text.trim() === "" && file.tail.trim() === "") {
    complain(join(root, path), "it is empty");
    return undefined;
  }
  // A form that waits to be filled in is as it should be, and nothing for the model.
  if (file.isWhole && isUnfilled(stripComments(file.text))) return undefined;
  const { text, total } = cutText(file, maxChars, name, stripComments);
  return { name, text, totalChars: total };
}

/** From the root of the file system down. The workspace's own rules are shown anyway. */
function listFoldersDownTo(workDir: string, workspaceDir: string): string[] {
  const folders: string[] = [];
  for (let folder = resolve(workDir); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  return folders.slice(-maxWorkFolders).filter((folder) => folder !== resolve(workspaceDir));
}
