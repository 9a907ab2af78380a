/**
 * May a script of the config be run on the host? Whoever can write it decides what the host does, so nothing counts that lies in
 * a folder that agents can write: neither the program nor a file that it is given to run.
 */
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, resolve, sep } from "node:path";

/** Undefined: it may. `agentFolders`: absolute. */
export async function findScriptFault(
  run: readonly string[],
  agentFolders: readonly string[],
): Promise<string | undefined> {
  const walls = (await Promise.all(agentFolders.map(async (folder) => [resolve(folder), await toReal(folder)]))).flat();
  const isInside = (path: string) => walls.some((wall) => path === wall || path.startsWith(wall + sep));
  for (const [index, part] of run.entries()) {
    if (!isAbsolute(part)) continue;
    const real = await toReal(part);
    const info = await stat(real).catch(() => undefined);
    if (index === 0 && !info?.isFile()) return `${part} is not a program that is there. Look at the path.`;
    if (!info?.isFile()) continue;
    // The way as it is written counts too: a link in there could lead elsewhere tomorrow.
    if (isInside(real) || isInside(resolve(part))) {
      return `${part} lies in a folder that agents can write. Move it out of there.`;
    }
  }
  return undefined;
}

const toReal = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));
