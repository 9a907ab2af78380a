/** The chat platforms: does each accept its login, and is there a right that mom lacks? */
import type { MomConfig } from "../../app/index.ts";
import { type ChannelConfig, loadLogin } from "../../channels/index.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

/** `isOffline`: no platform is asked. */
export async function checkChannels(
  deps: { clock: Clock; log: Log },
  { adapters }: Pick<MomConfig, "adapters">,
  isOffline: boolean,
): Promise<Finding[]> {
  const found = Object.entries(adapters).map(([name, config]) => checkOne(deps, name, config, isOffline));
  return (await Promise.all(found)).flat();
}

async function checkOne(
  deps: { clock: Clock; log: Log },
  name: string,
  config: ChannelConfig,
  isOffline: boolean,
): Promise<Finding[]> {
  const check = `channel ${name}`;
  if ("enabled" in config && !config.enabled) return [ok(check, "is switched off (enabled: false)")];
  if (config.type === "cli" || config.type === "webchat") return [];
  if (isOffline) return [ok(check, `${config.type}; not asked (--offline)`)];
  const login = await loadLogin(config.type, deps);
  if (!login) return [];
  const report = await login.check(config);
  if (report.type === "failed") return [fail(check, report.message, report.fix)];
  return [
    ok(check, `${login.label}, as ${report.account}`),
    ...report.warnings.map(({ message, fix }) => warn(check, message, fix)),
    ...findClosed(check, name, config),
  ];
}

/** A login that nobody may talk through is no mistake of the platform's, but hardly what was meant. */
function findClosed(check: string, name: string, config: ChannelConfig): Finding[] {
  if (!("admins" in config) || config.admins.length > 0) return [];
  const fix = `Write to mom there once; \`mom pair list\` then shows your id. After that: mom config set adapters.${name}.admins '["<your id>"]'`;
  return [warn(check, "has no admins, so nobody there is its owner", fix)];
}
