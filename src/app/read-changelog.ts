/** The changelog of this version, from the package that mom runs from. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findPackageDir } from "../base/package-dir.ts";

export async function readChangelog(): Promise<string> {
  const path = join(findPackageDir() ?? "", "CHANGELOG.md");
  return readFile(path, "utf8").catch(() => "This installation has no changelog.");
}
