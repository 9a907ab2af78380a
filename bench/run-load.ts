/** The parent's side of load-child.ts: bundles it once, as the product is bundled, and runs lives of it. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import type { LoadOrders, LoadResult } from "./load-child.ts";

export interface LoadBundle {
  path: string;
  remove(): Promise<void>;
}

export async function bundleLoadChild(root: string): Promise<LoadBundle> {
  // Inside the repository, so that what stays outside the bundle is found.
  const folder = await mkdtemp(join(root, "node_modules", ".bench-"));
  await build({
    absWorkingDir: root,
    entryPoints: ["bench/load-child.ts"],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    external: ["node", "@vscode/ripgrep"],
    minifySyntax: true,
    minifyWhitespace: true,
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  return { path: join(folder, "load-child.mjs"), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Rejects when the child ends without a result. */
export async function runLoad(bundle: LoadBundle, orders: LoadOrders): Promise<LoadResult> {
  const child = fork(bundle.path, [JSON.stringify(orders)], {
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  let result: LoadResult | undefined;
  child.on("message", (message: LoadResult) => {
    result = message;
  });
  const [code] = await once(child, "exit");
  if (!result) throw new Error(`the load ended without a result (exit code ${code})`);
  return result;
}
