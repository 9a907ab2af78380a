/** `Operations` on the host: the guard first, then the system call on the real path. */

import type { Dirent, Stats } from "node:fs";
import { access, constants, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemCode, ToolError } from "../base/errors.ts";
import { imageHeaderBytes, pickImageType } from "../base/image-type.ts";
import type { ExecRequest, ExecResult, ExecutorScope, FolderItem, Operations } from "../contracts/sandbox.ts";
import { globFiles } from "./glob-files.ts";
import { readRegularFile, replaceFile, toFileError } from "./host-files.ts";
import { createPathGuard, isWithin } from "./path-guard.ts";

/** Starts a program in `cwd`, a real path. Given by the executor, which knows the environment and what runs. */
export type HostExec = (request: ExecRequest, cwd: string) => Promise<ExecResult>;

export function createHostOperations(scope: ExecutorScope, run: HostExec): Operations {
  const guard = createPathGuard(scope);
  const exec = async (request: ExecRequest) => run(request, await guard.resolve(request.cwd ?? scope.cwd));
  const readFile: Operations["readFile"] = async (path, range) =>
    readRegularFile(await guard.resolve(path), path, range, guard);
  return {
    cwd: scope.cwd,
    resolve: guard.resolve,
    hidden: guard.hidden,
    exec,
    readFile,
    async writeFile(path, data) {
      const real = await guard.resolve(path);
      if (scope.isSealed?.(real)) {
        throw new ToolError(
          "PATH_SEALED",
          `"${path}" can only be read: it is mom's own record of what was said, or comes with her`,
          {
            hint: "Write to another file; scratch/ in the channel's folder is free to use.",
          },
        );
      }
      await replaceFile(real, path, data, guard);
    },
    async mkdir(path) {
      const real = await guard.resolve(path);
      await mkdir(real, { recursive: true }).catch((error) => Promise.reject(toFileError(path, error)));
    },
    async stat(path) {
      const info = await statIfThere(await guard.resolve(path), path);
      return info && { type: typeOf(info), size: info.size, modifiedAt: info.mtimeMs };
    },
    async readdir(path) {
      const real = await guard.resolve(path);
      const items = await readdir(real, { withFileTypes: true }).catch((error) =>
        Promise.reject(toFileError(path, error)),
      );
      const hidden = await guard.hidden();
      return items.filter((item) => !hidden.some((out) => isWithin(join(real, item.name), out))).map(toFolderItem);
    },
    async access(path, want) {
      try {
        await access(await guard.resolve(path), want === "read" ? constants.R_OK : constants.W_OK);
        return true;
      } catch {
        return false;
      }
    },
    async glob(pattern, { root, limit, signal }) {
      const request = { pattern, root: await guard.resolve(root), hidden: await guard.hidden(), limit, signal };
      return globFiles(request, exec);
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
