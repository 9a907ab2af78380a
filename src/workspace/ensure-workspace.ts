/** The workspace of a new data directory: a folder that explains itself. What people have put there is never touched. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StoreError, systemCode } from "../base/errors.ts";

const firstFiles = {
  "README.md": `# Workspace

What mom sees and works in. Everything here is plain text: read it, change it, keep it in version control.

- \`MEMORY.md\` is what mom remembers for good.
- \`channels/<adapter>/<channel>/\` has one folder per chat: \`log.jsonl\` is what was said, \`context.jsonl\` is what the
  model saw, \`attachments/\` has the files that came along.

Settings and credentials are outside this folder, where mom's tools do not reach.
`,
  "MEMORY.md": "# Memory\n",
};

/** Fills a workspace that does not exist yet; one that does is left as it is, also what was removed from it. */
export async function ensureWorkspace(workspaceDir: string): Promise<void> {
  try {
    await mkdir(workspaceDir, { mode: 0o700 });
    for (const [name, text] of Object.entries(firstFiles)) await writeFile(join(workspaceDir, name), text);
  } catch (error) {
    const code = systemCode(error) ?? "unknown";
    if (code === "EEXIST") return;
    throw new StoreError("STORE_NOT_WRITABLE", `${workspaceDir} cannot be written (${code})`, {
      hint: "Give the user that runs mom write access to the data directory, or choose another with --data.",
      cause: error,
    });
  }
}
