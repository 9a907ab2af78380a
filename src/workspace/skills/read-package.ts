/** A skill from a path of the operator's, looked at before it is installed: valid, complete, scanned, with its hash. */
import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type CollectedFile, collectFiles } from "./collect-files.ts";
import { parseSkill } from "./parse-skill.ts";
import { readSkill } from "./read-skill.ts";
import { scanText } from "./scan-text.ts";

export interface SkillPackage {
  type: "package";
  name: string;
  description: string;
  files: CollectedFile[];
  /** SHA-256 over all files, their names included. */
  sha256: string;
  /** What the scan found, each with its file. */
  warnings: string[];
}

export type ReadPackage =
  | SkillPackage
  | { type: "absent" }
  /** Sentences. */
  | { type: "refused"; problems: string[] };

/** `path`: a folder with SKILL.md, its SKILL.md, or one `name.md` that is a skill by itself. Never throws. */
export async function readSkillPackage(path: string): Promise<ReadPackage> {
  const real = await realpath(path).catch(() => undefined);
  const info = real === undefined ? undefined : await stat(real).catch(() => undefined);
  if (real === undefined || info === undefined) return { type: "absent" };
  if (info.isDirectory()) return readFolder(real, [basename(path), basename(real)]);
  if (basename(real) === "SKILL.md") return readFolder(dirname(real), [basename(dirname(real))]);
  return readSingle(real);
}

async function readFolder(folder: string, names: string[]): Promise<ReadPackage> {
  const collected = await collectFiles(folder);
  if (collected.type === "refused") return { type: "refused", problems: [`It ${collected.problem}.`] };
  const found = collected.files.some(({ path }) => path === "SKILL.md");
  if (!found) return { type: "refused", problems: ["It has no SKILL.md."] };
  return inspect(join(folder, "SKILL.md"), names, collected.files);
}

/** A file becomes a folder of its own. */
async function readSingle(path: string): Promise<ReadPackage> {
  if (!path.endsWith(".md")) return { type: "refused", problems: ["It is neither a folder nor a Markdown file."] };
  return inspect(path, [basename(path, ".md")]);
}

async function inspect(path: string, names: string[], files?: CollectedFile[]): Promise<ReadPackage> {
  const read = await readSkill(path, dirname(path));
  if (read.type !== "text") {
    return { type: "refused", problems: [`${basename(path)} ${read.type === "absent" ? "is gone" : read.reason}.`] };
  }
  const { facts, problems } = parseSkill(read.text, names);
  if (!facts) return { type: "refused", problems: problems.map(({ message }) => `${basename(path)}: ${message}.`) };
  const all = files ?? [{ path: "SKILL.md", bytes: Buffer.from(read.text), isExecutable: false }];
  return {
    type: "package",
    name: facts.name,
    description: facts.description,
    files: all,
    sha256: hashFiles(all),
    warnings: all.flatMap(scanFile),
  };
}

/** The same for the same names and contents, in whatever order they were found. */
export function hashFiles(files: readonly CollectedFile[]): string {
  const hash = createHash("sha256");
  for (const { path, bytes } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    hash.update(`${JSON.stringify(path)} ${bytes.byteLength}\n`).update(bytes);
  }
  return hash.digest("hex");
}

function scanFile({ path, bytes }: CollectedFile): string[] {
  if (bytes.includes(0)) return [`${path}: is not text and cannot be looked through`];
  return scanText(new TextDecoder().decode(bytes)).map((finding) => `${path}, ${finding}`);
}
