/** The real program as a child process, with piped stdio, on data directories of its own and without any key. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

const program = join(import.meta.dirname, "../../src/cli/main.ts");

export interface Mom {
  readonly child: ChildProcess;
  readonly out: string;
  readonly err: string;
  /** Waits until what it has printed matches; rejects if it ends before. */
  until(stream: "out" | "err", pattern: RegExp): Promise<void>;
  say(text: string): void;
  endInput(): void;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; out: string; err: string }>;
}

/** What a test has started: it ends before the test's folder is removed, or it would write there while that happens. */
const startedBy = new WeakMap<TestContext, (() => Promise<unknown>)[]>();

/** A folder for one test, removed after it. */
export async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "mom-run-"));
  t.after(async () => {
    await Promise.all((startedBy.get(t) ?? []).map((end) => end()));
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return folder;
}

/** `entry`: another program than mom. */
export function startMom(
  t: TestContext,
  args: string[],
  { cwd, entry = program }: { cwd: string; entry?: string },
): Mom {
  const env = { PATH: process.env["PATH"], HOME: cwd, USER: "ann" };
  const child = spawn(process.execPath, [entry, ...args], { cwd, env, stdio: "pipe" });
  const printed = { out: "", err: "" };
  const watchers = new Set<() => void>();
  const take = (stream: "out" | "err") => (chunk: string) => {
    printed[stream] += chunk;
    for (const look of watchers) look();
  };
  child.stdout.setEncoding("utf8").on("data", take("out"));
  child.stderr.setEncoding("utf8").on("data", take("err"));
  // One that ends without reading its input closes the pipe under us.
  child.stdin.on("error", () => undefined);
  const ended: Mom["ended"] = new Promise((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, ...printed }));
  });
  const end = () => {
    child.kill("SIGKILL");
    return ended;
  };
  startedBy.set(t, [...(startedBy.get(t) ?? []), end]);
  t.after(end);
  return {
    child,
    ended,
    get out() {
      return printed.out;
    },
    get err() {
      return printed.err;
    },
    say: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    until: (stream, pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!pattern.test(printed[stream])) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
        void ended.then(() => reject(new Error(`It ended before ${pattern}:\n${printed.out}\n${printed.err}`)));
      }),
  };
}

/** To its end, with `input` on stdin. */
export function runMom(
  t: TestContext,
  args: string[],
  { cwd, input = "" }: { cwd: string; input?: string },
): Mom["ended"] {
  const mom = startMom(t, args, { cwd });
  mom.say(input);
  mom.endInput();
  return mom.ended;
}
