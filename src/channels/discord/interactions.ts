/**
 * Slash commands of Discord's menu and presses of mom's buttons → messages of whoever did it, like any other. Each is answered
 * to Discord too, or it would show a failure.
 */
import type { API } from "@discordjs/core";
import {
  type APIInteraction,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  InteractionType,
  MessageFlags,
} from "discord-api-types/v10";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMessage } from "../../contracts/message.ts";
import { fromButton, timeOfId } from "./format.ts";
import type { GuildBook } from "./guild-book.ts";
import type { Inbound } from "./inbound.ts";
import type { Self } from "./self.ts";

export interface Interactions {
  /** Gives it to the app. False: it was not taken. */
  handle(interaction: APIInteraction): Promise<boolean>;
}

export interface InteractionsDeps {
  api: API;
  log: Log;
  guilds: GuildBook;
  inbound: Inbound;
  self(): Self;
  offer(message: ChannelMessage): Promise<boolean>;
  /** Whose press settles a question. */
  isAdmin(userId: string): boolean;
}

export function createInteractions(deps: InteractionsDeps): Interactions {
  const { api, log, guilds, inbound, self, offer, isAdmin } = deps;
  /** The person waits for mom's reply, not for Discord's: a failure changes nothing but looks. */
  const answer = async (what: string, call: () => Promise<unknown>) => {
    await call().catch((error: unknown) => log.debug(`Discord did not take the answer to ${what}`, { error }));
  };
  async function toMessage(interaction: APIInteraction, text: string, replyTo?: string) {
    const user = interaction.member?.user ?? interaction.user;
    const channelId = interaction.channel?.id ?? interaction.channel_id;
    if (!user || channelId === undefined) return undefined;
    guilds.putUser(user, interaction.member);
    await guilds.ensureChannel(channelId, interaction.guild_id === undefined ? user.username : undefined);
    const message: ChannelMessage = {
      id: interaction.id,
      channelId,
      timestamp: new Date(timeOfId(interaction.id)).toISOString(),
      sender: inbound.toSender(user),
      text,
      attachments: [],
      isMention: true,
      ...(replyTo !== undefined && { replyTo }),
    };
    return message;
  }

  async function handleCommand(interaction: APIInteraction, text: string): Promise<boolean> {
    const { id, token } = interaction;
    const message = await toMessage(interaction, text);
    if (!message) return true;
    // Deferred at once: Discord waits three seconds, and a disk may take longer.
    const deferred = answer("a slash command", () =>
      api.interactions.defer(id, token, { flags: MessageFlags.Ephemeral }),
    );
    const isTaken = await offer(message);
    void deferred.then(() =>
      // The reply comes as an ordinary post, which everybody in the chat sees.
      isTaken ? answer("a slash command", () => api.interactions.deleteReply(self().applicationId, token)) : undefined,
    );
    return isTaken;
  }

  async function handlePress(interaction: APIInteraction, says: string, messageId: string): Promise<boolean> {
    const { id, token } = interaction;
    const message = await toMessage(interaction, says, messageId);
    if (!message) return true;
    if (!(await offer(message))) return false;
    const takeAway = () => api.interactions.updateMessage(id, token, { components: [] });
    const takeAwayLate = () => api.channels.editMessage(message.channelId, messageId, { components: [] });
    const leave = () => api.interactions.deferMessageUpdate(id, token);
    // Otherwise anybody in a group could take the buttons from those whom the question is for.
    void answer("a button", () => (isAdmin(message.sender.id) ? takeAway().catch(takeAwayLate) : leave()));
    return true;
  }

  return {
    async handle(interaction) {
      if (interaction.application_id !== self().applicationId) return true;
      if (interaction.type === InteractionType.ApplicationCommand) {
        const text = toCommandText(interaction);
        return text === undefined ? true : handleCommand(interaction, text);
      }
      if (interaction.type !== InteractionType.MessageComponent) return true;
      const says = fromButton(interaction.data.custom_id);
      const isOurs = interaction.message.author.id === self().id;
      return says === undefined || !isOurs ? true : handlePress(interaction, says, interaction.message.id);
    },
  };
}

/** `/name args`. Undefined: not a slash command. */
function toCommandText({
  data,
}: Extract<APIInteraction, { type: InteractionType.ApplicationCommand }>): string | undefined {
  if (data.type !== ApplicationCommandType.ChatInput) return undefined;
  const args = data.options?.find(({ name }) => name === "args");
  const value = args?.type === ApplicationCommandOptionType.String ? args.value.trim() : "";
  return value === "" ? `/${data.name}` : `/${data.name} ${value}`;
}
