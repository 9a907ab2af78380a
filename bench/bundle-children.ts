/** Bundles the processes that benches start, as the product is bundled: code loads and runs as in an installed mom. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { bundleOptions } from "../scripts/bundle-options.ts";

const names = [
  "load-child",
  "transcript-child",
  "skills-child",
  "sandbox-child",
  "grep-child",
  "web-fetch-child",
] as const;
export type ChildName = (typeof names)[number];

export interface ChildBundle {
  pathOf(name: ChildName): string;
  remove(): Promise<void>;
}

export async function bundleChildren(root: string): Promise<ChildBundle> {
  // Inside the repository, so that what stays outside the bundle is found.
  const folder = await mkdtemp(join(root, "node_modules", ".bench-"));
  // One of them is also run as another user.
  await chmod(folder, 0o755);
  await build({
    absWorkingDir: root,
    entryPoints: names.map((name) => `bench/${name}.ts`),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    ...bundleOptions,
    minifySyntax: true,
    minifyWhitespace: true,
  });
  return {
    pathOf: (name) => join(folder, `${name}.mjs`),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
