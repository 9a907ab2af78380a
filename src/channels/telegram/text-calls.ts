/**
 * One text to Telegram, in the best form that it takes: a rich message, then HTML for servers that do not know those, then
 * plain words where the markup is not understood. A reply is never lost to its looks.
 */
import type { InlineKeyboardMarkup } from "grammy/types";
import type { Log } from "../../contracts/log.ts";
import type { TelegramClient } from "./client.ts";
import { type Failure, formatFailure, isAboutText, toFailure } from "./failure.ts";
import type { Form, Formatter } from "./format.ts";
import { type Place, toTarget } from "./place.ts";

/** What the server can do beyond the Bot API of old; learnt when mom connects (`learnFeatures`). */
export interface Features {
  hasRich: boolean;
  hasDrafts: boolean;
}

export interface TextOptions {
  replyTo?: number | undefined;
  keyboard?: InlineKeyboardMarkup | undefined;
}

export type CallResult<T> = { type: "done"; value: T } | { type: "failed"; failure: Failure };

export interface TextCalls {
  /** The new message's id. */
  post(place: Place, part: string, options?: TextOptions): Promise<CallResult<number>>;
  /** Done as well when it says so already. */
  edit(place: Place, messageId: number, part: string, options?: TextOptions): Promise<CallResult<true>>;
  /** A preview that vanishes by itself; private chats only. */
  draft(place: Place, draftId: number, part: string): Promise<CallResult<true>>;
}

/** A model may be talked into an address that carries secrets; nobody shall fetch it unasked. */
const noPreview = { link_preview_options: { is_disabled: true } };

export interface TextCallsDeps {
  client: TelegramClient;
  formatter: Formatter;
  features: Features;
  log: Log;
}

export function createTextCalls({ client: { api }, formatter, features, log }: TextCallsDeps): TextCalls {
  async function tryForms<T>(part: string, call: (form: Form, text: string) => Promise<T>): Promise<CallResult<T>> {
    for (let form: Form = features.hasRich ? "rich" : "html"; ; form = form === "rich" ? "html" : "plain") {
      const text = formatter.toForm(part, form);
      const result = await attempt(() => call(form, text));
      if (result.type === "done" || form === "plain") return result;
      const isUnknown = form === "rich" && isUnknownMethod(result.failure);
      if (!isUnknown && !isAboutText(result.failure)) return result;
      log.debug("A text goes out in a simpler form", { form, reason: formatFailure(result.failure) });
    }
  }
  const toText = (form: Form, text: string) => (form === "html" ? { text, parse_mode: "HTML" as const } : { text });

  return {
    post: (place, part, { replyTo, keyboard } = {}) =>
      tryForms(part, async (form, text) => {
        const common = {
          ...toTarget(place),
          ...(replyTo !== undefined && {
            reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
          }),
          ...(keyboard && { reply_markup: keyboard }),
        };
        const sent =
          form === "rich"
            ? await api.sendRichMessage({ ...common, rich_message: { markdown: text } })
            : await api.sendMessage({ ...common, ...noPreview, ...toText(form, text) });
        return sent.message_id;
      }),
    async edit({ chatId }, messageId, part, { keyboard } = {}) {
      const common = { chat_id: chatId, message_id: messageId, ...(keyboard && { reply_markup: keyboard }) };
      const result = await tryForms(part, async (form, text) => {
        if (form === "rich") await api.editMessageText({ ...common, rich_message: { markdown: text } });
        else await api.editMessageText({ ...common, ...noPreview, ...toText(form, text) });
        return true as const;
      });
      if (result.type === "failed" && isSameAlready(result.failure)) return { type: "done", value: true };
      return result;
    },
    async draft(place, draftId, part) {
      const common = { ...toTarget(place), draft_id: draftId, can_stop: true };
      const result = await tryForms(part, (form, text) =>
        form === "rich"
          ? api.sendRichMessageDraft({ ...common, rich_message: { markdown: text } })
          : api.sendMessageDraft({ ...common, ...toText(form, text) }),
      );
      if (result.type === "failed" && isUnknownMethod(result.failure)) features.hasDrafts = false;
      return result;
    },
  };
}

/** A method that the server does not know is not found; one that it knows complains about the chat. Nothing is posted. */
export async function learnFeatures({ api }: TelegramClient, features: Features): Promise<void> {
  const rich_message = { markdown: "?" };
  const [post, draft] = await Promise.all([
    attempt(() => api.sendRichMessage({ chat_id: 0, rich_message })),
    attempt(() => api.sendRichMessageDraft({ chat_id: 0, draft_id: 1, rich_message })),
  ]);
  const isKnown = (result: CallResult<unknown>) => result.type === "done" || !isUnknownMethod(result.failure);
  features.hasRich = isKnown(post);
  features.hasDrafts = isKnown(draft);
}

/** Makes a call; grammY's errors become values. */
export async function attempt<T>(call: () => Promise<T>): Promise<CallResult<T>> {
  try {
    return { type: "done", value: await call() };
  } catch (error) {
    return { type: "failed", failure: toFailure(error) };
  }
}

/** The server is older than the method. */
export const isUnknownMethod = (failure: Failure): boolean => failure.type === "refused" && failure.code === 404;
const isSameAlready = (failure: Failure) =>
  failure.type === "refused" && /message is not modified/.test(failure.description);
