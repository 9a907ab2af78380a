/** From a name and its config to an adapter with what belongs to it. Loads the platform's code; the app calls it. */
import type { TSchema } from "typebox";
import type { AccessRules, PlatformAdapter } from "../contracts/channel.ts";
import type { ToolScope } from "../contracts/tool.ts";
import { channelCatalog } from "./catalog.ts";
import type { ChannelDefinition, ChannelDeps, LoginField, LoginReport } from "./definition.ts";
import { type BuiltChannelTool, buildChannelTools } from "./kit/build-channel-tools.ts";
import type { ChannelSettings } from "./kit/channel-settings.ts";

export type ChannelType = keyof typeof channelCatalog;
/** A config that has passed the schema of its type. */
export type ChannelConfig = {
  [Type in ChannelType]: ReturnType<(typeof channelCatalog)[Type]["configSchema"]["parse"]>;
}[ChannelType];

export interface OpenChannel {
  adapter: PlatformAdapter;
  rules: AccessRules;
  /** Of its own tools. */
  toolNames: readonly string[];
  /** The platform's own tools for a turn there. `accounts`: open channels of the same type, by name. */
  tools(
    scope: ToolScope,
    accounts: ReadonlyMap<string, PlatformAdapter>,
    settings: ChannelSettings,
  ): BuiltChannelTool[];
}

/** What `load` gives, whatever the type: a definition gets back only configs and adapters of its own type. */
type AnyDefinition = ChannelDefinition<ChannelConfig, PlatformAdapter>;

const loadDefinition = async (type: ChannelType): Promise<AnyDefinition> =>
  (await channelCatalog[type].load()) as unknown as AnyDefinition;

/** Throws a coded error when `deps` lack something that the type needs. Connects nothing. */
export async function openChannel(name: string, config: ChannelConfig, deps: ChannelDeps): Promise<OpenChannel> {
  const definition = await loadDefinition(config.type);
  const { gates, label } = channelCatalog[config.type];
  return {
    adapter: definition.createAdapter(name, config, deps),
    rules: accessRulesOf(config),
    toolNames: (definition.tools ?? []).map((tool) => tool.name),
    tools: (scope, accounts, settings) =>
      buildChannelTools<PlatformAdapter, TSchema>({
        tools: definition.tools ?? [],
        label,
        gates,
        scope,
        accounts,
        settings,
      }),
  };
}

/** Who may talk; loads nothing. */
export function accessRulesOf(config: ChannelConfig): AccessRules {
  const rulesOf = channelCatalog[config.type].rulesOf as (config: ChannelConfig) => AccessRules;
  return rulesOf(config);
}

/** What a login is made of, in the order in which it is asked for; no fields: it needs none. Loads nothing. */
export function describeLogin(type: ChannelType): { label: string; fields: readonly LoginField[] } {
  const { label, loginFields } = channelCatalog[type];
  return { label, fields: loginFields };
}

export interface ChannelLogin {
  label: string;
  fields: readonly LoginField[];
  check(config: ChannelConfig): Promise<LoginReport>;
}

/** How a login of this type is got and checked. Undefined: it needs none. */
export async function loadLogin(
  type: ChannelType,
  deps: Pick<ChannelDeps, "clock" | "log">,
): Promise<ChannelLogin | undefined> {
  const { login } = await loadDefinition(type);
  return login && { ...describeLogin(type), check: (config) => login.check(config, deps) };
}

/** For people: `Slack`. A type that is not in the catalogue is called as it is. */
export function channelLabelOf(type: string): string {
  const catalog: Readonly<Record<string, { label: string }>> = channelCatalog;
  return catalog[type]?.label ?? type;
}
