/** Mom's commands in Discord's own menu: written there only when they have changed, for Discord counts such calls. */
import { createHash } from "node:crypto";
import type { API } from "@discordjs/core";
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from "discord-api-types/v10";
import type { ChannelMemory, MenuCommand } from "../definition.ts";

export interface RegisterDeps {
  api: API;
  memory: ChannelMemory;
  applicationId: string;
  signal: AbortSignal;
}

const memoryKey = "commands";
const mostCommands = 100;
const maxDescription = 100;

/** Rejects when Discord does not take them; they are written at the next start then. */
export async function registerCommands(
  { api, memory, applicationId, signal }: RegisterDeps,
  commands: readonly MenuCommand[],
): Promise<void> {
  const body = commands.slice(0, mostCommands).map(toDiscordCommand);
  const hash = createHash("sha256")
    .update(JSON.stringify([applicationId, body]))
    .digest("hex");
  if ((await memory.get(memoryKey)) === hash) return;
  await api.applicationCommands.bulkOverwriteGlobalCommands(applicationId, body, { signal });
  await memory.set(memoryKey, hash);
}

function toDiscordCommand({ name, summary, usage }: MenuCommand): RESTPostAPIChatInputApplicationCommandsJSONBody {
  const args = {
    type: ApplicationCommandOptionType.String as const,
    name: "args",
    description: cut(usage ?? "nothing is needed"),
    required: false,
  };
  return {
    type: ApplicationCommandType.ChatInput,
    name,
    description: cut(summary),
    options: [args],
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
    integration_types: [ApplicationIntegrationType.GuildInstall],
  };
}

const cut = (text: string): string => text.slice(0, maxDescription).toWellFormed() || "…";
