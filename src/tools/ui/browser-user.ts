/**
 * Keeps the browser from running as root. A mom that runs as root starts it as a user of its own, one that neither people
 * nor the sandbox's programs have, through a small script; Chromium's own sandbox then works, which as root it does not.
 */
import { stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Not `nobody`: that one runs the programs of the sandbox, and they must not reach cookies. */
const browserUid = 65533;

/** Undefined: it runs as mom's own user. */
export function pickBrowserUser(platform: NodeJS.Platform, ownUid: number | undefined): number | undefined {
  return platform === "linux" && ownUid === 0 ? browserUid : undefined;
}

/** The highest folder on the way to `folder` that other users may not pass through; undefined when the way is free. */
export async function findClosedFolder(folder: string): Promise<string | undefined> {
  const way: string[] = [];
  for (let at = dirname(folder); at !== dirname(at); at = dirname(at)) way.unshift(at);
  for (const step of way) if (((await stat(step)).mode & 0o001) === 0) return step;
  return undefined;
}

export interface Launcher {
  uid: number;
  /** Absolute path of the browser. */
  program: string;
  /** What the browser keeps and needs. */
  folder: string;
  /** See `findClosedFolder`. */
  closed: string | undefined;
}

/**
 * The script that stands in for the browser. Where the way to its folder is closed to others (a data directory is), the
 * folder is put into the browser's own view of the files in place of everything else behind that door.
 */
export function buildLauncher({ uid, program, folder, closed }: Launcher): string {
  const drop = `exec setpriv --reuid ${uid} --regid ${uid} --clear-groups --`;
  if (closed === undefined) return `#!/bin/sh\n${drop} ${quote(program)} "$@"\n`;
  return `#!/bin/sh
exec unshare --mount --propagation private -- /bin/sh -c '
set -e
closed=$1 folder=$2
shift 2
mount -t tmpfs -o mode=0755,size=64k mom /mnt
mkdir /mnt/folder
mount --bind "$folder" /mnt/folder
mount -t tmpfs -o mode=0755,size=64k mom "$closed"
mkdir -p "$folder"
mount --move /mnt/folder "$folder"
umount /mnt
${drop} "$@"
' sh ${quote(closed)} ${quote(folder)} ${quote(program)} "$@"
`;
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
