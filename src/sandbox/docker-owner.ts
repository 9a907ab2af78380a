/** Tells whose a container is, so that one whose mom has died can be removed by the next, and a living one's cannot. */
import { readFile } from "node:fs/promises";

/** The instance of mom, the same after a restart. */
export const instanceLabel = "mom";
/** The process that started it, in a form that no later process shares. */
export const ownerLabel = "mom.owner";

export async function describeOwner(pid: number): Promise<string> {
  return `${pid}-${(await readStartTicks(pid)) ?? "0"}`;
}

export async function isOwnerAlive(owner: string): Promise<boolean> {
  const pid = Number(owner.split("-")[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isRunning(pid)) return false;
  return owner === (await describeOwner(pid));
}

/** When the process began, in the system's ticks. Undefined where there is no `/proc`. */
async function readStartTicks(pid: number): Promise<string | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return line.slice(line.lastIndexOf(")") + 2).split(" ")[19];
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is there, but somebody else's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
