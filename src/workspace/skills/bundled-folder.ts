/** Where the skills that come with mom lie: `skills/` of her package. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findPackageDir } from "../../base/package-dir.ts";

/** Undefined where the package has no skills folder. */
export function findBundledSkills(start?: string): string | undefined {
  const folder = findPackageDir(start);
  const skills = folder === undefined ? undefined : join(folder, "skills");
  return skills !== undefined && existsSync(skills) ? skills : undefined;
}
