/**
 * Bundles web/ into a folder that the gateway serves: index.html, assets with hashed names, and each of them compressed
 * beside itself. Nothing inline and no eval, so that the strictest Content-Security-Policy holds.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Metafile, Plugin } from "esbuild";

const root = join(import.meta.dirname, "..");
const virtualOut = join(root, "dist", "web");
/** What must come over the wire before the page can be used; parts that are loaded later do not count. */
const mostInitialBytes = 150_000;

export interface WebBundle {
  /** Relative to the output folder. */
  files: { path: string; contents: Uint8Array }[];
  metafile: Metafile;
  /** Gzipped: index.html, styles, and every script that the entry imports at once. */
  initialBytes: number;
}

export async function bundleWeb(): Promise<WebBundle> {
  const esbuild = await import("esbuild");
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: root,
    tsconfig: "web/tsconfig.json",
    entryPoints: [
      { in: "web/main.tsx", out: "assets/main" },
      { in: "web/styles/main.css", out: "assets/main" },
      { in: "web/theme.ts", out: "assets/theme" },
      { in: "web/icon.svg", out: "assets/icon" },
    ],
    outdir: virtualOut,
    entryNames: "[dir]/[name]-[hash]",
    chunkNames: "assets/[name]-[hash]",
    assetNames: "assets/[name]-[hash]",
    loader: { ".svg": "copy" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: ["chrome120", "firefox121", "safari17.5"],
    minify: true,
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"', MOM_VERSION: JSON.stringify(await readVersion()) },
    plugins: [oneStylesheet],
    write: false,
    metafile: true,
    logLevel: "error",
  });
  const files = outputFiles.map(({ path, contents }) => ({ path: relative(virtualOut, path), contents }));
  const initial = listInitial(metafile);
  files.push({ path: "index.html", contents: Buffer.from(await formatIndex(initial)) });
  const first = files.filter(({ path }) => path === "index.html" || initial.some((each) => each.path === path));
  const sizes = await Promise.all(first.map(async ({ contents }) => (await toGzip(contents)).byteLength));
  const initialBytes = sizes.reduce((sum, bytes) => sum + bytes, 0);
  if (initialBytes > mostInitialBytes) {
    throw new Error(
      `the web UI needs ${initialBytes} bytes (gzipped) before it can be used; ${mostInitialBytes} are allowed`,
    );
  }
  return { files, metafile, initialBytes };
}

/** Writes the bundle; the folder holds nothing else afterwards. */
export async function saveWeb({ files }: WebBundle, outdir: string): Promise<void> {
  await rm(outdir, { recursive: true, force: true });
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) {
    await mkdir(join(outdir, folder), { recursive: true });
  }
  await Promise.all(files.map((file) => saveWithCompressed(join(outdir, file.path), file.contents)));
}

export async function buildWeb(outdir: string): Promise<WebBundle> {
  const bundle = await bundleWeb();
  await saveWeb(bundle, outdir);
  return bundle;
}

export const formatWebSize = ({ initialBytes }: WebBundle): string =>
  `${(initialBytes / 1000).toFixed(1)} kB gzipped of web UI before the first page is there`;

/**
 * esbuild does not load the styles of a part that is loaded later. So everything in web/styles/ is one file, whichever page it
 * is for, and a script that imports one of them only says that it needs it.
 */
const oneStylesheet: Plugin = {
  name: "one-stylesheet",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\.css$/ }, ({ path, importer, resolveDir }) => {
      if (!/\.tsx?$/.test(importer)) return undefined;
      if (dirname(join(resolveDir, path)) === join(root, "web", "styles")) return { path, namespace: "styles" };
      return { errors: [{ text: `styles lie in web/styles/; @import ${path} from a file there` }] };
    });
    onLoad({ filter: /.*/, namespace: "styles" }, () => ({ contents: "", loader: "js" }));
    onLoad({ filter: /\/web\/styles\/main\.css$/ }, async ({ path }) => {
      const own = await readFile(path, "utf8");
      const others = (await readdir(dirname(path)))
        .sort()
        .filter((name) => name !== "main.css" && !own.includes(`"./${name}"`));
      const imports = others.filter((name) => name.endsWith(".css")).map((name) => `@import "./${name}";`);
      return { contents: `${own}\n${imports.join("\n")}`, loader: "css" };
    });
  },
};

async function readVersion(): Promise<string> {
  return JSON.parse(await readFile(join(root, "package.json"), "utf8")).version;
}

interface Initial {
  path: string;
  kind: "entry" | "chunk" | "style" | "theme" | "icon";
}

function listInitial({ outputs }: Metafile): Initial[] {
  const found: Initial[] = [];
  const visit = (output: string, kind: Initial["kind"]) => {
    const path = relative(virtualOut, join(root, output));
    if (found.some((each) => each.path === path)) return;
    found.push({ path, kind });
    for (const { path: imported, kind: how } of outputs[output]?.imports ?? []) {
      if (how === "import-statement") visit(imported, "chunk");
    }
  };
  for (const [output, { entryPoint }] of Object.entries(outputs)) {
    if (entryPoint === "web/main.tsx") visit(output, "entry");
    if (entryPoint === "web/styles/main.css") visit(output, "style");
    if (entryPoint === "web/theme.ts") visit(output, "theme");
    if (basename(output).startsWith("icon-")) visit(output, "icon");
  }
  return found;
}

async function formatIndex(initial: readonly Initial[]): Promise<string> {
  const tagOf = {
    icon: (src: string) => `<link rel="icon" type="image/svg+xml" href="${src}" />`,
    // Blocks on purpose: a chosen theme is there before the first paint.
    theme: (src: string) => `<script src="${src}"></script>`,
    style: (src: string) => `<link rel="stylesheet" href="${src}" />`,
    entry: (src: string) => `<script type="module" src="${src}"></script>`,
    chunk: (src: string) => `<link rel="modulepreload" href="${src}" />`,
  };
  const kinds = Object.keys(tagOf) as Initial["kind"][];
  const tags = kinds.flatMap((kind) =>
    initial.filter((each) => each.kind === kind).map(({ path }) => tagOf[kind](`/${path}`)),
  );
  const template = await readFile(join(root, "web", "index.html"), "utf8");
  return template.replace("<!-- assets -->", tags.join("\n    "));
}

const toGzip = (contents: Uint8Array): Promise<Buffer> => promisify(gzip)(contents, { level: 9 });

const toBrotli = (contents: Uint8Array): Promise<Buffer> =>
  promisify(brotliCompress)(contents, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: contents.byteLength },
  });

async function saveWithCompressed(path: string, contents: Uint8Array): Promise<void> {
  const [gzipped, brotli] = await Promise.all([toGzip(contents), toBrotli(contents)]);
  await Promise.all([writeFile(path, contents), writeFile(`${path}.gz`, gzipped), writeFile(`${path}.br`, brotli)]);
}

if (import.meta.main) {
  const bundle = await buildWeb(process.argv[2] ?? virtualOut);
  process.stdout.write(`${formatWebSize(bundle)}\n`);
}
