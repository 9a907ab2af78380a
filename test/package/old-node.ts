/** The Node that people have, not the one that we bring: the launcher must work on it. */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export interface OldNode {
  /** Absent if this machine has none older than 24. */
  path?: string;
  /** For `skip`: why there is none, or false. */
  skip: string | false;
}

export function findOldNode(): OldNode {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const seen: string[] = [];
  for (const path of folders.map((folder) => join(folder, "node")).filter(isExecutable)) {
    const version = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.trim();
    if (Number.parseInt(version.slice(1), 10) < 24) return { path, skip: false };
    seen.push(`${path} is ${version}`);
  }
  return { skip: `no Node older than 24 on PATH (${seen.join(", ") || "no Node at all"})` };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
