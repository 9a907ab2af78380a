/**
 * Can bubblewrap confine programs here? Proved by doing: a real sandbox in which a probe tries what must not work. Asked
 * by doctor, and before the first program of a session runs; what is missing is said together with its remedy.
 */
import { access, constants, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { errorText, MomError } from "../base/errors.ts";
import type { Executor, ExecutorScope } from "../contracts/sandbox.ts";
import type { BwrapTools } from "./bwrap-args.ts";
import type { RunUnchecked } from "./local-executor.ts";
import type { Architecture } from "./seccomp.ts";

export type CheckResult = Awaited<ReturnType<Executor["check"]>>;

const probeTimeoutMs = 10_000;
const usualPath = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin";

/** What it takes to start; or what is missing. */
export async function findBwrapTools(
  path: string | undefined,
): Promise<{ tools: BwrapTools; architecture: Architecture } | { missing: CheckResult }> {
  if (process.platform !== "linux") {
    return {
      missing: no("bubblewrap needs Linux", 'Set sandbox.mode to "docker", or to "host" to do without a sandbox.'),
    };
  }
  if (process.arch !== "x64" && process.arch !== "arm64") {
    return { missing: no(`There is no system call filter for ${process.arch}`, 'Set sandbox.mode to "docker".') };
  }
  const folders = (path ?? usualPath).split(delimiter).filter(isAbsolute);
  const find = async (name: string) => {
    for (const folder of folders) {
      if (await isExecutable(join(folder, name))) return join(folder, name);
    }
    return undefined;
  };
  const [bwrap, setpriv] = await Promise.all(["bwrap", "setpriv"].map(find));
  if (bwrap === undefined) {
    return {
      missing: no("bubblewrap is not installed", "Install it: apt-get install bubblewrap (or dnf, pacman, apk)."),
    };
  }
  if (setpriv === undefined) {
    return { missing: no("setpriv is not installed", "Install it: apt-get install util-linux.") };
  }
  return { tools: { bwrap, setpriv }, architecture: process.arch };
}

/** Prints one word per property that does not hold. Shell builtins only, but for `mount`. */
const probe = `
while read -r name value rest; do
  case $name in
    Uid:) [ "$value" != 0 ] || echo uid ;;
    CapEff:|CapPrm:|CapBnd:) case $value in *[!0]*) echo capabilities ;; esac ;;
    NoNewPrivs:) [ "$value" = 1 ] || echo privileges ;;
    Seccomp:) [ "$value" = 2 ] || echo filter ;;
  esac
done </proc/self/status
if mount -o remount,rw /usr 2>/dev/null; then echo remount; fi
if read -r line <closed/secret; then echo hidden; fi 2>/dev/null
: >written || echo workspace
: >../written
for fd in 3 4 5 6 7 8 9; do
  if [ -e /proc/self/fd/$fd ]; then echo descriptors; fi
done
`;

/** `register` gets the scope of the probe, which must run before anybody knows whether anything may run. */
export async function checkBwrap(run: RunUnchecked, register: (scope: ExecutorScope) => void): Promise<CheckResult> {
  const base = await mkdtemp(join(tmpdir(), "mom-check-"));
  try {
    const work = join(base, "work");
    await mkdir(join(work, "closed"), { recursive: true });
    await writeFile(join(work, "closed", "secret"), "secret\n");
    // As if others could swap the folder, so that all is used that a sandbox may be built with.
    const scope: ExecutorScope = { cwd: work, roots: [work], hidden: [join(work, "closed")], agentFolders: [base] };
    register(scope);
    const { stdout, stderr, ended, exitCode } = await run(
      {
        command: { argv: ["/bin/sh", "-c", probe] },
        timeoutMs: probeTimeoutMs,
        signal: AbortSignal.timeout(probeTimeoutMs),
        maxOutputBytes: 4096,
      },
      scope,
    );
    const failed = stdout.split("\n").filter((line) => line !== "");
    if (
      await access(join(base, "written")).then(
        () => true,
        () => false,
      )
    )
      failed.push("outside");
    if (failed.length > 0)
      return no(`The sandbox does not hold: ${failed.join(", ")}`, "Report this with your system's name.");
    if (ended !== "exit" || exitCode !== 0) return explainFailure(stderr.trim() || ended);
    return { ok: true, detail: "bwrap: own user, no capabilities, system call filter, private /tmp" };
  } catch (error) {
    return explainFailure(error instanceof MomError ? errorText(error) : String(error));
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

/** Settings that keep ordinary users from making namespaces, with the value that does so. */
const switches = [
  { file: "kernel/unprivileged_userns_clone", off: "0", on: "kernel.unprivileged_userns_clone=1" },
  {
    file: "kernel/apparmor_restrict_unprivileged_userns",
    off: "1",
    on: "kernel.apparmor_restrict_unprivileged_userns=0",
  },
  { file: "user/max_user_namespaces", off: "0", on: "user.max_user_namespaces=10000" },
];

/** Without `--bind-fd`, folders could be swapped for others while a sandbox is built. */
const updateHint =
  "Install bubblewrap 0.10 or newer, or your distribution's security update of an older one: it must know --bind-fd.";

async function explainFailure(noise: string): Promise<CheckResult> {
  const detail = `bubblewrap cannot start a sandbox: ${noise.split("\n").at(-1) ?? noise}`;
  if (/unknown option/i.test(noise)) return no(detail, updateHint);
  for (const { file, off, on } of switches) {
    const value = await readFile(`/proc/sys/${file}`, "utf8").catch(() => "");
    if (value.trim() === off)
      return no(detail, `Allow user namespaces: sysctl -w ${on} (and put it in /etc/sysctl.d/).`);
  }
  return no(
    detail,
    "In a container, allow it to make user namespaces (seccomp and AppArmor profiles), or use docker mode.",
  );
}

const no = (detail: string, hint: string): CheckResult => ({ ok: false, detail, hint });

const isExecutable = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
