/** The data directory itself: is it there, can it be written, is there room; and who is on it. */
import { access, constants, stat, statfs } from "node:fs/promises";
import { formatBytes } from "../../base/format-values.ts";
import { buildLayout, inspectDatabase, readHolder } from "../../store/index.ts";
import { readHolderNow } from "../holder.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const littleBytes = 200 * 1024 * 1024;
const tooLittleBytes = 10 * 1024 * 1024;

/** The first finding says whether there is a directory at all; without one the rest makes no sense. */
export async function checkDataDir(dataDir: string): Promise<Finding[]> {
  const check = "data directory";
  const found = await stat(dataDir).catch(() => undefined);
  if (!found) return [fail(check, `there is no ${dataDir}`, `Name it with --data, or make one with: mom ${dataDir}`)];
  if (!found.isDirectory()) return [fail(check, `${dataDir} is not a folder`, "Name a folder with --data.")];
  const closed = await listUnwritable(dataDir);
  const fix = "Give the user that runs mom write access, for example: chown -R <user> <folder>";
  if (closed.length > 0) return [fail(check, `cannot be written: ${closed.join(", ")}`, fix)];
  return [ok(check, dataDir), await checkSpace(dataDir)];
}

async function listUnwritable(dataDir: string): Promise<string[]> {
  const { stateDir, workspaceDir, channelsDir, logsDir, databasePath, lockPath } = buildLayout(dataDir);
  const closed: string[] = [];
  for (const path of [dataDir, stateDir, logsDir, databasePath, lockPath, workspaceDir, channelsDir]) {
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    const isOpen = await access(path, constants.R_OK | constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isThere && !isOpen) closed.push(path);
  }
  return closed;
}

async function checkSpace(dataDir: string): Promise<Finding> {
  const check = "disk";
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const detail = `${formatBytes(free)} free`;
  if (free < tooLittleBytes) return fail(check, detail, "Free some space; mom cannot take messages without.");
  return free < littleBytes ? warn(check, detail, "Free some space soon.") : ok(check, detail);
}

export function checkLock(dataDir: string): Finding {
  const check = "running";
  const holder = readHolderNow(dataDir);
  if (holder) return ok(check, `yes, process ${holder.pid} on ${holder.host} since ${holder.startedAt}`);
  const left = readHolder(buildLayout(dataDir));
  if (!left) return ok(check, "no");
  const detail = `no; the last one (process ${left.pid}, started ${left.startedAt}) did not end in order`;
  return warn(
    check,
    detail,
    "Nothing to do: the next start takes up what was cut off. `mom logs tail` may say why it ended.",
  );
}

export function checkDatabase(dataDir: string): Finding {
  const check = "database";
  const { databasePath } = buildLayout(dataDir);
  const state = inspectDatabase(databasePath);
  if (state.type === "missing") return ok(check, "none yet; made at the first start");
  if (state.type === "sound") return ok(check, `sound, schema ${state.schema}`);
  if (state.type === "too-new") {
    const detail = `written by a newer mom (schema ${state.schema}; this one knows ${state.known})`;
    return fail(check, detail, "Install the newer version again, or restore a backup.");
  }
  return fail(
    check,
    `${databasePath} is damaged (${state.detail})`,
    "Start mom: it sets the file aside and rebuilds what it can from the channel folders. Or restore a backup.",
  );
}
