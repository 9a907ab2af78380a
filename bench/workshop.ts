/** What every bench works with: the model, folders that are removed at the end, and how long to measure. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleChildren, type ChildBundle, type ChildName } from "./bundle-children.ts";
import { type BenchModel, startModel } from "./start-model.ts";

export interface Workshop {
  /** The repository. */
  root: string;
  model: BenchModel;
  /** Fewer repetitions: for trying the benches out, not for figures. */
  isQuick: boolean;
  /** `full` repetitions, or a few when quick. */
  times(full: number, quick: number): number;
  /** The measured program is started with nothing else of the caller's environment: no key, no setting. */
  env: Record<string, string>;
  /** A new data directory whose model is the one at `modelUrl`. `config`: more keys of its configuration. */
  createDataDir(modelUrl: string, config?: object): Promise<string>;
  createFolder(): Promise<string>;
  /** Bundled when first asked for, all of them. */
  pathOfChild(name: ChildName): Promise<string>;
  close(): Promise<void>;
}

export async function openWorkshop({ root, isQuick }: { root: string; isQuick: boolean }): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), "mom-bench-"));
  // A child that runs as another user finds its way through, and sees nothing else on it.
  await chmod(folder, 0o711);
  const model = await startModel();
  let bundle: Promise<ChildBundle> | undefined;
  const createFolder = () => mkdtemp(join(folder, "run-"));
  return {
    root,
    model,
    isQuick,
    times: (full, quick) => (isQuick ? quick : full),
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_CACHE_HOME: join(folder, "cache") },
    createFolder,
    async createDataDir(modelUrl, config = {}) {
      const dataDir = await createFolder();
      await mkdir(dataDir, { recursive: true });
      await writeFile(join(dataDir, "config.json"), JSON.stringify({ ...buildConfig(modelUrl), ...config }, null, 2));
      return dataDir;
    },
    async pathOfChild(name) {
      bundle ??= bundleChildren(root);
      return (await bundle).pathOf(name);
    },
    async close() {
      await (await bundle)?.remove();
      await model.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `terminal` is what the whole program is spoken to through; the load brings its own platform and leaves it alone. */
function buildConfig(modelUrl: string): object {
  const lab = { api: "openai-completions", baseUrl: modelUrl, apiKey: "bench-key", models: [{ id: "bench" }] };
  return { adapters: { terminal: { type: "cli" } }, models: { default: "lab/bench", providers: { lab } } };
}
