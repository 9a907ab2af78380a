/**
 * Makes the tools of a turn from what a platform's folder declares: only for a session of that platform, behind the gate
 * in the config, on the account that was named, and about the turn's own chat unless the owner asks.
 */
import { type Static, type TObject, type TSchema, Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { PlatformAdapter } from "../../contracts/channel.ts";
import type { Tool, ToolScope } from "../../contracts/tool.ts";
import { type ChannelSettings, findClosedGate, type Gates } from "./channel-settings.ts";
import type { ChannelTool } from "./channel-tool.ts";

export interface ChannelToolParts<Adapter extends PlatformAdapter, Params extends TSchema> {
  tools: readonly ChannelTool<Adapter, Params>[];
  /** The platform's name for people. */
  label: string;
  gates: Gates;
  scope: ToolScope;
  /** Running adapters of this type, by name. */
  accounts: ReadonlyMap<string, Adapter>;
  settings: ChannelSettings;
}

const accountId = Type.Optional(Type.String({ description: "Adapter name, if several" }));

/** `closed`: why the operator does not want it used. */
export interface BuiltChannelTool {
  tool: Tool;
  closed?: string;
}

export function buildChannelTools<Adapter extends PlatformAdapter, Params extends TSchema>(
  parts: ChannelToolParts<Adapter, Params>,
): BuiltChannelTool[] {
  const { label, gates, settings } = parts;
  return parts.tools.map((tool) => {
    const closed = findClosedGate(label, gates[tool.gate], settings.actions[tool.gate]);
    return { tool: buildTool(tool, parts), ...(closed !== undefined && { closed }) };
  });
}

function buildTool<Adapter extends PlatformAdapter, Params extends TSchema>(
  tool: ChannelTool<Adapter, Params>,
  parts: ChannelToolParts<Adapter, Params>,
): Tool {
  const { properties } = tool.parameters as unknown as TObject;
  const parameters = Type.Object({ ...properties, accountId }, { additionalProperties: false });
  const own = (params: unknown) => {
    const { accountId: _account, ...rest } = params as Record<string, unknown>;
    return rest as Static<Params>;
  };
  const toTarget = (params: unknown): Target => {
    const { accountId: account = parts.scope.channel.adapter } = params as { accountId?: string };
    return { account, chat: tool.chatOf(own(params)) ?? parts.scope.channel.channelId };
  };
  return {
    name: tool.name,
    label: tool.label,
    description: tool.description,
    parameters,
    effect: "external",
    describe: (params) =>
      `${tool.name} ${Object.values(own(params) as object)
        .join(" ")
        .slice(0, 80)}`,
    recipients: (params) => listRecipients(toTarget(params)),
    isOutward: (params) => tool.isOutward === true || !isOwnChat(parts.scope, toTarget(params)),
    async execute(_toolCallId, params) {
      const target = toTarget(params);
      ensureOwnChat(parts.scope, target);
      const adapter = pickAccount(parts, target.account);
      const text = await tool.run(adapter, own(params));
      return { content: [{ type: "text", text }], details: { tool: tool.name } };
    },
  };
}

/** What a call is about. A chat that is not named is the turn's own. */
interface Target {
  account: string;
  chat: string;
}

/** A topic belongs to its chat. */
const isOwnChat = ({ channel }: ToolScope, { account, chat }: Target) =>
  account === channel.adapter && (chat === channel.channelId || channel.channelId.startsWith(`${chat}/`));

const listRecipients = ({ account, chat }: Target) => [chat, `${account}:${chat}`];

/** Only the owner's own session may act beyond its chat, or through another login. */
function ensureOwnChat(scope: ToolScope, target: Target): void {
  if (isOwnChat(scope, target) || scope.session.type === "main") return;
  throw new ToolError("MESSAGE_ELSEWHERE_REFUSED", "This conversation may act in its own chat only", {
    hint: `Its id is ${scope.channel.channelId}. The owner can have things done elsewhere from their own session.`,
  });
}

function pickAccount<Adapter extends PlatformAdapter, Params extends TSchema>(
  { accounts, label }: ChannelToolParts<Adapter, Params>,
  name: string,
): Adapter {
  const adapter = accounts.get(name);
  if (adapter) return adapter;
  throw new ToolError("CHANNEL_ACCOUNT_UNKNOWN", `There is no ${label} account "${name}"`, {
    hint: `There is ${[...accounts.keys()].join(", ") || "none"}.`,
  });
}
