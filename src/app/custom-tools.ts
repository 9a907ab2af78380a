/**
 * Custom tools as far as they are known without running their code: the folders on the disk, and the list of what the last
 * mom has loaded from them. A running mom keeps it in the store; commands beside her read it.
 */
import { homedir } from "node:os";
import { listChannelTools } from "../channels/index.ts";
import type { KeyValue } from "../contracts/store.ts";
import { buildLayout } from "../store/index.ts";
import { customToolRoots, findTools, type KnownTool, type ToolProblem, toChannelTool } from "../tools/index.ts";
import type { MomConfig } from "./config-schema.ts";
import { listAgentFolders } from "./list-agent-folders.ts";

export interface CustomTools {
  /** Folders that a mom would load. */
  folders: number;
  /** Of those that mom has loaded; as they were then. */
  known: KnownTool[];
  /** How many of the folders she has not: what they hold is not known. */
  unlisted: number;
  /** What would not be loaded, and why. */
  problems: ToolProblem[];
}

export interface CustomToolsParts {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  config: MomConfig;
  /** Asked only where there are custom tools. Absent: nothing was kept. */
  kv?: Pick<KeyValue, "get"> | undefined;
}

const [scope, key] = ["host-tools", "loaded"];
/** What is kept is for people; a mom that runs has the whole. */
const maxKept = 500;
const maxDescriptionChars = 300;

export async function findCustomTools({ dataDir, env, config, kv }: CustomToolsParts): Promise<CustomTools> {
  const roots = customToolRoots(dataDir, env["HOME"] ?? homedir());
  const { tools, problems } = await findTools(roots, listAgentFolders(buildLayout(dataDir), config));
  const kept = tools.length === 0 ? [] : parseKept(await kv?.get(scope, key));
  const known = kept.filter(({ path }) => tools.some(({ folder }) => folder === path));
  const unlisted = tools.filter(({ folder }) => !known.some(({ path }) => path === folder)).length;
  return { folders: tools.length, known, unlisted, problems };
}

/** Called by a running mom whenever her list has changed. */
export async function keepCustomTools(kv: Pick<KeyValue, "set">, tools: readonly KnownTool[]): Promise<void> {
  const kept = tools.slice(0, maxKept).map(({ name, description, path }) => {
    return { name, description: description.slice(0, maxDescriptionChars), path };
  });
  await kv.set(scope, key, kept);
}

/** For the check of names in policies. */
export function toNameSurroundings({ known, unlisted }: CustomTools) {
  const ofChannels = listChannelTools().map(({ name, type }) => toChannelTool(name, type));
  return { tools: [...known.map(({ name }) => toPolicyTool(name)), ...ofChannels], hasUnlisted: unlisted > 0 };
}

/** What policy knows of a custom tool. */
export const toPolicyTool = (name: string) => ({ name, group: "host", origin: "host" as const });

function parseKept(kept: unknown): KnownTool[] {
  if (!Array.isArray(kept)) return [];
  return kept.flatMap((each: unknown): KnownTool[] => {
    if (typeof each !== "object" || each === null) return [];
    const { name, description, path } = each as Record<string, unknown>;
    const isWhole = typeof name === "string" && typeof description === "string" && typeof path === "string";
    return isWhole ? [{ name, description, path }] : [];
  });
}
