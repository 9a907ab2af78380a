/** Skills on disk for the benches, each a folder with a SKILL.md. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildProse } from "./prose.ts";

/** Returns the paths of the files. `chars`: of each, about. */
export async function writeSkills(folder: string, count: number, chars: number): Promise<string[]> {
  const paths: string[] = [];
  for (let n = 1; n <= count; n++) {
    const name = `skill-${n}`;
    const path = join(folder, name, "SKILL.md");
    await mkdir(join(folder, name), { recursive: true });
    const head = `---\nname: ${name}\ndescription: ${buildProse(n, 120)}\n---\n\n`;
    const lines = Array.from({ length: Math.ceil(chars / 80) }, (_each, line) => buildProse(n * 1000 + line, 79));
    await writeFile(path, `${head}${lines.join("\n")}\n`);
    paths.push(path);
  }
  return paths;
}
