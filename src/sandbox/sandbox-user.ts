/**
 * The ordinary user that programs run as when mom is root. She gives him what he is to work with: files below the roots
 * that belong to root become his, and only those. Called before programs start; an ordinary mom has nothing to give.
 */
import type { Stats } from "node:fs";
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { type OpenFolder, openFolder } from "../base/open-folder.ts";
import { openWithin } from "../base/open-within.ts";
import type { Log } from "../contracts/log.ts";
import type { ExecutorScope } from "../contracts/sandbox.ts";
import type { Owner } from "./path-guard.ts";
import { isWithin, pickOutermost, toRealPath } from "./real-path.ts";
import type { FolderFinder } from "./scope-folders.ts";

export interface SandboxUser {
  /** Absent: mom is no root, programs run as she does. */
  readonly owner: Owner | undefined;
  /**
   * A root's whole tree the first time; later what was added at the top of it, where mom puts files herself. Throws
   * `FOLDER_LINKED` when the working folder is behind a link that programs may have laid.
   */
  ensureOwner(scope: ExecutorScope): Promise<void>;
}

/** Folders of the system: given away, they would give the system away. Folders below them may be roots. */
const untouchable = new Set(
  "/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /media /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr /var"
    .split(" ")
    .flatMap((path) => [path, `/usr${path}`]),
);
const topLevels = 2;
const maxSeen = 20_000;

export interface SandboxUserParts {
  log: Log;
  uid: number;
  folders: FolderFinder;
}

export function createSandboxUser({ log, uid, folders }: SandboxUserParts): SandboxUser {
  if (process.getuid?.() !== 0) return { owner: undefined, ensureOwner: async () => undefined };
  const owner: Owner = { uid, gid: uid };
  const given = new Map<string, Promise<void>>();
  /** When a folder last changed that was gone through at the top of a root. */
  const seen = new Map<string, number>();

  const remember = (path: string, changedAt: number) => {
    seen.delete(path);
    const [oldest] = seen.keys();
    if (seen.size >= maxSeen && oldest !== undefined) seen.delete(oldest);
    seen.set(path, changedAt);
  };
  const give = async (root: Root, scope: ExecutorScope, hidden: readonly string[]) => {
    const { path: folder } = root;
    if (untouchable.has(folder)) {
      log.warn("a folder of the system stays root's, so programs cannot write to it", { folder });
      return;
    }
    const isMine = (path: string) => !hidden.some((closed) => isWithin(path, closed));
    const visit = { owner, isMine, isSealed: (path: string) => scope.isSealed?.(path) ?? false };
    const first = given.get(folder);
    if (first === undefined) {
      const whole = giveTree(root, { ...visit, levels: Number.POSITIVE_INFINITY, isKnown: () => false });
      given.set(folder, whole);
      whole.catch(() => given.delete(folder));
      return whole;
    }
    await first;
    const isKnown = (path: string, changedAt: number) => {
      const known = seen.get(path) === changedAt;
      remember(path, changedAt);
      return known;
    };
    await giveTree(root, { ...visit, levels: topLevels, isKnown });
  };
  return {
    owner,
    async ensureOwner(scope) {
      const hidden = await Promise.all(scope.hidden.map((path) => toRealPath(path)));
      const { roots, agentFolders } = await folders.find(scope);
      for (const path of new Set(roots)) {
        await give({ path, below: pickOutermost(path, agentFolders) }, scope, hidden);
      }
    },
  };
}

/** `below`: a folder around it that programs cannot swap, if they can swap this one. Real paths. */
interface Root {
  path: string;
  below: string | undefined;
}

interface Visit {
  owner: Owner;
  levels: number;
  /** Not hidden. */
  isMine(path: string): boolean;
  isSealed(path: string): boolean;
  /** Has nothing been added to the folder since it was last asked for? */
  isKnown(path: string, changedAt: number): boolean;
}

const asFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const asFile = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function giveTree(root: Root, visit: Visit): Promise<void> {
  const folder = await openRoot(root).catch(() => undefined);
  try {
    if (folder?.handle === undefined) return;
    const info = await folder.handle.stat();
    await giveFolder(folder.handle, root.path, info.dev, visit, visit.levels);
  } finally {
    await folder?.close();
  }
}

const openRoot = ({ path, below }: Root): Promise<OpenFolder | undefined> =>
  below === undefined ? openFolder(path) : openWithin(below, relative(below, path));

/** Works through the open folder: programs may swap names for links at any moment, and this runs with root's rights. */
async function giveFolder(folder: FileHandle, path: string, dev: number, visit: Visit, levels: number): Promise<void> {
  const info = await folder.stat();
  if (info.uid === 0) await folder.chown(visit.owner.uid, visit.owner.gid);
  const isKnown = visit.isKnown(path, info.mtimeMs);
  if (isKnown && levels <= 1) return;
  const base = `/proc/self/fd/${folder.fd}`;
  for (const entry of await readdir(base, { withFileTypes: true })) {
    const entryPath = join(path, entry.name);
    if (!visit.isMine(entryPath)) continue;
    if (entry.isDirectory() && levels > 1) await enterFolder(join(base, entry.name), entryPath, dev, visit, levels - 1);
    if (entry.isFile() && !isKnown) await giveFile(join(base, entry.name), entryPath, visit);
  }
}

async function enterFolder(way: string, path: string, dev: number, visit: Visit, levels: number): Promise<void> {
  const folder = await open(way, asFolder).catch(() => undefined);
  if (folder === undefined) return;
  try {
    // Another file system hangs here; whose it is, is not for us to say.
    if ((await folder.stat()).dev === dev) await giveFolder(folder, path, dev, visit, levels);
  } finally {
    await folder.close();
  }
}

async function giveFile(way: string, path: string, visit: Visit): Promise<void> {
  const isRoots = (info: Stats) => info.isFile() && info.uid === 0 && info.nlink === 1;
  const before = await lstat(way).catch(() => undefined);
  if (before === undefined || !isRoots(before)) return;
  const file = await open(way, asFile).catch(() => undefined);
  if (file === undefined) return;
  try {
    const info = await file.stat();
    if (!isRoots(info) || (await readlink(`/proc/self/fd/${file.fd}`)) !== path) return;
    // Records have one writer, but many readers.
    if (visit.isSealed(path)) await file.chmod((info.mode & 0o777) | 0o044);
    else await file.chown(visit.owner.uid, visit.owner.gid);
  } finally {
    await file.close();
  }
}
