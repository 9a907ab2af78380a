/** The fake's interactions: slash commands and buttons go out as events, and each must be answered once. */
import { randomBytes } from "node:crypto";
import type { APIInteraction } from "discord-api-types/v10";
import { Refusal } from "./answer.ts";
import { findPlace } from "./messages.ts";
import { toMember, toMessage, toUser } from "./objects.ts";
import type { Routes } from "./rest.ts";
import type { Person, StoredMessage, World } from "./world.ts";

/** One press or slash command, and how it was answered. */
export interface SeenInteraction {
  id: string;
  token: string;
  /** Type of the first answer (5: deferred reply, 6: deferred update, 7: update); undefined: none yet. */
  answeredWith?: number;
  isEphemeral: boolean;
  /** The deferred reply was taken away again. */
  isReplyDeleted: boolean;
  messageId?: string;
}

export interface InteractionDeps {
  world: World;
  origin(): string;
  tell(data: APIInteraction): void;
  tellUpdate(message: StoredMessage): void;
  seen: SeenInteraction[];
}

export interface Interactions {
  routes: Routes;
  command(by: Person, placeId: string, name: string, args?: string): SeenInteraction;
  /** `customId`: of the button. */
  press(by: Person, message: StoredMessage, customId: string): SeenInteraction;
}

export function createInteractions({ world, origin, tell, tellUpdate, seen }: InteractionDeps): Interactions {
  function begin(by: Person, placeId: string, rest: Record<string, unknown>, messageId?: string): SeenInteraction {
    const place = findPlace(world, placeId);
    const interaction: SeenInteraction = {
      id: world.newId(),
      token: randomBytes(12).toString("hex"),
      isEphemeral: false,
      isReplyDeleted: false,
      ...(messageId !== undefined && { messageId }),
    };
    seen.push(interaction);
    const who = place.type === 1 ? { user: toUser(by) } : { guild_id: world.guildId, member: toMember(by, 0) };
    const common = { id: interaction.id, token: interaction.token, application_id: world.applicationId, version: 1 };
    tell({ ...common, ...who, ...rest, channel_id: placeId } as unknown as APIInteraction);
    return interaction;
  }
  const find = (token: string | undefined) => seen.find((each) => each.token === token);
  return {
    command: (by, placeId, name, args) =>
      begin(by, placeId, {
        type: 2,
        data: {
          id: world.newId(),
          type: 1,
          name,
          ...(args !== undefined && { options: [{ type: 3, name: "args", value: args }] }),
        },
      }),
    press(by, message, customId) {
      const shown = toMessage(world, message, origin(), true);
      const rest = { type: 3, data: { component_type: 2, custom_id: customId }, message: shown };
      return begin(by, message.placeId, rest, message.id);
    },
    routes: {
      interactionCallback({ ids: [, token], body }) {
        const interaction = find(token);
        if (!interaction) throw new Refusal(404, 10_062, "Unknown interaction");
        if (interaction.answeredWith !== undefined) {
          throw new Refusal(400, 40_060, "Interaction has already been acknowledged.");
        }
        const data = (body["data"] ?? {}) as {
          flags?: number;
          components?: StoredMessage["components"];
          content?: string;
        };
        interaction.answeredWith = Number(body["type"]);
        interaction.isEphemeral = ((data.flags ?? 0) & 64) !== 0;
        const message = world.messages.find(({ id }) => id === interaction.messageId);
        if (interaction.answeredWith === 7 && message) {
          if (data.components) message.components = data.components;
          if (data.content !== undefined) message.content = data.content;
          tellUpdate(message);
        }
        return { status: 204 };
      },
      deleteInteractionReply({ ids: [, token] }) {
        const interaction = find(token);
        if (interaction?.answeredWith === undefined || interaction.isReplyDeleted) {
          throw new Refusal(404, 10_015, "Unknown Webhook");
        }
        interaction.isReplyDeleted = true;
        return { status: 204 };
      },
    },
  };
}
