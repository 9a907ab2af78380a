/** Runs a program to its end and says what it cost: wall and CPU time by bash's `time`, which sees the whole process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Cost } from "./figure.ts";

export interface CommandCost extends Cost {
  stdout: string;
}

/** The times go to a pipe of their own, so that they cannot mix with what the program says. */
const timed = 'TIMEFORMAT="%3R %3U %3S"; exec 4>&2; { time "$@" 2>&4 3>&- 4>&-; } 2>&3';

/** Rejects when the program fails. */
export async function timeCommand(
  args: readonly string[],
  { env, cwd }: { env: Record<string, string>; cwd: string },
): Promise<CommandCost> {
  const child = spawn("bash", ["-c", timed, "bash", ...args], { env, cwd, stdio: ["ignore", "pipe", "pipe", "pipe"] });
  const read = (stream: unknown) => (stream instanceof Readable ? text(stream) : "");
  const [stdout, errors, times, [code]] = await Promise.all([
    read(child.stdio[1]),
    read(child.stdio[2]),
    read(child.stdio[3]),
    once(child, "exit"),
  ]);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${errors.trim() || stdout.trim()}`);
  const [wall = 0, user = 0, system = 0] = times.trim().split(" ").map(Number);
  return { wallMs: wall * 1000, cpuMs: (user + system) * 1000, stdout };
}
