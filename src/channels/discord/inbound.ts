/** Discord's messages, edits and deletions → `ChannelMessage`s. Files are fetched on the way; what cannot be had is said. */
import {
  type APIEmbed,
  type APIMessage,
  type APIUser,
  type GatewayMessageCreateDispatchData,
  MessageReferenceType,
  MessageType,
} from "discord-api-types/v10";
import type { Clock } from "../../contracts/clock.ts";
import type { ChannelMessage, MessageSender } from "../../contracts/message.ts";
import type { ChannelDeps } from "../definition.ts";
import type { Directory } from "../kit/directory.ts";
import { downloadFile } from "../kit/download-file.ts";
import { discordCapabilities } from "./capabilities.ts";
import { toReadable } from "./format.ts";
import type { GuildBook } from "./guild-book.ts";
import type { Recent } from "./recent.ts";
import type { Self } from "./self.ts";

/** As the gateway or REST gives it; only the gateway names the server and the member. */
export type HeardMessage = APIMessage & Partial<Pick<GatewayMessageCreateDispatchData, "guild_id" | "member">>;

export interface Inbound {
  /** Undefined: nothing that somebody said (mom herself, a notice of Discord's). */
  toMessage(heard: HeardMessage): Promise<ChannelMessage | undefined>;
  /** Undefined: nothing that somebody changed. */
  toEdit(heard: HeardMessage): ChannelMessage | undefined;
  toDeletion(channelId: string, messageId: string): ChannelMessage | undefined;
  toSender(user: APIUser, isHook?: boolean): MessageSender;
}

export interface InboundDeps {
  clock: Clock;
  directory: Directory;
  guilds: GuildBook;
  recent: Recent;
  saveAttachment: ChannelDeps["saveAttachment"];
  self(): Pick<Self, "id" | "username">;
  /** Ends downloads. */
  signal: AbortSignal;
}

/** What people say; everything else are notices (somebody joined, a message was pinned). */
const saidTypes: readonly MessageType[] = [
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
];
const downloadTimeoutMs = 60_000;
const maxExtraLength = 4_000;

export function createInbound(deps: InboundDeps): Inbound {
  const { clock, directory, guilds, recent, saveAttachment, self, signal } = deps;
  const isMom = (id: string | undefined) => id === self().id;

  const isCalled = (heard: HeardMessage) =>
    heard.mentions.some(({ id }) => isMom(id)) || heard.mention_roles.some(guilds.isOwnRole);
  const answers = (heard: HeardMessage) => {
    const { message_reference: reference } = heard;
    // A forwarded message has a reference too.
    return reference?.type === MessageReferenceType.Forward ? undefined : reference?.message_id;
  };
  const answersMom = (heard: HeardMessage) =>
    isMom(heard.referenced_message?.author.id) || recent.isOwn(answers(heard) ?? "");
  const toSender: Inbound["toSender"] = (user, isHook = false) => {
    const displayName = directory.user(user.id)?.displayName ?? user.global_name ?? undefined;
    return {
      id: user.id,
      username: user.username,
      isBot: user.bot === true || isHook,
      ...(displayName !== undefined && { displayName }),
    };
  };
  /** Everything that holds for a message and for a change of it alike. */
  const toCommon = (heard: HeardMessage) => {
    const text = toReadable(heard.content, { ...self(), isOwnRole: guilds.isOwnRole }, directory);
    return {
      channelId: heard.channel_id,
      sender: toSender(heard.author, heard.webhook_id !== undefined),
      text,
      ...(text !== heard.content && { rawText: heard.content }),
      attachments: [],
    };
  };
  const fetchFiles = (heard: HeardMessage) =>
    Promise.all(
      heard.attachments.map(({ url, filename, size, content_type }) =>
        downloadFile(
          {
            url,
            filename,
            size,
            maxBytes: discordCapabilities.maxDownloadBytes,
            timeoutMs: downloadTimeoutMs,
            signal,
            ...(content_type !== undefined && { mimeType: content_type }),
          },
          { clock, save: (file) => saveAttachment(heard.channel_id, file) },
        ),
      ),
    );

  return {
    async toMessage(heard) {
      if (isMom(heard.author.id) || !saidTypes.includes(heard.type)) return undefined;
      const isDirect = heard.guild_id === undefined;
      for (const user of heard.mentions) if (!directory.user(user.id)) guilds.putUser(user);
      if (heard.webhook_id === undefined) guilds.putUser(heard.author, heard.member);
      const common = toCommon(heard);
      recent.heard(heard.id, common.sender);
      await guilds.ensureChannel(heard.channel_id, isDirect ? heard.author.username : undefined);
      const files = await fetchFiles(heard);
      const notes = files.flatMap((file) => (file.type === "failed" ? [file.note] : []));
      const replyTo = answers(heard);
      return {
        ...common,
        id: heard.id,
        timestamp: new Date(heard.timestamp).toISOString(),
        text: [common.text, ...describeExtras(heard), ...notes].filter((part) => part !== "").join("\n"),
        attachments: files.flatMap((file) => (file.type === "saved" ? [file.attachment] : [])),
        isMention: isDirect || isCalled(heard) || answersMom(heard),
        ...(replyTo !== undefined && { replyTo }),
        ...(heard.message_snapshots?.length && { metadata: { outside: "a forwarded message" } }),
      };
    },
    toEdit(heard) {
      // Discord also tells when it has added a preview to a link, and may leave out what has not changed.
      if (!heard.edited_timestamp || !heard.author || typeof heard.content !== "string") return undefined;
      if (isMom(heard.author.id)) return undefined;
      const editedAt = Date.parse(heard.edited_timestamp);
      return {
        ...toCommon(heard),
        id: `${heard.id}:edit:${editedAt}`,
        timestamp: new Date(editedAt).toISOString(),
        isMention: false,
        change: { type: "edit", ref: heard.id },
      };
    },
    toDeletion(channelId, messageId) {
      if (recent.isOwn(messageId)) return undefined;
      return {
        id: `${messageId}:delete`,
        channelId,
        timestamp: new Date(clock.now()).toISOString(),
        // Discord does not say whose message it was.
        sender: recent.senderOf(messageId) ?? { id: "unknown", username: "unknown", isBot: false },
        text: "",
        attachments: [],
        isMention: false,
        change: { type: "delete", ref: messageId },
      };
    },
    toSender,
  };
}

/** What a message says beside its text. */
function describeExtras({ content, sticker_items, poll, message_snapshots, embeds }: HeardMessage): string[] {
  const stickers = (sticker_items ?? []).map(({ name }) => `(sticker "${name}")`);
  const forwarded = (message_snapshots ?? []).map(({ message }) => `(forwarded) ${message.content}`);
  const asked = poll ? [`(poll) ${poll.question.text ?? ""}: ${poll.answers.map(toAnswer).join(" / ")}`] : [];
  // Bots often say everything in a box.
  const boxes = content === "" ? embeds.map(toBoxText) : [];
  return [...stickers, ...forwarded, ...asked, ...boxes].map((part) => part.slice(0, maxExtraLength).toWellFormed());
}

const toAnswer = ({ poll_media }: { poll_media: { text?: string } }) => poll_media.text ?? "";
const toBoxText = ({ title, description }: APIEmbed) => [title, description].filter(Boolean).join("\n");
