/**
 * Bundles src/cli/main.ts and the web UI into dist/ (run by `npm install`, `npm pack` and `npm run build`) and writes the
 * licences of everything that went into them. A failed build leaves the old dist/ as it was.
 */
import { glob, mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { BuildResult } from "esbuild";
import { bundleWeb, formatWebSize, saveWeb } from "./build-web.ts";
import { bundleOptions } from "./bundle-options.ts";
import { formatNotices, readLicences } from "./third-party.ts";

const root = join(import.meta.dirname, "..");
const outputFolder = join(root, "dist");

type Bundle = BuildResult<{ write: false; metafile: true }>;

async function loadEsbuild(): Promise<typeof import("esbuild")> {
  try {
    return await import("esbuild");
  } catch (error) {
    throw new Error("esbuild is not installed: run `npm ci` without --omit=dev; an installed mom is already built", {
      cause: error,
    });
  }
}

/** Threads are started from files of their own: `name.worker.ts`, wherever it lies in src/, becomes `dist/workers/name.js`. */
async function listWorkers(): Promise<{ in: string; out: string }[]> {
  const files: string[] = [];
  for await (const file of glob("src/**/*.worker.ts", { cwd: root })) files.push(file);
  return files.sort().map((file) => ({ in: file, out: `workers/${basename(file, ".worker.ts")}` }));
}

async function bundle(): Promise<Bundle> {
  const esbuild = await loadEsbuild();
  return esbuild.build({
    absWorkingDir: root,
    entryPoints: [{ in: "src/cli/main.ts", out: "main" }, ...(await listWorkers())],
    outdir: outputFolder,
    chunkNames: "chunks/[name]-[hash]",
    ...bundleOptions,
    // Names stay: a stack from the field must be readable without a map.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    write: false,
    metafile: true,
  });
}

async function save({ outputFiles }: Bundle): Promise<void> {
  await rm(outputFolder, { recursive: true, force: true });
  for (const folder of new Set(outputFiles.map(({ path }) => dirname(path)))) await mkdir(folder, { recursive: true });
  await Promise.all(outputFiles.map((file) => writeFile(file.path, file.contents)));
}

function formatSizes({ outputFiles }: Bundle): string[] {
  const sizes = outputFiles.map((file) => ({ name: relative(root, file.path), bytes: file.contents.byteLength }));
  sizes.sort((a, b) => b.bytes - a.bytes);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const toLine = ({ name, bytes }: { name: string; bytes: number }) =>
    `${(bytes / 1024).toFixed(0).padStart(7)} KiB  ${name}`;
  const shown = sizes.filter(({ name }, at) => at < 5 || dirname(name) === "dist");
  return [...shown.map(toLine), toLine({ name: `in ${sizes.length} files`, bytes: total })];
}

async function main(): Promise<void> {
  const started = performance.now();
  const result = await bundle();
  const web = await bundleWeb();
  const outputs = { ...result.metafile.outputs, ...web.metafile.outputs };
  const licences = await readLicences(root, { inputs: {}, outputs });
  await save(result);
  await saveWeb(web, join(outputFolder, "web"));
  await writeFile(join(root, "THIRD-PARTY-NOTICES.txt"), formatNotices(licences));
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  const lines = [
    ...formatSizes(result),
    formatWebSize(web),
    `built in ${seconds} s with ${licences.length} packages inside`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

try {
  await main();
} catch (error) {
  // esbuild has already printed its own messages, with file and line.
  process.stderr.write(`build failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
