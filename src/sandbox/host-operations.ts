/** `Operations` on the host: the guard first, then the system call on the real path. */

import type { Dirent, Stats } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../base/errors.ts";
import { imageHeaderBytes, pickImageType } from "../base/image-type.ts";
import type {
  ExecRequest,
  ExecResult,
  ExecutorScope,
  FolderItem,
  Operations,
  RunningProgram,
  StartRequest,
} from "../contracts/sandbox.ts";
import { globFiles } from "./glob-files.ts";
import {
  ensureIsFolder,
  listFolder,
  makeFolder,
  readRegularFile,
  removeRegularFile,
  replaceFile,
  toFileError,
} from "./host-files.ts";
import { createPathGuard, type PathGuard } from "./path-guard.ts";
import { isWithin } from "./real-path.ts";

/** Starts programs in `cwd`, a real path. Given by the executor, which knows the environment and what runs. */
export interface HostPrograms {
  exec(request: ExecRequest, cwd: string): Promise<ExecResult>;
  start(request: StartRequest, cwd: string): Promise<RunningProgram>;
}

export interface OperationsOptions {
  /** Programs cannot see what is hidden, so nobody has to leave it out. Absent: they can. */
  hidesFromPrograms?: boolean;
  /** Absent: `createPathGuard`. */
  createGuard?(scope: ExecutorScope): PathGuard;
}

export function createHostOperations(
  scope: ExecutorScope,
  programs: HostPrograms,
  options: OperationsOptions = {},
): Operations {
  const guard = (options.createGuard ?? createPathGuard)(scope);
  const resolveCwd = ({ cwd }: { cwd?: string }) => guard.resolve(cwd ?? scope.cwd);
  const exec = async (request: ExecRequest) => programs.exec(request, await resolveCwd(request));
  const readFile: Operations["readFile"] = async (path, range) =>
    readRegularFile(await guard.resolve(path), path, range, guard);
  const resolveWritable = async (path: string) => {
    const real = await guard.resolve(path);
    await guard.ensureWritable(real, path);
    return real;
  };
  return {
    cwd: scope.cwd,
    resolve: guard.resolve,
    hidden: options.hidesFromPrograms ? async () => [] : guard.hidden,
    exec,
    start: async (request) => programs.start(request, await resolveCwd(request)),
    readFile,
    async writeFile(path, data) {
      await replaceFile(await resolveWritable(path), path, data, guard);
    },
    async removeFile(path) {
      await removeRegularFile(await resolveWritable(path), path, guard);
    },
    async mkdir(path) {
      await makeFolder(await resolveWritable(path), path, guard);
    },
    async stat(path) {
      const info = await statIfThere(await guard.resolve(path), path);
      return info && { type: typeOf(info), size: info.size, modifiedAt: info.mtimeMs };
    },
    async readdir(path) {
      const real = await guard.resolve(path);
      const items = await listFolder(real, path, guard);
      const hidden = await guard.hidden();
      return items.filter((item) => !hidden.some((out) => isWithin(join(real, item.name), out))).map(toFolderItem);
    },
    async access(path, want) {
      try {
        const real = await (want === "read" ? guard.resolve : resolveWritable)(path);
        await access(real, want === "read" ? constants.R_OK : constants.W_OK);
        return true;
      } catch {
        return false;
      }
    },
    async glob(pattern, { root, limit, signal }) {
      const real = await guard.resolve(root);
      await ensureIsFolder(real, root, guard);
      return globFiles({ pattern, root: real, hidden: await guard.hidden(), limit, signal }, exec);
    },
    async imageType(path) {
      return pickImageType(await readFile(path, { offset: 0, maxBytes: imageHeaderBytes }));
    },
  };
}

async function statIfThere(real: string, asked: string): Promise<Stats | undefined> {
  try {
    return await stat(real);
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw toFileError(asked, error);
  }
}

const typeOf = (info: Stats) => (info.isFile() ? "file" : info.isDirectory() ? "folder" : "other");

function toFolderItem(item: Dirent): FolderItem {
  if (item.isSymbolicLink()) return { name: item.name, type: "link" };
  return { name: item.name, type: item.isFile() ? "file" : item.isDirectory() ? "folder" : "other" };
}
