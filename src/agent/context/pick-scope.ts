/**
 * Which tool results are needed for the task at hand only (spec 3.7): bodies of skills, large results, retrieved memories.
 * The tag is written with the entry; `plan-expiry` takes the entry out of the context when the task is over.
 */
import { resolve } from "node:path";
import type { ImageContent, TextContent } from "../../contracts/model.ts";
import type { ToolEffect } from "../../contracts/tool.ts";
import type { EntryScope } from "../../contracts/transcript.ts";
import { toOneLine } from "./clean-text.ts";

/** Smaller results stay: a marker would save too little. */
const largeResultChars = 6000;
/** What a picture costs, in characters of text. */
const imageChars = 6000;
const maxCallChars = 240;
const memoryTools = new Set(["memory_search", "memory_get"]);

export interface ToolResultFacts {
  toolName: string;
  args: Readonly<Record<string, unknown>>;
  content: readonly (TextContent | ImageContent)[];
  /** By absolute path of the file that the skill is in. */
  skillPaths: ReadonlyMap<string, { name: string; isPinned: boolean }>;
  /** Absolute: what relative paths of the call begin at. */
  cwd: string;
  /** Absent: running it twice may not be harmless. */
  effect?: ToolEffect | undefined;
  isError?: boolean;
}

export function pickScope(facts: ToolResultFacts): EntryScope | undefined {
  const { toolName, args, content, skillPaths, cwd, effect, isError } = facts;
  const path = toolName === "read" && typeof args["path"] === "string" ? resolve(cwd, args["path"]) : undefined;
  const skill = path === undefined || isError ? undefined : skillPaths.get(path);
  if (skill && path !== undefined) return buildSkillScope({ ...skill, path });
  const isMemory = memoryTools.has(toolName);
  if (!isMemory && sizeOf(content) <= largeResultChars) return undefined;
  const call = formatCall(toolName, args);
  const isHarmless = isMemory || effect === "read";
  const reload = isHarmless ? `Call ${call} to have it again.` : `It came from ${call}; a second call may act again.`;
  return { kind: isMemory ? "memory" : "tool_result", name: toOneLine(toolName, 64), reload };
}

/** Also for bodies that a person put in with `/skill:name`. */
export function buildSkillScope(skill: { name: string; path: string; isPinned: boolean }): EntryScope {
  const reload = `Read ${toOneLine(skill.path, maxCallChars)} to have it again.`;
  return { kind: "skill", name: skill.name, reload, ...(skill.isPinned && { pinned: true }) };
}

function sizeOf(content: ToolResultFacts["content"]): number {
  return content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : imageChars), 0);
}

/** `read(path="notes.md", limit=40)`: short enough for one line, whatever the arguments are. */
function formatCall(toolName: string, args: ToolResultFacts["args"]): string {
  const list = Object.entries(args).map(([key, value]) => `${key}=${formatValue(value)}`);
  return toOneLine(`${toolName}(${list.join(", ")})`, maxCallChars);
}

function formatValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, maxCallChars));
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  return "…";
}
