/**
 * Keeps what was made of a file while the file stays the same. A file is looked at once a second at most, and read only
 * when it has changed. What cannot be used is complained about once and counts as absent.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Complain } from "./complaints.ts";
import { type ReadLimits, readWorkspaceFile, toStamp, type WorkspaceText } from "./read-file.ts";

export interface FileRequest {
  root: string;
  /** Relative to the root. */
  path: string;
  limits: ReadLimits;
}

export interface FileCache<Request, Value> {
  /** Undefined: absent, not usable, or `build` found nothing in it. Never rejects for what lies on the disk. */
  get(request: Request): Promise<Value | undefined>;
}

export interface FileCacheParts<Request, Value> {
  clock: Clock;
  complain: Complain;
  /** Calls with the same file and limits may share one result. */
  build(file: WorkspaceText, request: Request): Value | undefined | Promise<Value | undefined>;
}

/** Channels come and go; the least lately used files are forgotten. */
const maxEntries = 500;
/** Time stamps of files tick this coarsely at worst: a file changed just now may change again and look the same. */
const settledAfterMs = 50;
/** Turns come in bursts, and each would look at some ten files: an edit is seen this much later at worst. */
const freshForMs = 1000;

interface Entry<Value> {
  /** Empty: not settled yet, so that it is read again with the next look. */
  stamp: string;
  value: Value | undefined;
  lookedAtMs: number;
}

export function createFileCache<Request extends FileRequest, Value>({
  clock,
  complain,
  build,
}: FileCacheParts<Request, Value>): FileCache<Request, Value> {
  const entries = new Map<string, Entry<Value>>();
  const keep = (key: string, entry: Entry<Value>): Value | undefined => {
    entries.delete(key);
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) break;
      entries.delete(oldest);
    }
    return entry.value;
  };

  const load = async (request: Request, absolute: string): Promise<Value | undefined> => {
    const read = await readWorkspaceFile(request.root, request.path, request.limits);
    if (read.type === "text") return build(read, request);
    if (read.type === "unusable") complain(absolute, read.reason);
    return undefined;
  };

  return {
    async get(request) {
      const { root, path, limits } = request;
      const absolute = join(root, path);
      const key = `${limits.maxBytes}${limits.refuseLinks === true ? "!" : ":"}${root}\0${path}`;
      const kept = entries.get(key);
      const lookedAtMs = clock.monotonic();
      if (kept && lookedAtMs - kept.lookedAtMs < freshForMs) return keep(key, kept);
      const found = await look(absolute, complain);
      if (found === undefined) return keep(key, { stamp: "absent", value: undefined, lookedAtMs });
      if (kept?.stamp === found.stamp) return keep(key, { ...kept, lookedAtMs });
      const isSettled = clock.now() - found.changedAtMs > settledAfterMs;
      const value = await load(request, absolute);
      return keep(key, { stamp: isSettled ? found.stamp : "", value, lookedAtMs });
    },
  };
}

/** Follows links: the same stamp means the same content, wherever the name leads by now. Undefined: it is not there. */
async function look(absolute: string, complain: Complain): Promise<{ stamp: string; changedAtMs: number } | undefined> {
  try {
    const info = await stat(absolute);
    return { stamp: toStamp(info), changedAtMs: Math.max(info.mtimeMs, info.ctimeMs) };
  } catch (error) {
    const code = systemCode(error) ?? "unknown";
    if (code !== "ENOENT" && code !== "ENOTDIR") complain(absolute, `it cannot be read (${code})`);
    return undefined;
  }
}
