/**
 * Runs programs in a bubblewrap sandbox: own namespaces, no capabilities, a system call filter, an ordinary user, only
 * the session's folders. Files are touched by mom herself behind the guard, as in every mode. Where a sandbox cannot be
 * had nothing runs; there is no way from here to the host.
 */
import { ToolError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Executor, ExecutorScope } from "../contracts/sandbox.ts";
import { type CheckResult, checkBwrap, findBwrapTools } from "./bwrap-check.ts";
import { type BwrapLauncher, createBwrapLauncher } from "./bwrap-launch.ts";
import type { Programs } from "./catalog.ts";
import type { SandboxConfig } from "./config.ts";
import { createLocalExecutor, type RunUnchecked } from "./local-executor.ts";
import { createPathGuard } from "./path-guard.ts";
import { createSandboxUser } from "./sandbox-user.ts";
import { createFolderFinder } from "./scope-folders.ts";

export interface BwrapExecutorDependencies {
  clock: Clock;
  log: Log;
  programs: Programs;
  /** The host's environment; only a short list of harmless names of it is passed on. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The data directory: absolute folders that no program sees but for a session's own part of them. */
  privateDirs: readonly string[];
}

export type BwrapConfig = Pick<SandboxConfig, "readable" | "user" | "limits">;

/** What worked goes on working, as a rule; what failed may have been mended. */
const trustMs = 600_000;
const retryMs = 10_000;

export function createBwrapExecutor(dependencies: BwrapExecutorDependencies, config: BwrapConfig): Executor {
  const { clock, log, programs, environment, privateDirs } = dependencies;
  const folders = createFolderFinder({ log: log.with({ room: "sandbox" }) });
  const user = createSandboxUser({ log: log.with({ room: "sandbox" }), uid: config.user, folders });
  const probes = new WeakSet<ExecutorScope>();
  let launcher: BwrapLauncher | undefined;
  let checked: { result: Promise<CheckResult>; until: number } | undefined;

  const look = async (run: RunUnchecked): Promise<CheckResult> => {
    const found = await findBwrapTools(environment["PATH"]);
    if ("missing" in found) return found.missing;
    launcher ??= createBwrapLauncher(
      { clock, environment, ...found, rg: programs.rg, privateDirs, user, folders },
      { readable: config.readable, limits: config.limits },
    );
    return checkBwrap(run, (scope) => void probes.add(scope));
  };
  const check = (run: RunUnchecked): Promise<CheckResult> => {
    if (checked !== undefined && clock.monotonic() < checked.until) return checked.result;
    const result = look(run);
    const mine = { result, until: Number.POSITIVE_INFINITY };
    checked = mine;
    const settle = (keepMs: number) => {
      mine.until = clock.monotonic() + keepMs;
    };
    result.then(
      ({ ok }) => settle(ok ? trustMs : retryMs),
      () => settle(0),
    );
    return result;
  };

  const executor: Executor = createLocalExecutor({
    mode: "bwrap",
    clock,
    log,
    check,
    hidesFromPrograms: true,
    createGuard: (scope) => createPathGuard(scope, { owner: user.owner, hasWorkspaceName: true, folders }),
    async launch(request, scope, cwd) {
      if (!probes.has(scope)) ensureWorks(await executor.check());
      if (launcher === undefined) throw unavailable({ ok: false, detail: "bubblewrap was not looked for yet" });
      return launcher.toLaunch(await launcher.prepare(request, scope, cwd));
    },
  });
  return executor;
}

function ensureWorks(result: CheckResult): void {
  if (!result.ok) throw unavailable(result);
}

function unavailable({ detail, hint }: CheckResult): ToolError {
  return new ToolError("SANDBOX_UNAVAILABLE", `No program runs, because there is no sandbox: ${detail}`, {
    hint: hint ?? "Run mom doctor.",
  });
}
