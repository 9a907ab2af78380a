/** The `channels` slice of the configuration: per platform, what the agent may do there beside talking (spec 2.6). */
import { z } from "zod";
import type { ChannelAction } from "../contracts/channel.ts";
import { channelCatalog } from "./catalog.ts";
import { buildSettingsSchema, type ChannelSettings, findClosedGate, type Gates } from "./kit/channel-settings.ts";

interface CatalogFace {
  label: string;
  gates: Gates;
}

const catalog: Readonly<Record<string, CatalogFace>> = channelCatalog;
const platforms = Object.entries(catalog).filter(([, { gates }]) => Object.keys(gates).length > 0);

export const channelsConfig = z
  .strictObject(
    Object.fromEntries(
      platforms.map(([type, { label, gates }]) => [type, buildSettingsSchema(label, gates).prefault({})]),
    ),
  )
  .describe("What the agent may do on each platform beside talking.");

export type ChannelsConfig = z.output<typeof channelsConfig>;

const noSettings: ChannelSettings = { actions: {}, reactionLevel: "none" };

export const settingsOf = (config: ChannelsConfig, type: string): ChannelSettings => config[type] ?? noSettings;

/** The platforms' own tools, by name; loads none of them. */
export const listChannelTools = (): { name: string; type: string }[] =>
  platforms.flatMap(([type, { gates }]) =>
    Object.values(gates).flatMap(({ tools = [] }) => tools.map((name) => ({ name, type }))),
  );

/** Why the operator does not want this tool used; undefined when it may be. */
export function findClosedTool(config: ChannelsConfig, type: string, tool: string): string | undefined {
  const { label, gates } = catalog[type] ?? { label: type, gates: {} };
  const [name, gate] = Object.entries(gates).find(([, { tools = [] }]) => tools.includes(tool)) ?? [];
  return name === undefined ? undefined : findClosedGate(label, gate, settingsOf(config, type).actions[name]);
}

/** Why the operator does not want the agent to do this on that platform; undefined when it may. */
export function findClosedAction(
  config: ChannelsConfig,
  type: string,
  what: ChannelAction["type"] | "edit" | "delete",
): string | undefined {
  const { label, gates } = catalog[type] ?? { label: type, gates: {} };
  const [name, gate] = Object.entries(gates).find(([, { covers }]) => covers === what) ?? [];
  return name === undefined ? undefined : findClosedGate(label, gate, settingsOf(config, type).actions[name]);
}
