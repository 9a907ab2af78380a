/**
 * The folders of one agent's browser, below `<state>/browser/<agent>`: profile (cookies), downloads, and a home for
 * temporary files. As root they belong to the browser's user, but the folder they lie in does not: what stands there
 * cannot be swapped for a link while mom works with it.
 */
import { randomBytes } from "node:crypto";
import { lchown, mkdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { ToolError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import { buildLauncher, findClosedFolder } from "./browser-user.ts";

export interface ProfileFolder {
  base: string;
  profile: string;
  downloads: string;
  /** HOME and TMPDIR. Emptied at every start. */
  home: string;
}

/** Makes what is missing and empties what is temporary. `uid`: whom it is for, where that is not mom's own user. */
export async function ensureProfileFolder(
  root: string,
  agentId: string,
  uid: number | undefined,
): Promise<ProfileFolder> {
  if (!/^[\w-][\w.-]{0,99}$/.test(agentId)) {
    throw new ToolError("BROWSER_PROFILE", `"${agentId}" cannot be the name of a browser profile`, {
      hint: "Give the agent a name of letters, digits, - and _.",
    });
  }
  const base = join(root, agentId);
  const inside = { profile: join(base, "profile"), downloads: join(base, "downloads"), home: join(base, "home") };
  await mkdir(root, { recursive: true, mode: 0o700 });
  await mkdir(base, { recursive: true, mode: uid === undefined ? 0o700 : 0o711 });
  for (const folder of [inside.downloads, inside.home]) await rm(folder, { recursive: true, force: true });
  for (const folder of Object.values(inside)) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (uid !== undefined) await lchown(folder, uid, uid);
  }
  return { base, ...inside };
}

/** The program to start: the browser itself, or the script that starts it as `uid`. */
export async function ensureLauncher(folder: ProfileFolder, program: string, uid: number | undefined): Promise<string> {
  if (uid === undefined) return program;
  const script = join(folder.base, "launch.sh");
  const closed = await findClosedFolder(folder.base);
  // Under a name of its own first: a script that is just being run cannot be written to.
  await rm(script, { force: true });
  await writeFile(script, buildLauncher({ uid, program, folder: folder.base, closed }), { mode: 0o700, flag: "wx" });
  return script;
}

const lockNames = ["SingletonLock", "SingletonCookie", "SingletonSocket"];
const pollMs = 20;
const waitMs = 3000;

/**
 * Frees a profile that a browser held when it, mom or the machine was killed. One that still runs on it was started by a
 * mom that is gone (two never share a data directory) and is ended.
 */
export async function releaseProfile({ profile }: ProfileFolder, clock: Clock): Promise<void> {
  const holder = await readlink(join(profile, "SingletonLock")).catch(() => "");
  const [, host, pidText] = /^(.*)-(\d+)$/.exec(holder) ?? [];
  const pid = Number(pidText);
  if (host === hostname() && (await isHolder(pid, profile))) await endHolder(pid, profile, clock);
  for (const name of lockNames) await rm(join(profile, name), { force: true });
}

async function endHolder(pid: number, profile: string, clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + waitMs;
  // It ends by itself when the pipe to mom has closed; only a stuck one needs help.
  while (clock.monotonic() < deadline) {
    await clock.sleep(pollMs);
    if (!(await isHolder(pid, profile))) return;
  }
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Ended meanwhile.
  }
}

/** Numbers of processes are used again: only its command line tells that it is this browser. */
async function isHolder(pid: number, profile: string): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return command.split("\0").includes(`--user-data-dir=${profile}`);
}

/** A folder name for a browser that is started only to see whether it starts. */
export const createTrialName = () => `check-${randomBytes(6).toString("hex")}`;
