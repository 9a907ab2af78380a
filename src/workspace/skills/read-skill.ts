/** Reads the file of a skill: through the workspace's reader, whole or not at all, fenced in where it lies in the workspace. */
import { realpath } from "node:fs/promises";
import { basename, dirname, relative } from "node:path";
import { isInside, readWorkspaceFile } from "../read-file.ts";

export const maxSkillBytes = 256 * 1024;

export type SkillText = { type: "text"; text: string } | SkillFailure;

export type SkillFailure =
  | { type: "absent" }
  /** `reason` completes "this file …". */
  | { type: "unusable"; reason: string };

/** `path`: links already followed. Never throws. */
export async function readSkill(path: string, workspaceDir: string): Promise<SkillText> {
  const workspace = await realpath(workspaceDir).catch(() => workspaceDir);
  const [root, way] = isInside(path, workspace)
    ? [workspace, relative(workspace, path)]
    : [dirname(path), basename(path)];
  const read = await readWorkspaceFile(root, way, { maxBytes: maxSkillBytes, refuseLinks: true });
  if (read.type === "absent") return read;
  if (read.type === "unusable") return { type: "unusable", reason: `cannot be used: ${read.reason}` };
  if (read.isWhole) return { type: "text", text: read.text };
  const sizes = `${Math.ceil(read.totalBytes / 1024)} kB; ${maxSkillBytes / 1024} kB are allowed`;
  return { type: "unusable", reason: `is too long: ${sizes}. Move details into files beside it.` };
}

/** The same for a path as the index names it, which may have become a link since. */
export async function readSkillAt(path: string, workspaceDir: string): Promise<SkillText> {
  try {
    const [real, workspace] = await Promise.all([realpath(path), realpath(workspaceDir)]);
    const isAgents = isInside(path, workspaceDir) || isInside(path, workspace);
    if (isAgents && !isInside(real, workspace)) return { type: "unusable", reason: "leads out of the workspace" };
    return await readSkill(real, workspaceDir);
  } catch {
    return { type: "absent" };
  }
}
