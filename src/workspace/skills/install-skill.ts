/**
 * Puts a skill that has been looked at into the managed folder, whole or not at all, and notes what it was then: a later
 * check tells whether somebody has changed it since. Called by `mom skills install`; runs nothing of it.
 */
import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { syncFolder } from "../../base/atomic-file.ts";
import { StoreError, systemCode } from "../../base/errors.ts";
import { readWorkspaceFile } from "../read-file.ts";
import { collectFiles } from "./collect-files.ts";
import { hashFiles, type SkillPackage } from "./read-package.ts";

const recordName = ".mom-skill.json";
const record = z.object({ name: z.string(), sha256: z.string(), from: z.string(), installedAt: z.string() });

export interface InstallTarget {
  /** `<data>/skills`; made if it is not there. */
  skillsDir: string;
  /** Where it came from, for the record. */
  from: string;
  nowMs: number;
  /** Replace one that is there. */
  force: boolean;
}

export type InstallResult = { type: "installed"; folder: string } | { type: "exists"; folder: string };

/** Throws `SKILL_NOT_SAVED` when the disk does not let it; what was there before stays then. */
export async function installSkill(skill: SkillPackage, target: InstallTarget): Promise<InstallResult> {
  const { skillsDir, from, nowMs, force } = target;
  const folder = join(skillsDir, skill.name);
  const suffix = randomBytes(4).toString("hex");
  // Hidden, so that nobody takes the half of it for a skill.
  const [fresh, old] = [join(skillsDir, `.new-${suffix}`), join(skillsDir, `.old-${suffix}`)];
  const { name, sha256 } = skill;
  try {
    await writeFiles(fresh, skill);
    const note = { name, sha256, from, installedAt: new Date(nowMs).toISOString() };
    await writeFile(join(fresh, recordName), `${JSON.stringify(note, null, 2)}\n`, { flag: "wx" });
    if (force) await moveAside(folder, old);
    if (!(await moveIn(fresh, folder))) return { type: "exists", folder };
    await syncFolder(skillsDir);
    return { type: "installed", folder };
  } catch (error) {
    await rename(old, folder).catch(() => undefined);
    throw new StoreError(
      "SKILL_NOT_SAVED",
      `The skill cannot be put into ${folder} (${systemCode(error) ?? "unknown"})`,
      {
        hint: "Give the user that runs mom write access to the data directory, and check the free space on the disk.",
        cause: error,
      },
    );
  } finally {
    await Promise.allSettled([fresh, old].map((path) => rm(path, { recursive: true, force: true })));
  }
}

/** False: something is there, also if it came just now. An empty folder is nothing. */
async function moveIn(fresh: string, folder: string): Promise<boolean> {
  try {
    await rename(fresh, folder);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(systemCode(error) ?? "")) return false;
    throw error;
  }
}

async function writeFiles(folder: string, { files }: SkillPackage): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const { path, bytes, isExecutable } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes, { mode: isExecutable ? 0o755 : 0o644, flag: "wx" });
  }
}

async function moveAside(folder: string, old: string): Promise<void> {
  try {
    await rename(folder, old);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

/** Has an installed skill been changed since? `unknown`: it was not put there by `mom skills install`. Never throws. */
export async function checkInstalled(folder: string): Promise<"same" | "changed" | "unknown"> {
  const read = await readWorkspaceFile(folder, recordName, { maxBytes: 4096, refuseLinks: true });
  if (read.type === "absent") return "unknown";
  const known = read.type === "text" ? record.safeParse(parseJson(read.text)) : undefined;
  const collected = await collectFiles(folder);
  if (!known?.success || collected.type === "refused") return "changed";
  return hashFiles(collected.files) === known.data.sha256 ? "same" : "changed";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
