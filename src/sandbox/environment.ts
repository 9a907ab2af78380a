/** What started programs see of the environment: a short list, so that no key of the host's ever reaches them. */
const passedOn = new Set(["PATH", "HOME", "LANG", "LANGUAGE", "TMPDIR", "USER", "LOGNAME", "TZ"]);
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The variable that every process of a run inherits, so that it can be found again wherever it has gone. */
export const markName = "MOM_RUN_ID";

export function buildEnvironment(
  host: Readonly<Record<string, string | undefined>>,
  added: Readonly<Record<string, string>>,
  mark: string,
): Record<string, string> {
  const base: Record<string, string> = { PATH: defaultPath };
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && (passedOn.has(name) || name.startsWith("LC_"))) base[name] = value;
  }
  return { ...base, TERM: "dumb", ...added, [markName]: mark };
}
