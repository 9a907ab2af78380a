/** The files of a config on disk: where they are, how they are read and written, and what to say when that fails. */
import { chown, mkdir, readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { writeFileAtomic } from "../base/atomic-file.ts";
import { ConfigError, errorText, systemCode } from "../base/errors.ts";

/** Config and secret files are a few kilobytes; a larger one is a mistake, and `/dev/zero` has no end. */
const maxBytes = 1024 * 1024;
const ownerOnly = 0o600;

export function configPath(dir: string): string {
  return join(dir, "config.json");
}

export function lastGoodPath(dir: string): string {
  return join(dir, "state", "config.last-good.json");
}

/** The file's text; undefined when there is none. Throws `CONFIG_DIR_INVALID` and `CONFIG_UNREADABLE`. */
export async function readConfigText(dir: string): Promise<string | undefined> {
  const path = configPath(dir);
  try {
    return await readTextFile(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return undefined;
    if (code === "ENOTDIR") throw notAFolder(dir, error);
    const hint =
      code === "EACCES" || code === "EPERM"
        ? `Make it readable for the user that runs mom: chmod u+r ${path}`
        : `Put a JSON5 text file at ${path}, or choose another data directory.`;
    throw new ConfigError("CONFIG_UNREADABLE", `${path} cannot be read: ${errorText(error)}`, { hint, cause: error });
  }
}

/** Reads what `$file` names, relative to the folder of the config. Rejects when it is not a readable text file. */
export function readReferencedFile(dir: string, path: string): Promise<string> {
  return readTextFile(resolve(dir, path));
}

/** Makes the data directory and the first config in it, for the owner only. Throws `CONFIG_DIR_*`. */
export async function createConfigFile(dir: string, text: string): Promise<void> {
  try {
    await ensureFolder(dir);
    await writeFileAtomic(configPath(dir), text, { mode: ownerOnly });
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST" || code === "ENOTDIR") throw notAFolder(dir, error);
    throw notWritable(dir, error);
  }
}

/** Replaces `config.json` in one step; its permissions and owner, and a link that it may be, stay. Throws `CONFIG_DIR_NOT_WRITABLE`. */
export async function saveConfigText(dir: string, text: string): Promise<void> {
  try {
    const path = await realpath(configPath(dir));
    const { mode, uid, gid } = await stat(path);
    await writeFileAtomic(path, text, { mode: mode & 0o777 });
    const written = await stat(path);
    // An edit as root must not take the file away from the user that mom runs as.
    if (written.uid !== uid || written.gid !== gid) await chown(path, uid, gid);
  } catch (error) {
    throw notWritable(dir, error);
  }
}

export async function saveLastGood(dir: string, text: string): Promise<void> {
  const path = lastGoodPath(dir);
  await ensureFolder(dirname(path));
  await writeFileAtomic(path, text, { mode: ownerOnly });
}

export async function hasLastGood(dir: string): Promise<boolean> {
  return stat(lastGoodPath(dir)).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** Not mkdir's own `recursive`: it never comes back on file systems that answer "no such folder" to a new name, as /proc does. */
async function ensureFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    await ensureFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}

async function readTextFile(path: string): Promise<string> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error(found.isDirectory() ? "it is a folder" : "it is not a regular file");
  if (found.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
  const bytes = await readFile(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("it is not UTF-8 text");
  }
}

function notAFolder(dir: string, cause: unknown): ConfigError {
  return new ConfigError("CONFIG_DIR_INVALID", `${dir} cannot be the data directory: a file is in its place.`, {
    hint: "Name a folder, or a path where one can be made.",
    cause,
  });
}

function notWritable(dir: string, cause: unknown): ConfigError {
  return new ConfigError("CONFIG_DIR_NOT_WRITABLE", `${configPath(dir)} cannot be written: ${errorText(cause)}`, {
    hint: `Give the user that runs mom write access to ${dir} and free space on its disk, or choose another data directory.`,
    cause,
  });
}
