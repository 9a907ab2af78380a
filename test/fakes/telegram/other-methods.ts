/** The Bot API's methods about the bot itself, its updates, files, menus, and what is done to messages besides changing them. */
import { BotError, badRequest } from "./bot-error.ts";
import { botUser, type ChatBook, toApiChat } from "./chat-book.ts";
import type { Method } from "./post-methods.ts";
import type { Params } from "./read-body.ts";
import type { UpdateLine } from "./update-line.ts";
import type { WebhookState } from "./webhook-calls.ts";

const reactions = new Set(
  "👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡".split(
    " ",
  ),
);
const maxDownloadBytes = 20 * 1_024 * 1_024;

/** What the bot's login is like, and what it has set. */
export interface BotState extends WebhookState {
  isPrivacyOn: boolean;
  commands: { command: string; description: string }[];
  /** Presses that were not answered yet. */
  openQueries: Set<string>;
  /** Chat actions, newest last. */
  actions: { chatId: number; action: string }[];
}

export function buildOtherMethods(book: ChatBook, state: BotState, line: UpdateLine): Record<string, Method> {
  const messageOf = (params: Params, doing: string) =>
    book.messageIn(book.chatFor(params["chat_id"]), params["message_id"], doing);
  return {
    getMe: () => ({
      ...botUser,
      can_join_groups: true,
      can_read_all_group_messages: !state.isPrivacyOn,
      supports_inline_queries: false,
      can_connect_to_business: false,
      has_main_web_app: false,
      has_topics_enabled: false,
      allows_users_to_create_topics: false,
    }),
    getWebhookInfo: () => ({
      url: state.webhookUrl,
      has_custom_certificate: false,
      pending_update_count: line.waiting,
      ...(state.webhookError && {
        last_error_date: state.webhookError.date,
        last_error_message: state.webhookError.message,
      }),
    }),
    setWebhook(params) {
      const { url, secret } = readWebhook(params);
      Object.assign(state, { webhookUrl: url, webhookSecret: secret, webhookError: undefined });
      if (Array.isArray(params["allowed_updates"])) line.allow(params["allowed_updates"] as string[]);
      line.refuse(new BotError(409, "Conflict: terminated by setWebhook request"));
      return true;
    },
    deleteWebhook() {
      Object.assign(state, { webhookUrl: "", webhookSecret: "", webhookError: undefined });
      return true;
    },
    setMyCommands(params) {
      const commands = (params["commands"] ?? []) as BotState["commands"];
      if (commands.some(({ command }) => !/^[a-z0-9_]{1,32}$/.test(command))) throw badRequest("BOT_COMMAND_INVALID");
      if (commands.some(({ description }) => description.length < 1 || description.length > 256)) {
        throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
      }
      if (commands.length > 100) throw badRequest("BOT_COMMANDS_TOO_MUCH");
      state.commands = commands;
      return true;
    },
    getChat(params) {
      const chat = book.chatFor(params["chat_id"]);
      return toApiChat(chat, book.users.get(chat.id));
    },
    sendChatAction(params) {
      const chat = book.chatFor(params["chat_id"]);
      state.actions.push({ chatId: chat.id, action: String(params["action"]) });
      return true;
    },
    setMessageReaction(params) {
      const message = messageOf(params, "react");
      const asked = ((params["reaction"] ?? []) as { emoji?: string }[]).map(({ emoji = "" }) => emoji);
      if (asked.length > 1) throw badRequest("REACTIONS_TOO_MANY");
      if (asked.some((emoji) => !reactions.has(emoji))) throw badRequest("REACTION_INVALID");
      message.reactions = asked;
      return true;
    },
    pinChatMessage(params) {
      if (!book.chatFor(params["chat_id"]).isBotAdmin) {
        throw badRequest("not enough rights to manage pinned messages in the chat");
      }
      messageOf(params, "pin").isPinned = true;
      return true;
    },
    unpinChatMessage(params) {
      messageOf(params, "unpin").isPinned = false;
      return true;
    },
    getStickerSet(params) {
      const name = String(params["name"]);
      const set = book.stickerSets.get(name);
      if (!set) throw badRequest("STICKERSET_INVALID");
      return { name, ...set, sticker_type: "regular" };
    },
    getFile(params) {
      const file = book.files.get(String(params["file_id"]));
      if (!file) throw badRequest("wrong file_id or the file is temporarily unavailable");
      if (file.size > maxDownloadBytes) throw badRequest("file is too big");
      return {
        file_id: params["file_id"],
        file_unique_id: params["file_id"],
        file_size: file.bytes.length,
        file_path: file.path,
      };
    },
    answerCallbackQuery(params) {
      if (!state.openQueries.delete(String(params["callback_query_id"]))) {
        throw badRequest("query is too old and response timeout expired or query ID is invalid");
      }
      return true;
    },
    createForumTopic(params) {
      const chat = book.chatFor(params["chat_id"]);
      if (!chat.is_forum) throw badRequest("the chat is not a forum");
      if (!chat.isBotAdmin) throw badRequest("not enough rights to create a topic");
      const name = String(params["name"] ?? "");
      if (name === "" || name.length > 128) throw badRequest("topic name must be non-empty");
      const { id } = book.addMessage(chat, { from: botUser, text: "", content: { forum_topic_created: { name } } });
      chat.topics.set(id, name);
      return { message_thread_id: id, name, icon_color: 7_322_096 };
    },
  };
}

function readWebhook(params: Params): { url: string; secret: string } {
  const [url, secret] = [String(params["url"] ?? ""), String(params["secret_token"] ?? "")];
  if (url !== "" && !url.startsWith("https://")) {
    throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
  }
  if (url !== "" && !["", "443", "80", "88", "8443"].includes(new URL(url).port)) {
    throw badRequest("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443");
  }
  if (!/^[A-Za-z0-9_-]{0,256}$/.test(secret)) throw badRequest("secret token contains unallowed characters");
  return { url, secret };
}
