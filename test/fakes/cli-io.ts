/** The command line in this process: a command run as a person would, on streams of ours, in a folder of ours. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { Command } from "commander";
import type { CliIo } from "../../src/cli/io.ts";
import { runProgram } from "../../src/cli/program.ts";

export interface CliWorld {
  /** Where commands are run, and the data directory `data` in it. */
  cwd: string;
  dataDir: string;
  /** The command with its arguments; `input` is what stdin says before it ends. */
  run(args: string[], input?: string): Promise<{ code: number; out: string; err: string }>;
  close(): Promise<void>;
}

/** `builders` by name of the command. Nothing of this process's environment is passed on but what programs need. */
export async function createCliWorld(builders: Record<string, (io: CliIo) => Command>): Promise<CliWorld> {
  const cwd = await mkdtemp(join(tmpdir(), "mom-cli-"));
  const commands = Object.entries(builders).map(([name, build]) => ({
    name,
    summary: name,
    group: "Commands:",
    load: async () => build,
  }));
  return {
    cwd,
    dataDir: join(cwd, "data"),
    async run(args, input = "") {
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
      const exits: number[] = [];
      const env = { PATH: process.env["PATH"], HOME: cwd, USER: "ann" };
      const io = { stdin, stdout, stderr, env, cwd, exit: (code: number) => void exits.push(code) };
      stdin.end(input);
      // Streams with the few members of a terminal's that commands look at; none of them is one.
      const code = await runProgram(args, { io: io as unknown as CliIo, version: "0.0.0", commands });
      return { code: exits[0] ?? code, out: String(stdout.read() ?? ""), err: String(stderr.read() ?? "") };
    },
    close: () => rm(cwd, { recursive: true, force: true }),
  };
}
