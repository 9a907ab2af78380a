/** The logins to chat platforms as the gateway shows and changes them. */
import {
  accessRulesOf,
  type ChannelConfig,
  type ChannelType,
  channelCatalog,
  channelLabelOf,
  describeLogin,
  formatAccess,
  loadLogin,
} from "../../channels/index.ts";
import type { AdapterHealth } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { ChannelRow, GatewayHouse, HouseConfig, LoginKind, LoginResult } from "../../contracts/gateway.ts";
import type { Log } from "../../contracts/log.ts";
import type { KeyValue } from "../../contracts/store.ts";
import type { MomConfig } from "../config-schema.ts";

interface HouseChannelParts {
  config(): MomConfig;
  edit: HouseConfig["edit"];
  health(): Map<string, AdapterHealth>;
  typeOf(name: string): string;
  kv: KeyValue;
  clock: Clock;
  log: Log;
}

type HouseChannels = Pick<GatewayHouse, "channels" | "logoutChannel" | "loginKinds" | "addLogin">;

const types = Object.keys(channelCatalog) as ChannelType[];

export function buildHouseChannels(parts: HouseChannelParts): HouseChannels {
  const { config, edit, kv } = parts;
  const toRow = ([name, health]: [string, AdapterHealth]): ChannelRow => {
    const configured = config().adapters[name];
    const type = configured?.type ?? parts.typeOf(name);
    const access = configured ? formatAccess(accessRulesOf(configured)) : "the owner";
    return { ...health, name, type, label: channelLabelOf(type), access };
  };
  return {
    channels: () => [...parts.health()].map(toRow),
    async logoutChannel(name) {
      if (!config().adapters[name]) return false;
      await edit([{ path: `adapters.${JSON.stringify(name)}.enabled`, value: false }], {});
      // An adapter writes down where it was when it stops: only then is there nothing more to forget.
      await kv.clear(`channel:${name}`);
      return true;
    },
    async loginKinds() {
      return types.map(describeKind).filter(({ fields }) => fields.length > 0);
    },
    addLogin: (login) => addLogin(parts, login),
  };
}

function describeKind(type: ChannelType): LoginKind {
  const { label, fields } = describeLogin(type);
  const shown = fields.map(({ pattern, isList = false, ...field }) => ({ ...field, isList, pattern: pattern.source }));
  return { type, label, fields: shown };
}

async function addLogin(
  parts: HouseChannelParts,
  { type, name, fields }: Parameters<GatewayHouse["addLogin"]>[0],
): Promise<LoginResult> {
  const known = types.find((each) => each === type);
  const login = known && (await loadLogin(known, parts));
  if (!known || !login) {
    return { type: "failed", message: `There is no login of the type "${type}".`, fix: `Use ${types.join(", ")}.` };
  }
  if (parts.config().adapters[name]) {
    return { type: "failed", message: `There is an adapter "${name}" already.`, fix: "Choose another name." };
  }
  const wrong = login.fields.find(({ key, pattern, isList }) =>
    toValues(fields[key], isList).some((value) => !pattern.test(value)),
  );
  if (wrong) return { type: "failed", message: `${wrong.label} does not look right.`, fix: wrong.hint };
  const adapter = {
    type: known,
    ...Object.fromEntries(
      login.fields.map(({ key, isList }) => [key, isList ? toValues(fields[key], isList) : (fields[key] ?? "").trim()]),
    ),
  };
  const parsed = channelCatalog[known].configSchema.safeParse(adapter);
  if (!parsed.success) {
    const message = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
    return { type: "failed", message, fix: "Correct the fields named." };
  }
  const report = await login.check(parsed.data as ChannelConfig);
  if (report.type === "failed") return report;
  const outcome = await parts.edit([{ path: `adapters.${JSON.stringify(name)}`, value: adapter }], {});
  if (outcome.type === "applied" || outcome.type === "unchanged") {
    return { type: "added", account: report.account, warnings: report.warnings };
  }
  const why = outcome.type === "rolled-back" ? outcome.reasons.join("; ") : outcome.type;
  return { type: "failed", message: `The config did not take it: ${why}`, fix: "Run `mom doctor`." };
}

function toValues(typed: string | undefined, isList: boolean | undefined): string[] {
  const text = (typed ?? "").trim();
  return isList ? text.split(/[\s,]+/).filter((value) => value !== "") : [text];
}
