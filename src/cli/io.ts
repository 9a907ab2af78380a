/** What a terminal command has of the outside world. Made once in main.ts; tests pass their own. */
export interface CliIo {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  env: Record<string, string | undefined>;
  cwd: string;
  /** `--debug` was given: stacks are shown. Absent: no. The flag itself never reaches the commands. */
  debug?: true;
  /** Ends the process: 0 done, 1 failed, 2 bad use or bad config. */
  exit(code: number): void;
  /** Becomes a new process of the same command; ends with 0 where that cannot be had. Absent: there is nothing to begin anew. */
  restart?(): void;
}
