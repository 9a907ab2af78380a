/**
 * What custom tools import: mom's own names lead to the running program, everything else to the tool's own files and
 * packages, each of which is looked at before it becomes code of mom's. Every load of a tool has a number that its files
 * inherit, so that an edited file is read anew.
 */
import { randomBytes } from "node:crypto";
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as typebox from "typebox";

export interface ModuleHooks {
  /** The address to import, as the `n`-th load of this folder. */
  toUrl(index: string, folder: string, n: number): string;
  close(): void;
}

const queryName = "mom-load";

/** Names that are types only: authors import them beside values, and stripping types leaves the import as it is. */
const typeNames = {
  typebox: [
    "Static",
    "TSchema",
    "TObject",
    "TString",
    "TNumber",
    "TInteger",
    "TBoolean",
    "TArray",
    "TOptional",
    "TUnion",
    "TLiteral",
    "TEnum",
    "TProperties",
  ],
  pi: ["Tool", "AgentTool", "AgentToolResult", "TextContent", "ImageContent", "ToolCall", "Static", "TSchema"],
  mom: ["MomCustomTool", "CustomAgentTool", "CustomToolFactory", "ToolAPI", "Tool", "Static", "TSchema"],
};

const aliases: Readonly<Record<string, keyof typeof typeNames>> = {
  typebox: "typebox",
  "@sinclair/typebox": "typebox",
  "@mariozechner/pi-ai": "pi",
  "@earendil-works/pi-ai": "pi",
  "@mariozechner/pi-mom": "mom",
  mom: "mom",
};

/**
 * Hooks hold for the whole process; these look at their own tools only, under a name that is theirs alone. `findFault` says
 * why the file at a path may not be loaded.
 */
export function createModuleHooks(findFault: (path: string) => string | undefined): ModuleHooks {
  const id = randomBytes(8).toString("hex");
  const scheme = `mom-sdk-${id}:`;
  const sdkKey = Symbol.for(scheme);
  const folders = new Set<string>();
  /** Files that tools have imported, wherever they lie: what these import is the tools' too. */
  const imported = new Set<string>();
  const isEntry = (specifier: string) => specifier.includes(`?${queryName}=${id}.`);
  const isOfATool = (url: string | undefined) =>
    url?.startsWith("file:") === true &&
    (imported.has(withoutQuery(url)) || [...folders].some((folder) => url.startsWith(folder)));
  const values = { typebox: { ...typebox }, pi: buildShared(), mom: buildShared() };
  Reflect.set(globalThis, sdkKey, values);
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      if (!isEntry(specifier) && !isOfATool(parentURL)) return next(specifier, context);
      const alias = Object.hasOwn(aliases, specifier) ? aliases[specifier] : undefined;
      if (alias !== undefined) return { url: scheme + alias, format: "module", shortCircuit: true };
      const resolved = next(specifier, context);
      if (!resolved.url.startsWith("file:")) return resolved;
      const fault = findFault(fileURLToPath(resolved.url));
      if (fault !== undefined) throw new Error(fault);
      imported.add(withoutQuery(resolved.url));
      const load = new URL(isEntry(specifier) ? specifier : (parentURL ?? "")).searchParams.get(queryName);
      if (load === null || resolved.url.includes("/node_modules/")) return resolved;
      const url = new URL(resolved.url);
      url.searchParams.set(queryName, load);
      return { ...resolved, url: url.href };
    },
    load(url, context, next) {
      if (!url.startsWith(scheme)) return next(url, context);
      const name = url.slice(scheme.length);
      if (!isModuleName(name)) return next(url, context);
      return { format: "module", source: buildSource(scheme, name, values[name]), shortCircuit: true };
    },
  });
  return {
    toUrl(index, folder, n) {
      folders.add(`${pathToFileURL(folder).href}/`);
      const url = pathToFileURL(index);
      url.searchParams.set(queryName, `${id}.${n}`);
      return url.href;
    },
    close() {
      hooks.deregister();
      Reflect.deleteProperty(globalThis, sdkKey);
    },
  };
}

/** Where a module that failed lies, for people: addresses are turned back into paths. */
export const toPlainMessage = (message: string) =>
  message.replaceAll(/file:\/\/[^\s'")]+/g, (url) => {
    try {
      return fileURLToPath(withoutQuery(url));
    } catch {
      return url;
    }
  });

const withoutQuery = (url: string) => url.replace(/\?.*$/, "");

function buildShared() {
  const StringEnum = (values: readonly string[], options: Record<string, unknown> = {}) =>
    typebox.Type.Unsafe<string>({ type: "string", enum: [...values], ...options });
  return { Type: typebox.Type, StringEnum };
}

const isModuleName = (name: string): name is keyof typeof typeNames => Object.hasOwn(typeNames, name);

function buildSource(key: string, module: keyof typeof typeNames, values: Record<string, unknown>): string {
  const names = Object.keys(values).filter((name) => name !== "default");
  const types = typeNames[module].filter((name) => !names.includes(name));
  return [
    `const sdk = globalThis[Symbol.for(${JSON.stringify(key)})].${module};`,
    ...names.map((name, n) => `const v${n} = sdk[${JSON.stringify(name)}]; export { v${n} as ${name} };`),
    ...types.map((name, n) => `const t${n} = undefined; export { t${n} as ${name} };`),
    "export default sdk.Type;",
  ].join("\n");
}
