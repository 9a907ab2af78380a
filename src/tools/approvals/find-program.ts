/**
 * Which file a program's name means, as the shell will find it. A rule names that file, so the answer must be one that
 * nobody but the operator can change: a name that could come to mean a file of the agent's means none.
 */
import { access, constants, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, sep } from "node:path";

/** Absolute, folders real; undefined where it is not certain. */
export type FindProgram = (program: string) => Promise<string | undefined>;

export interface ProgramPlaces {
  /** `PATH` as programs are given it. */
  path: string;
  /** Absolute: folders that tools can write in. */
  writable(): readonly string[] | Promise<readonly string[]>;
}

export function createProgramFinder({ path, writable }: ProgramPlaces): FindProgram {
  return async (program) => {
    const isOurs = await buildGuard(await writable());
    if (isAbsolute(program)) return pickFile(dirname(program), basename(program), isOurs);
    // A relative path begins in the workspace.
    if (program.includes("/")) return undefined;
    for (const folder of path.split(":")) {
      // What lies there can be changed, and would be found first.
      if (!isAbsolute(folder) || (await isOpen(folder, isOurs))) return undefined;
      const found = await pickFile(folder, program, isOurs);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

type Guard = (path: string) => boolean;

async function buildGuard(folders: readonly string[]): Promise<Guard> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  const all = [...new Set([...folders, ...real])];
  return (path) =>
    all.some((folder) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
}

/** The name is kept: programs that are many in one file (busybox, coreutils) know by it which one they are. */
async function pickFile(folder: string, name: string, isOurs: Guard): Promise<string | undefined> {
  try {
    const path = join(await realpath(folder), name);
    const target = await realpath(path);
    await access(target, constants.X_OK);
    const { mode } = await stat(target);
    const isFile = (mode & constants.S_IFMT) === constants.S_IFREG;
    if (!isFile || isOurs(path) || isOurs(target) || (await isOpen(folder, isOurs))) return undefined;
    return path;
  } catch {
    return undefined;
  }
}

/** May somebody else put a file there? A folder that is not there yet counts by where it would be. */
async function isOpen(folder: string, isOurs: Guard): Promise<boolean> {
  if (isOurs(folder)) return true;
  try {
    const real = await realpath(folder);
    const { mode } = await stat(real);
    return isOurs(real) || (mode & constants.S_IWOTH) !== 0;
  } catch {
    return false;
  }
}
