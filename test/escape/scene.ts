/**
 * A data directory with secrets in it, and a real bwrap sandbox in front of them: whole, or with one guard taken out.
 * Everything an attack tries is bounded by itself: few processes, small files, short waits, so that an attack which
 * succeeds (as it must, without its guard) does no harm to the machine.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSystemClock } from "../../src/base/clock.ts";
import type { ExecResult, Executor, ExecutorScope, Operations } from "../../src/contracts/sandbox.ts";
import { findBwrapTools } from "../../src/sandbox/bwrap-check.ts";
import { createBwrapLauncher, type PreparedLaunch } from "../../src/sandbox/bwrap-launch.ts";
import { loadPrograms } from "../../src/sandbox/catalog.ts";
import { createBwrapExecutor, sandboxConfig } from "../../src/sandbox/index.ts";
import { createLocalExecutor } from "../../src/sandbox/local-executor.ts";
import { createPathGuard, type PathGuard } from "../../src/sandbox/path-guard.ts";
import { createSandboxUser } from "../../src/sandbox/sandbox-user.ts";
import { createFolderFinder } from "../../src/sandbox/scope-folders.ts";
import type { Launch } from "../../src/sandbox/start-process.ts";
import { silentLog } from "../fakes/log.ts";

export interface Scene {
  /** In every file that is closed to the session, and in mom's own environment. */
  secret: string;
  dataDir: string;
  workspaceDir: string;
  /** The folder of the group that attacks. */
  channelDir: string;
  /** The folder of a group that it must not see. */
  otherDir: string;
  /** May be read by every session. */
  skillsDir: string;
  /** Outside of everything that is mom's: `key` in it holds the secret. */
  vaultDir: string;
  /** The operator's, closed to every session: `key` in it holds the secret. */
  toolsDir: string;
  /** A port on loopback that somebody listens to. */
  port: number;
  /** A process outside that the sandbox's user would be allowed to end. Its command line holds the secret. */
  victim: ChildProcess;
  /** What strangers get: their channel, and the skills to read. */
  group: ExecutorScope;
  /** What the other group gets. */
  other: ExecutorScope;
  /** What the owner gets, while he speaks in the group that attacks. */
  main: ExecutorScope;
  /** What the owner gets, should he have made the whole data directory a root. */
  owner: ExecutorScope;
  close(): Promise<void>;
}

/** One guard taken out, or set to a value that the test can reach. */
export interface Weakening {
  scope?(scope: ExecutorScope, scene: Scene): ExecutorScope;
  settings?(settings: Settings, scene: Scene): Settings;
  /** After everything was looked at, before it is opened. */
  launch?(prepared: PreparedLaunch, scene: Scene): PreparedLaunch;
  /** When all is opened that the sandbox is built from, and nothing is mounted yet. */
  start?(launch: Launch, prepared: PreparedLaunch, scene: Scene): Launch;
  guard?(scope: ExecutorScope, guard: PathGuard): PathGuard;
}

/** What the executor is told about the machine. */
export interface Settings {
  readable: string[];
  privateDirs: string[];
}

/** Everything of the data directory to be seen, nothing hidden. */
export const showAll: Weakening = {
  scope: (scope, { dataDir }) => ({ ...scope, readOnly: [...(scope.readOnly ?? []), dataDir], hidden: [] }),
};

export const isRoot = process.getuid?.() === 0;
const sandboxUid = 65_534;
const clock = createSystemClock();

export async function createScene(): Promise<Scene> {
  const secret = `secret-${randomBytes(6).toString("hex")}`;
  const base = await realpath(await mkdtemp(join(tmpdir(), "mom-escape-")));
  const dataDir = join(base, "data");
  const workspaceDir = join(dataDir, "workspace");
  const channelDir = join(workspaceDir, "channels", "slack", "C1");
  const otherDir = join(workspaceDir, "channels", "slack", "C2");
  const skillsDir = join(workspaceDir, "skills");
  const vaultDir = join(base, "vault");
  const toolsDir = join(base, "mine", "tools");
  const hidden = [...["config.json", "auth.json", "state"].map((name) => join(dataDir, name)), toolsDir];
  const closed = [
    ...["config.json", "auth.json", "state/mom.db", "workspace/MEMORY.md"].map((name) => join(dataDir, name)),
    join(otherDir, "log.jsonl"),
    join(toolsDir, "key"),
    // The same names as in the group's folder, so that it could stand in its place.
    ...["key", "log.jsonl", "linked.txt"].map((name) => join(vaultDir, name)),
  ];
  for (const path of closed) await put(path, `${secret}\n`);
  await put(join(channelDir, "log.jsonl"), "what was said\n");
  await put(join(channelDir, "notes.txt"), "notes\n");
  await put(join(skillsDir, "tea.md"), "boil water\n");
  await link(join(otherDir, "log.jsonl"), join(channelDir, "linked.txt"));
  await symlink(otherDir, join(channelDir, "way"));
  // As root it lies where the sandbox's user cannot go by himself, as /root does.
  await chmod(base, 0o700);
  const server = await listen();
  const victim = await startVictim(secret);
  const isSealed = (path: string) => path.endsWith("/log.jsonl");
  const agentFolders = [workspaceDir];
  const shared = { readOnly: [skillsDir], hidden, isShared: true, isSealed, agentFolders };
  return {
    secret,
    dataDir,
    workspaceDir,
    channelDir,
    otherDir,
    skillsDir,
    vaultDir,
    toolsDir,
    port: portOf(server),
    victim,
    group: { ...shared, cwd: channelDir, roots: [channelDir] },
    other: { ...shared, cwd: otherDir, roots: [otherDir] },
    main: {
      cwd: workspaceDir,
      roots: [workspaceDir, channelDir],
      readOnlyInside: [join(workspaceDir, "channels")],
      hidden,
      isSealed,
      agentFolders,
    },
    owner: { cwd: dataDir, roots: [dataDir, channelDir], hidden, isSealed, agentFolders: [dataDir, ...agentFolders] },
    async close() {
      victim.kill("SIGKILL");
      await new Promise((resolve) => server.close(resolve));
      await rm(base, { recursive: true, force: true });
    },
  };
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // For everybody to read: only the guard that is tested shall stand in the way.
  await writeFile(path, text, { mode: 0o644 });
}

async function listen(): Promise<Server> {
  const server = createServer((socket) => void socket.on("error", () => undefined).end("reached\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function startVictim(secret: string): Promise<ChildProcess> {
  const identity = isRoot ? { uid: sandboxUid, gid: sandboxUid } : {};
  const victim = spawn("/bin/sleep", ["120"], { argv0: secret, cwd: "/", stdio: "ignore", ...identity });
  await new Promise((resolve, reject) => victim.once("spawn", resolve).once("error", reject));
  return victim;
}

/** Small enough to be reached at once. */
const limits = {
  memoryMb: 100,
  processes: 40,
  cpuSeconds: 20,
  fileSizeMb: 64,
  tmpMb: 2,
  openFiles: 128,
  minFreeDiskMb: 0,
  minFreeMemoryMb: 0,
};
const config = sandboxConfig.parse({ limits, user: sandboxUid });

/** Why there is nothing to test here; undefined when there is. */
export async function findReasonToSkip(): Promise<string | undefined> {
  const executor = createBwrapExecutor(await buildDependencies(), config);
  const { ok, detail, hint = "" } = await executor.check();
  await executor.close();
  return ok ? undefined : `${detail}. ${hint}`;
}

const buildDependencies = async (environment: Record<string, string | undefined> = process.env) => ({
  clock,
  log: silentLog,
  programs: await loadPrograms(),
  environment,
  privateDirs: [],
});

/** The real executor; with weakenings, one put together from the same parts except for what is taken out. */
export async function createSandbox(scene: Scene, weakenings: Weakening[]): Promise<Executor> {
  const environment = { ...process.env, MOM_TEST_API_KEY: scene.secret };
  const dependencies = await buildDependencies(environment);
  const whole: Settings = { readable: [], privateDirs: [scene.dataDir] };
  if (weakenings.length === 0) return createBwrapExecutor({ ...dependencies, ...whole }, config);
  const settings = weakenings.reduce((rest, weakening) => weakening.settings?.(rest, scene) ?? rest, whole);
  const found = await findBwrapTools(process.env["PATH"]);
  if ("missing" in found) throw new Error(found.missing.detail);
  const folders = createFolderFinder();
  const user = createSandboxUser({ log: silentLog, uid: sandboxUid, folders });
  const parts = { clock, environment, ...found, ...settings, rg: dependencies.programs.rg, user, folders };
  const launcher = createBwrapLauncher(parts, { ...config, ...settings });
  return createLocalExecutor({
    mode: "bwrap",
    clock,
    log: silentLog,
    hidesFromPrograms: true,
    check: async () => ({ ok: true, detail: "weakened" }),
    createGuard(scope) {
      const guard = createPathGuard(scope, { owner: user.owner, hasWorkspaceName: true, folders });
      return weakenings.reduce((rest, weakening) => weakening.guard?.(scope, rest) ?? rest, guard);
    },
    async launch(request, scope, cwd) {
      const prepared = await launcher.prepare(request, scope, cwd);
      const weak = weakenings.reduce((rest, { launch }) => launch?.(rest, scene) ?? rest, prepared);
      const launch = await launcher.toLaunch(weak);
      return weakenings.reduce((rest, { start }) => start?.(rest, weak, scene) ?? rest, launch);
    },
  });
}

export const weakenScope = (scope: ExecutorScope, scene: Scene, weakenings: Weakening[]): ExecutorScope =>
  weakenings.reduce((rest, weakening) => weakening.scope?.(rest, scene) ?? rest, scope);

export function runShell(operations: Operations, line: string, env: Record<string, string> = {}): Promise<ExecResult> {
  return operations.exec({
    command: { shell: line },
    env,
    timeoutMs: 15_000,
    maxOutputBytes: 200_000,
    signal: new AbortController().signal,
  });
}

/** The sandbox's options without one of them, its `values` following words left out too. */
export function withoutOption(prepared: PreparedLaunch, name: string, values = 0): PreparedLaunch {
  const { options } = prepared.command;
  const index = options.indexOf(name);
  if (index === -1) throw new Error(`There is no ${name} to leave out`);
  return withOptions(prepared, options.toSpliced(index, 1 + values));
}

export const withOptions = (prepared: PreparedLaunch, options: string[]): PreparedLaunch => ({
  ...prepared,
  command: { ...prepared.command, options },
});

/** Without one of the limits, by its letter for `ulimit`. */
export function withoutLimit(prepared: PreparedLaunch, letter: string): PreparedLaunch {
  const limits = prepared.command.limits.filter((line) => !line.startsWith(`ulimit -${letter} `));
  if (limits.length === prepared.command.limits.length) throw new Error(`There is no limit ${letter} to leave out`);
  return { ...prepared, command: { ...prepared.command, limits } };
}
