/**
 * Finds and ends every process of a run, wherever it has gone. A run's first process leads a session of its own; beyond
 * that session a process is recognised by a living ancestor or by the mark in its environment. One that gave up all three
 * (new session, orphaned, environment wiped) cannot be told from a stranger's: only a sandbox with its own process
 * namespace catches that.
 */
import { readdir, readFile } from "node:fs/promises";
import type { Clock } from "../contracts/clock.ts";
import { markName } from "./environment.ts";

export interface ProcessTree {
  /** The first process: leader of the run's session and group. */
  rootPid: number;
  /** Value of the mark in the environment. */
  mark: string;
  /** On the monotonic clock. */
  startedAt: number;
}

interface ProcessRow {
  pid: number;
  parentPid: number;
  groupId: number;
  sessionId: number;
}

const pollMs = 20;
const maxKillRounds = 50;
/** In so short a time process numbers do not go all the way round: even the smallest range of them takes longer. */
const oneRoundMs = 250;

/** Asks every process to end, waits `graceMs`, then kills what is left. Resolves when none is left that can be found. */
export async function endProcessTree(tree: ProcessTree, clock: Clock, graceMs: number): Promise<void> {
  const deadline = clock.monotonic() + graceMs;
  const signalTree = (signal: NodeJS.Signals | 0) =>
    signalMembers(tree, signal, clock.monotonic() - tree.startedAt < oneRoundMs);
  let alive = await signalTree("SIGTERM");
  while (alive > 0 && clock.monotonic() < deadline) {
    await clock.sleep(pollMs);
    alive = await signalTree(0);
  }
  // A tree that forks while it dies needs several rounds.
  for (let round = 0; alive > 0 && round < maxKillRounds; round++) {
    alive = await signalTree("SIGKILL");
    if (alive > 0) await clock.sleep(pollMs);
  }
}

/** Signals all members (0: only looks) and says how many there were. */
async function signalMembers(tree: ProcessTree, signal: NodeJS.Signals | 0, isYoung: boolean): Promise<number> {
  const members = await findMembers(tree, isYoung);
  // Also when nobody was found: one that forks faster than it is looked for is in the group all the time.
  const groupAlive = send(-tree.rootPid, signal);
  if (members === undefined) return groupAlive ? 1 : 0;
  for (const pid of members) send(pid, signal);
  return members.length;
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // Already gone, or not ours to signal.
    return false;
  }
}

/** Living members of the run; undefined where the system has no `/proc` and only the group is known. */
async function findMembers(tree: ProcessTree, isYoung: boolean): Promise<number[] | undefined> {
  const rows = await listProcesses(tree.rootPid, isYoung);
  if (rows === undefined) return undefined;
  const isMember = async (row: ProcessRow) => {
    if (row.pid === process.pid || row.pid <= 1) return false;
    return row.sessionId === tree.rootPid || row.groupId === tree.rootPid || (await hasMark(row.pid, tree.mark));
  };
  const verdicts = await Promise.all(rows.map(isMember));
  const members = new Set(rows.filter((_, i) => verdicts[i]).map((row) => row.pid));
  addDescendants(members, rows);
  return [...members];
}

function addDescendants(members: Set<number>, rows: ProcessRow[]): void {
  for (let grown = true; grown; ) {
    grown = false;
    for (const row of rows) {
      if (members.has(row.pid) || !members.has(row.parentPid) || row.pid === process.pid) continue;
      members.add(row.pid);
      grown = true;
    }
  }
}

async function hasMark(pid: number, mark: string): Promise<boolean> {
  try {
    return (await readFile(`/proc/${pid}/environ`)).includes(`${markName}=${mark}\0`);
  } catch {
    // Ended meanwhile, or another user's.
    return false;
  }
}

/**
 * Those that can have come from the run. Numbers are given out in order and start again at the bottom after the highest:
 * those of a young run lie between its first and the newest, those of an old one anywhere.
 */
async function listProcesses(rootPid: number, isYoung: boolean): Promise<ProcessRow[] | undefined> {
  if (process.platform !== "linux") return undefined;
  const [names, load] = await Promise.all([readdir("/proc"), readFile("/proc/loadavg", "utf8")]).catch(() => []);
  if (names === undefined || load === undefined) return undefined;
  const newestPid = Number(load.trim().split(" ").at(-1));
  const isInOrder = isYoung && newestPid >= rootPid;
  const isCandidate = (name: string) =>
    /^\d+$/.test(name) && (!isInOrder || (Number(name) >= rootPid && Number(name) <= newestPid));
  const rows = await Promise.all(names.filter(isCandidate).map(readProcess));
  return rows.filter((row) => row !== undefined);
}

/** One line of `/proc/<pid>/stat`; the program's name in it may hold spaces and brackets. Undefined for the dead. */
async function readProcess(pid: string): Promise<ProcessRow | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const [state, parentPid, groupId, sessionId] = fields;
  if (state === undefined || sessionId === undefined || state === "Z" || state === "X") return undefined;
  return {
    pid: Number(pid),
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    sessionId: Number(sessionId),
  };
}
