/** The folder of mom's own package, whether she runs from source or from `dist/`: docs, skills and the changelog lie there. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Looks upwards from `start`; undefined where there is none. */
export function findPackageDir(start: string = import.meta.dirname): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
