/**
 * The first process inside a sandbox: when it goes, the kernel ends all others there, and none of them is left when it is
 * gone. bubblewrap itself comes back earlier, as soon as the program has ended, so the end of this one is waited for.
 */
import { close, read } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Clock } from "../contracts/clock.ts";
import { openUnnamed } from "./unnamed-file.ts";

export interface InitProcess {
  /** For `bwrap --info-fd`; the caller's to close. */
  fd: number;
  /** Ends everything in the sandbox; resolves when it is gone. */
  end(): Promise<undefined>;
  /** Forgets it. */
  release(): void;
}

/** The end is near as a rule: looked for soon at first, then less and less often. Two seconds in all. */
const firstPollMs = 1;
const longestPollMs = 10;
const maxWaitMs = 2000;
const maxInfoBytes = 4096;

export async function openInitProcess(clock: Clock): Promise<InitProcess> {
  const { writer, reader } = await openUnnamed();
  return {
    fd: writer,
    async end() {
      const { buffer, bytesRead } = await promisify(read)(reader, Buffer.alloc(maxInfoBytes), 0, maxInfoBytes, 0);
      const pid = parsePid(buffer.toString("utf8", 0, bytesRead));
      if (pid !== undefined) await endProcess(pid, clock);
      return undefined;
    },
    release: () => close(reader, () => undefined),
  };
}
function parsePid(text: string): number | undefined {
  const found = /"child-pid":\s*(\d+)/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

async function endProcess(pid: number, clock: Clock): Promise<void> {
  let pollMs = firstPollMs;
  for (let waitedMs = 0; waitedMs < maxWaitMs && (await isAlive(pid)); waitedMs += pollMs) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone between the look and the signal.
    }
    await clock.sleep(pollMs);
    pollMs = Math.min(longestPollMs, pollMs * 2);
  }
}

/** A process that only waits to be taken note of has nothing left that runs. */
async function isAlive(pid: number): Promise<boolean> {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [name, state] = [
    line.slice(line.indexOf("(") + 1, line.lastIndexOf(")")),
    line.slice(line.lastIndexOf(")") + 2)[0],
  ];
  // The number may be somebody else's by now.
  return name === "bwrap" && state !== "Z" && state !== "X";
}
