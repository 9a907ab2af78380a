/** The fake's things as Discord writes them in JSON: the fields that libraries look at, with the values of a quiet server. */
import type {
  APIAttachment,
  APIGuildMember,
  APIMessage,
  APIMessageReference,
  APIUser,
  GatewayGuildCreateDispatchData,
} from "discord-api-types/v10";
import type { Person, Place, StoredFile, StoredMessage, World } from "./world.ts";

/** `GatewayGuildMembersLimited`, `GatewayMessageContentLimited`: what the switches in the developer portal set. */
export const applicationFlags = { members: 1 << 15, messageContent: 1 << 19 };

export function toUser({ id, username, displayName, isBot }: Person): APIUser {
  return {
    id,
    username,
    discriminator: "0",
    global_name: displayName,
    avatar: null,
    ...(isBot && { bot: true }),
  } as APIUser;
}

export function toMember(person: Person, joinedAt: number): APIGuildMember {
  return {
    user: toUser(person),
    nick: null,
    roles: [],
    joined_at: new Date(joinedAt).toISOString(),
    premium_since: null,
    deaf: false,
    mute: false,
    flags: 0,
  } as unknown as APIGuildMember;
}

/** A channel, a thread or a direct chat. */
export function toChannel(world: World, place: Place): Record<string, unknown> {
  const common = { id: place.id, type: place.type, last_message_id: place.lastMessageId, flags: 0 };
  if (place.type === 1) {
    const recipient = world.people.get(place.personId ?? "");
    return { ...common, recipients: recipient ? [toUser(recipient)] : [] };
  }
  const inGuild = { ...common, guild_id: world.guildId, name: place.name, parent_id: place.parentId ?? null };
  if (place.type === 0) return { ...inGuild, position: 0, permission_overwrites: [], nsfw: false, topic: null };
  const metadata = { archived: false, auto_archive_duration: 1440, archive_timestamp: new Date(0).toISOString() };
  return { ...inGuild, owner_id: world.bot.id, message_count: 0, member_count: 1, thread_metadata: metadata };
}

export function toGuild(world: World, sees: { members: boolean }): GatewayGuildCreateDispatchData {
  const joinedAt = 1_700_000_000_000;
  const members = [...world.people.values()].filter(({ id }) => sees.members || id === world.bot.id);
  const places = world.guildPlaces();
  const botRole = { id: world.botRoleId, name: "mom", managed: true, tags: { bot_id: world.bot.id } };
  return {
    id: world.guildId,
    name: "Acme",
    owner_id: members[0]?.id ?? world.bot.id,
    joined_at: new Date(joinedAt).toISOString(),
    large: false,
    unavailable: false,
    member_count: world.people.size,
    members: members.map((person) => toMember(person, joinedAt)),
    channels: places.filter(({ type }) => type === 0).map((place) => toChannel(world, place)),
    threads: places.filter(({ type }) => type === 11).map((place) => toChannel(world, place)),
    roles: [{ id: world.guildId, name: "@everyone", managed: false }, botRole],
    emojis: [],
    stickers: [],
    features: [],
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
    premium_tier: 0,
    verification_level: 0,
    nsfw_level: 0,
    system_channel_id: null,
    afk_channel_id: null,
    icon: null,
    preferred_locale: "en-US",
  } as unknown as GatewayGuildCreateDispatchData;
}

const toAttachment = (file: StoredFile, message: StoredMessage, origin: string): APIAttachment => {
  const url = `${origin}/attachments/${message.placeId}/${file.id}/${encodeURIComponent(file.filename)}`;
  return {
    id: file.id,
    filename: file.filename,
    size: file.data.length,
    url,
    proxy_url: url,
    content_type: file.mimeType,
  };
};

/** `isEvent`: as the gateway tells it, with the server and the member; over REST neither is there, nor is the nonce. */
export function toMessage(world: World, message: StoredMessage, origin: string, isEvent: boolean): APIMessage {
  const place = world.places.get(message.placeId);
  const isInGuild = place !== undefined && place.type !== 1;
  const answered = message.replyTo === undefined ? undefined : world.message(message.placeId, message.replyTo);
  const mentions = findMentions(world, message.content);
  if (answered && !mentions.some(({ id }) => id === answered.author.id)) mentions.push(answered.author);
  const reference: APIMessageReference | undefined =
    message.replyTo === undefined ? undefined : { type: 0, channel_id: message.placeId, message_id: message.replyTo };
  return {
    id: message.id,
    type: reference ? 19 : 0,
    channel_id: message.placeId,
    author: toUser(message.author),
    content: message.content,
    timestamp: new Date(message.at).toISOString(),
    edited_timestamp: message.editedAt === null ? null : new Date(message.editedAt).toISOString(),
    tts: false,
    mention_everyone: message.pings.includes("everyone"),
    mentions: mentions.map(toUser),
    mention_roles: [...message.content.matchAll(/<@&(\d+)>/g)].map(([, id]) => id ?? ""),
    attachments: message.files.map((file) => toAttachment(file, message, origin)),
    embeds: [],
    components: message.components,
    pinned: message.isPinned,
    flags: 0,
    ...(reference && {
      message_reference: reference,
      referenced_message: answered ? toMessage(world, withoutReference(answered), origin, false) : null,
    }),
    ...(message.poll && { poll: { question: { text: message.poll.question }, answers: [] } }),
    ...(isEvent && message.nonce !== undefined && { nonce: message.nonce }),
    ...(isEvent && isInGuild && { guild_id: world.guildId, member: toMember(message.author, 0) }),
  } as unknown as APIMessage;
}

/** Discord shows what was answered, not what that answered. */
function withoutReference({ replyTo: _, ...message }: StoredMessage): StoredMessage {
  return message;
}

export function findMentions(world: World, content: string): Person[] {
  const ids = new Set([...content.matchAll(/<@!?(\d+)>/g)].map(([, id]) => id ?? ""));
  return [...ids].flatMap((id) => world.people.get(id) ?? []);
}
