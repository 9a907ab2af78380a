/** What started programs see of the environment: a short list, so that no key of the host's ever reaches them. */
import { buildGitEnvironment } from "./git-environment.ts";

const passedOn = new Set(["PATH", "HOME", "LANG", "LANGUAGE", "TMPDIR", "USER", "LOGNAME", "TZ"]);
/** Names that mean something only outside a sandbox. */
const hostOnly = new Set(["HOME", "TMPDIR", "USER", "LOGNAME"]);
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The variable that every process of a run inherits, so that it can be found again wherever it has gone. */
export const markName = "MOM_RUN_ID";

type Variables = Readonly<Record<string, string>>;
type HostVariables = Readonly<Record<string, string | undefined>>;

export function buildEnvironment(host: HostVariables, added: Variables, mark: string): Record<string, string> {
  const base: Record<string, string> = { PATH: defaultPath };
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && (passedOn.has(name) || name.startsWith("LC_"))) base[name] = value;
  }
  return { ...base, TERM: "dumb", ...buildGitEnvironment(), ...added, [markName]: mark };
}

/** The same for inside a sandbox, where the host's folders are not; `programsDir` holds what mom brings along. */
export function buildConfinedEnvironment(
  host: HostVariables,
  added: Variables,
  mark: string,
  places: { home: string; programsDir: string },
): Record<string, string> {
  const outer = Object.fromEntries(Object.entries(host).filter(([name]) => !hostOnly.has(name)));
  // The loader's variables would work on the programs that set the limits, before the limits hold.
  const harmless = Object.fromEntries(Object.entries(added).filter(([name]) => !name.startsWith("LD_")));
  const path = `${outer["PATH"] ?? defaultPath}:${places.programsDir}`;
  return buildEnvironment({ ...outer, PATH: path, HOME: places.home }, harmless, mark);
}

/** For the programs that build a sandbox: they have rights that what a call adds must never touch. */
export function buildLauncherEnvironment(host: HostVariables, mark: string): Record<string, string> {
  return { PATH: host["PATH"] ?? defaultPath, [markName]: mark };
}
