/** What people write, as the fake keeps it, and mom's posts, as a test looks at them. */
import type { SaidThere, SeenPost } from "../platform.ts";
import type { NewMessage, Person, StoredMessage, World } from "./world.ts";

/** A post of mom's, with what only Discord has. */
export interface DiscordPost extends SeenPost {
  buttons: { label: string; customId: string; style: number }[];
  /** Who was notified by it. */
  pings: string[];
  reactions: string[];
  isPinned: boolean;
  poll?: StoredMessage["poll"];
  nonce?: string | number;
}

export function toSaid(world: World, said: SaidThere, author: Person): NewMessage {
  return {
    placeId: said.channelId,
    author,
    content: said.mention ? `<@${world.bot.id}> ${said.text}` : said.text,
    ...(said.id !== undefined && { id: said.id }),
    ...(said.replyTo !== undefined && { replyTo: said.replyTo }),
    files: (said.files ?? []).map(({ filename, data, mimeType = "text/plain" }) => ({
      id: world.newId(),
      filename,
      data: Buffer.from(data),
      mimeType,
    })),
  };
}

export function toPost(message: StoredMessage): DiscordPost {
  const buttons = message.components.flatMap(({ components }) =>
    components.flatMap((each) =>
      "custom_id" in each && "label" in each
        ? [{ label: String(each.label), customId: each.custom_id, style: each.style }]
        : [],
    ),
  );
  return {
    id: message.id,
    channelId: message.placeId,
    text: message.content,
    isDeleted: message.isDeleted,
    edits: message.edits,
    files: message.files.map(({ filename, data }) => ({ filename, bytes: data.length })),
    buttons,
    pings: message.pings,
    reactions: [...message.reactions].filter(([, by]) => by.size > 0).map(([emoji]) => emoji),
    isPinned: message.isPinned,
    ...(message.replyTo !== undefined && { replyTo: message.replyTo }),
    ...(message.poll && { poll: message.poll }),
    ...(message.nonce !== undefined && { nonce: message.nonce }),
  };
}
