/** The Bot API's methods that put something into a chat, or change what is there. */
import { badRequest } from "./bot-error.ts";
import { botUser, type ChatBook, type FakeChat, type FakeMessage, toApiMessage } from "./chat-book.ts";
import { parseHtml } from "./html-entities.ts";
import type { Params, SentFile } from "./read-body.ts";
import { parseRichMarkdown } from "./rich-markdown.ts";

export type Method = (params: Params) => unknown;

type Shown = Pick<FakeMessage, "text" | "format" | "tags">;
const mostUnits = 4_096;
const mostCaptionUnits = 1_024;

export interface PostOptions {
  /** False: a server from before rich messages, which does not know their methods and parameters. */
  hasRichMessages: boolean;
}

export interface Draft {
  chatId: number;
  draftId: number;
  text: string;
  canStop: boolean;
}

export function buildPostMethods(book: ChatBook, { hasRichMessages }: PostOptions) {
  const drafts: Draft[] = [];
  const post = (params: Params, shown: Shown, more: Partial<FakeMessage> = {}): unknown => {
    const chat = book.chatFor(params["chat_id"]);
    const topicId = topicOf(chat, params["message_thread_id"]);
    const reply = params["reply_parameters"] as
      | { message_id?: number; allow_sending_without_reply?: boolean }
      | undefined;
    const replyTo = repliedIn(chat, reply);
    const keyboard = keyboardOf(params["reply_markup"]);
    // A message takes the place of a draft.
    for (let at = drafts.length - 1; at >= 0; at--) if (drafts[at]?.chatId === chat.id) drafts.splice(at, 1);
    const message = book.addMessage(chat, {
      from: botUser,
      ...shown,
      ...(topicId !== undefined && { topicId }),
      ...(replyTo !== undefined && { replyTo }),
      ...(keyboard && { keyboard }),
      ...more,
    });
    return toApiMessage(book, message);
  };
  const readShown = (params: Params): Shown => {
    const rich = hasRichMessages ? (params["rich_message"] as { markdown?: string } | undefined) : undefined;
    if (rich) return readRich(rich);
    return readText(String(params["text"] ?? ""), params["parse_mode"], mostUnits, "message is too long");
  };
  const postFile = (kind: string) => (params: Params) => {
    const file = params[kind] as SentFile | string | undefined;
    if (typeof file !== "object") throw badRequest("wrong file identifier/HTTP URL specified");
    if (file.bytes.length === 0) throw badRequest("file must be non-empty");
    if (kind === "photo" && !/^(?:\x89PNG|\xff\xd8\xff|RIFF)/.test(file.bytes.subarray(0, 4).toString("latin1"))) {
      throw badRequest("IMAGE_PROCESS_FAILED");
    }
    const caption = String(params["caption"] ?? "");
    const shown = caption
      ? readText(caption, params["parse_mode"], mostCaptionUnits, "message caption is too long")
      : { text: "", format: "plain" as const, tags: [] };
    const file_id = book.addFile(file.bytes, `${kind}s/${file.filename}`);
    const about = { file_id, file_unique_id: file_id, file_size: file.bytes.length, file_name: file.filename };
    return post(params, shown, {
      files: [{ filename: file.filename, bytes: file.bytes.length, kind }],
      content: { [kind]: kind === "photo" ? [{ ...about, width: 1, height: 1 }] : about },
    });
  };
  const draft = (params: Params, shown: Shown) => {
    const chat = book.chatFor(params["chat_id"]);
    if (chat.type !== "private") throw badRequest("drafts can be sent only to private chats");
    const draftId = Number(params["draft_id"]);
    if (!Number.isInteger(draftId) || draftId === 0) throw badRequest("DRAFT_ID_INVALID");
    const at = drafts.findIndex((one) => one.chatId === chat.id && one.draftId === draftId);
    const made = { chatId: chat.id, draftId, text: shown.text, canStop: params["can_stop"] === true };
    if (at < 0) drafts.push(made);
    else drafts[at] = made;
    return true;
  };

  const methods: Record<string, Method> = {
    sendMessage: (params) => post(params, readShown({ ...params, rich_message: undefined })),
    sendDocument: postFile("document"),
    sendPhoto: postFile("photo"),
    sendVoice: postFile("voice"),
    sendSticker(params) {
      const sticker = [...book.stickerSets.values()]
        .flatMap(({ stickers }) => stickers)
        .find(({ file_id }) => file_id === params["sticker"]);
      if (!sticker) throw badRequest("wrong file identifier/HTTP URL specified");
      return post(params, { text: sticker.emoji, format: "plain", tags: ["sticker"] }, { content: { sticker } });
    },
    sendPoll(params) {
      const question = String(params["question"] ?? "");
      const options = (params["options"] ?? []) as { text: string }[];
      if (question === "" || question.length > 300) throw badRequest("poll question length must not exceed 300");
      if (options.length < 2) throw badRequest("poll must have at least 2 option");
      if (options.length > 12) throw badRequest("poll can't have more than 12 options");
      if (options.some(({ text }) => text === "" || text.length > 100)) {
        throw badRequest("poll options length must not exceed 100");
      }
      const text = [question, ...options.map((option) => `- ${option.text}`)].join("\n");
      const poll = {
        question,
        options,
        is_anonymous: params["is_anonymous"] ?? true,
        allows_multiple_answers: params["allows_multiple_answers"] ?? false,
      };
      return post(params, { text, format: "plain", tags: ["poll"] }, { content: { poll } });
    },
    editMessageText(params) {
      const message = ownMessage(book, params, "edit");
      const shown = readShown(params);
      const keyboard = keyboardOf(params["reply_markup"]);
      if (isSame(message, shown, keyboard)) throw notModified();
      Object.assign(message, shown, { edits: message.edits + 1, keyboard });
      return toApiMessage(book, message);
    },
    editMessageReplyMarkup(params) {
      const message = ownMessage(book, params, "edit");
      const keyboard = keyboardOf(params["reply_markup"]);
      if (JSON.stringify(message.keyboard) === JSON.stringify(keyboard)) throw notModified();
      Object.assign(message, { keyboard });
      return toApiMessage(book, message);
    },
    deleteMessage(params) {
      const chat = book.chatFor(params["chat_id"]);
      const message = book.messageIn(chat, params["message_id"], "delete");
      if (message.from !== botUser && !chat.isBotAdmin) throw badRequest("message can't be deleted");
      message.isDeleted = true;
      return true;
    },
  };
  if (hasRichMessages) {
    methods["sendRichMessage"] = (params) => {
      if (params["rich_message"] === undefined) throw badRequest("rich message must be non-empty");
      return post(params, readShown(params));
    };
    methods["sendRichMessageDraft"] = (params) => draft(params, readShown(params));
    methods["sendMessageDraft"] = (params) => draft(params, readShown({ ...params, rich_message: undefined }));
  }
  return { methods, drafts };
}

function readRich({ markdown }: { markdown?: string }): Shown {
  if (typeof markdown !== "string") throw badRequest("exactly one of html, markdown and blocks must be used");
  const { text, extras } = parseRichMarkdown(markdown);
  return { text, format: "rich", tags: extras };
}

function readText(text: string, mode: unknown, most: number, tooLong: string): Shown {
  const parsed = mode === "HTML" ? parseHtml(text) : { text: text.trim(), tags: [] };
  if (parsed.text === "") throw badRequest("message text is empty");
  if (parsed.text.length > most) throw badRequest(tooLong);
  return { ...parsed, format: mode === "HTML" ? "html" : "plain" };
}

function ownMessage(book: ChatBook, params: Params, doing: string): FakeMessage {
  const message = book.messageIn(book.chatFor(params["chat_id"]), params["message_id"], doing);
  if (message.from !== botUser) throw badRequest(`message can't be ${doing}ed`);
  return message;
}

const notModified = () =>
  badRequest(
    "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
  );

const isSame = (message: FakeMessage, shown: Shown, keyboard: FakeMessage["keyboard"]) =>
  message.text === shown.text &&
  JSON.stringify(message.tags) === JSON.stringify(shown.tags) &&
  JSON.stringify(message.keyboard) === JSON.stringify(keyboard);

function keyboardOf(markup: unknown): FakeMessage["keyboard"] {
  const rows = (markup as { inline_keyboard?: FakeMessage["keyboard"] } | undefined)?.inline_keyboard;
  if (!rows || rows.length === 0) return undefined;
  if (rows.flat().some(({ callback_data = "" }) => callback_data === "" || Buffer.byteLength(callback_data) > 64)) {
    throw badRequest("BUTTON_DATA_INVALID");
  }
  return rows;
}

function topicOf(chat: FakeChat, threadId: unknown): number | undefined {
  if (threadId === undefined) return undefined;
  if (!chat.topics.has(Number(threadId))) throw badRequest("message thread not found");
  return Number(threadId);
}

function repliedIn(
  chat: FakeChat,
  reply: { message_id?: number; allow_sending_without_reply?: boolean } | undefined,
): number | undefined {
  if (reply?.message_id === undefined) return undefined;
  const found = chat.messages.get(reply.message_id);
  if (found && !found.isDeleted) return found.id;
  if (reply.allow_sending_without_reply) return undefined;
  throw badRequest("message to be replied not found");
}
