/** The executor that the config asks for. What cannot be had is refused by it, never replaced by another. */
import { createHash } from "node:crypto";
import { ToolError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Executor, Operations } from "../contracts/sandbox.ts";
import {
  createBwrapExecutor,
  createDockerExecutor,
  createHostExecutor,
  loadPrograms,
  pickSandboxMode,
  type SandboxConfig,
} from "../sandbox/index.ts";

interface ExecutorParts {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  log: Log;
}

export async function createExecutor(
  { dataDir, env, clock, log }: ExecutorParts,
  sandbox: SandboxConfig,
): Promise<Executor> {
  const deps = { clock, log, programs: await loadPrograms(), environment: env };
  const { mode, container } = pickSandboxMode(sandbox, process.platform);
  switch (mode) {
    case "host":
      return createHostExecutor(deps);
    case "bwrap": {
      const bwrap = createBwrapExecutor({ ...deps, privateDirs: [dataDir] }, sandbox);
      return sandbox.mode === "auto" ? withFilesWithout(bwrap, createHostExecutor(deps)) : bwrap;
    }
    case "docker": {
      const instance = createHash("sha256").update(dataDir).digest("hex").slice(0, 12);
      const docker = { ...sandbox.docker, ...(container !== undefined && { container }) };
      return createDockerExecutor({ ...deps, instance }, { ...sandbox, docker });
    }
  }
}

/**
 * Nobody asked for a sandbox by name, and there is none: programs are refused all the same, but files can be read and
 * written. That is done by mom herself, within the session's folders, and needs no sandbox.
 */
function withFilesWithout(sandbox: Executor, host: Executor): Executor {
  let missing: string | undefined;
  return {
    mode: sandbox.mode,
    async check() {
      const result = await sandbox.check();
      missing = result.ok ? undefined : [result.detail, result.hint].filter(Boolean).join(". ");
      return result.ok ? result : { ...result, filesOnly: true };
    },
    open: (scope) => (missing === undefined ? sandbox.open(scope) : keepFiles(host.open(scope), missing)),
    async close() {
      await Promise.all([sandbox.close(), host.close()]);
    },
  };
}

/** ripgrep comes with mom and only looks. */
function keepFiles(operations: Operations, missing: string): Operations {
  const refuse = () => {
    throw new ToolError("SANDBOX_UNAVAILABLE", `No program is run: the sandbox cannot be had. ${missing}`, {
      hint: "Tell the operator; `mom doctor` says more.",
    });
  };
  return {
    ...operations,
    exec: async (request) =>
      "argv" in request.command && request.command.argv[0] === "rg" ? operations.exec(request) : refuse(),
    start: async () => refuse(),
  };
}
