/**
 * The stage of the executor contract: one working folder with a hidden one in it, one folder outside, an executor on them.
 * The folders stay the same from test to test, only their contents are cleared, so that an executor which keeps something
 * per folder (a container) can keep it.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach } from "node:test";
import type { ExecRequest, ExecResult, Executor, ExecutorScope, Operations } from "../../src/contracts/sandbox.ts";

/** Gets the host environment to start from. */
export type CreateExecutor = (environment: Record<string, string | undefined>) => Promise<Executor>;

export interface ExecutorScene {
  readonly createExecutor: CreateExecutor;
  readonly executor: Executor;
  readonly operations: Operations;
  readonly work: string;
  readonly outside: string;
  scope(more?: Partial<ExecutorScope>): ExecutorScope;
  exec(request: Partial<ExecRequest> & Pick<ExecRequest, "command">, on?: Operations): Promise<ExecResult>;
  shell(line: string, more?: Partial<ExecRequest>): Promise<ExecResult>;
  refused(action: Promise<unknown>): Promise<void>;
  /** A process holds the lock on a file for as long as it lives: a free lock proves that it is gone. */
  holding(file: string): string;
  isHeld(file: string): Promise<boolean>;
  waitUntilHeld(file: string): Promise<void>;
}

/** A key in the environment of the executor under test that programs must never see. */
export const secretValue = "sk-secret";

export function createExecutorScene(createExecutor: CreateExecutor, more: Partial<ExecutorScope> = {}): ExecutorScene {
  let base = "";
  let executor: Executor;
  let operations: Operations;
  const at = (name: string) => join(base, name);
  const scope = (own: Partial<ExecutorScope> = {}): ExecutorScope => ({
    cwd: at("work"),
    roots: [at("work")],
    hidden: [join(at("work"), "state")],
    ...more,
    ...own,
  });
  before(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "mom-executor-")));
    await mkdir(join(at("work"), "state"), { recursive: true });
    executor = await createExecutor({ ...process.env, MOM_TEST_API_KEY: secretValue });
  });
  after(async () => {
    await executor.close();
    await rm(base, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await clear(base, ["work"]);
    await clear(at("work"), ["state"]);
    await clear(join(at("work"), "state"), []);
    await mkdir(at("outside"));
    await writeFile(join(at("outside"), "secret.txt"), "outside");
    await writeFile(join(at("work"), "state", "auth.json"), "hidden");
    operations = executor.open(scope());
  });

  const exec: ExecutorScene["exec"] = (request, on = operations) =>
    on.exec({ timeoutMs: 30_000, maxOutputBytes: 65_536, signal: new AbortController().signal, ...request });
  const isHeld = (file: string) =>
    new Promise<boolean>((resolve) => {
      const line = 'flock --nonblock "$0" true';
      execFile("sh", ["-c", line, join(at("work"), file)], (error) => resolve(error !== null));
    });
  return {
    createExecutor,
    get executor() {
      return executor;
    },
    get operations() {
      return operations;
    },
    get work() {
      return at("work");
    },
    get outside() {
      return at("outside");
    },
    scope,
    exec,
    shell: (line, own = {}) => exec({ command: { shell: line }, ...own }),
    refused: (action) => assert.rejects(action, { code: "PATH_REFUSED" }),
    holding: (file) => `flock ${file} sleep 600`,
    isHeld,
    async waitUntilHeld(file) {
      while (!(await isHeld(file))) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

async function clear(folder: string, kept: string[]): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!kept.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}
