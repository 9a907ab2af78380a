/** What went wrong with a call: grammY's errors are read here and nowhere else, and become results for the outbox. */
import { GrammyError, HttpError } from "grammy";
import { errorText, systemCode } from "../../base/errors.ts";
import type { SendResult } from "../../contracts/channel.ts";

export type Failure =
  /** Telegram answered and did nothing. */
  | { type: "refused"; code: number; description: string; retryAfterMs?: number; migratedTo?: number }
  /** The request never left this machine, or found nobody. */
  | { type: "unreached"; reason: string }
  /** It was made, and the answer is lost. */
  | { type: "lost"; reason: string };

/** Before a connection there is no request. */
const unreachedCodes = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL"];
const tlsCode = /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS)/;

/** Addresses in messages of the client hold the token, so none of those is passed on. */
export function toFailure(error: unknown): Failure {
  if (error instanceof GrammyError) {
    const { error_code: code, description, parameters } = error;
    // What stands between the Bot API and us may answer so when a request was made all the same.
    if (code > 500 && code !== 503) return { type: "lost", reason: `Telegram answered ${code}: ${description}` };
    return {
      type: "refused",
      code,
      description,
      ...(parameters.retry_after !== undefined && { retryAfterMs: parameters.retry_after * 1_000 }),
      ...(parameters.migrate_to_chat_id !== undefined && { migratedTo: parameters.migrate_to_chat_id }),
    };
  }
  if (error instanceof HttpError) return toNetworkFailure(error.error);
  return { type: "lost", reason: `The call failed: ${errorText(error)}` };
}

function toNetworkFailure(error: unknown): Failure {
  const code = systemCode(error) ?? "";
  const text = errorText(error);
  const isConnecting = code === "ETIMEDOUT" && !/\bread ETIMEDOUT/.test(text);
  if (unreachedCodes.includes(code) || tlsCode.test(code) || isConnecting) {
    return { type: "unreached", reason: `Telegram cannot be reached (${code})` };
  }
  if (/timed out after/.test(text)) return { type: "lost", reason: "Telegram did not answer in time" };
  if (/invalid json/i.test(text)) return { type: "lost", reason: "Telegram's answer could not be read" };
  return { type: "lost", reason: `The connection to Telegram broke${code === "" ? "" : ` (${code})`}` };
}

/** One line for health and log. */
export function formatFailure(failure: Failure): string {
  return failure.type === "refused" ? `Telegram answered: ${failure.description}` : failure.reason;
}

/** The outcome of a post that failed. */
export function toSendResult(failure: Failure): SendResult {
  if (failure.type === "unreached") return { type: "retry", reason: failure.reason };
  if (failure.type === "lost") return { type: "unknown", reason: failure.reason };
  const { code, description, retryAfterMs } = failure;
  if (code === 429) return { type: "retry", reason: description, retryAfterMs: retryAfterMs ?? 1_000 };
  if (code === 401 || code === 500 || code === 503) return { type: "retry", reason: formatFailure(failure) };
  return { type: "rejected", reason: explain(description) };
}

export const isRefusal = (failure: Failure, pattern: RegExp): boolean =>
  failure.type === "refused" && pattern.test(failure.description);

/** About who may be written to and where; saying it in other words would not help. */
const aboutPlace: [RegExp, string][] = [
  [/bot was blocked by the user/, "The person has blocked the bot; only they can undo that, in the menu of the chat."],
  [/user is deactivated/, "The person's account is gone."],
  [/can't initiate conversation/, "A bot cannot write first: the person has to send it a message once."],
  [
    /chat not found|PEER_ID_INVALID|chat_id is empty/,
    "There is no such chat for this bot: add it to the group, or have the person write to it first.",
  ],
  [/bot was kicked|bot is not a member/, "The bot was removed from the chat; somebody there has to add it again."],
  [
    /not enough rights|have no rights|need administrator rights|CHAT_WRITE_FORBIDDEN|CHAT_ADMIN_REQUIRED/,
    "The bot may not do that there: make it an administrator with that right, or lift the restriction.",
  ],
  [/message thread not found|TOPIC_DELETED/, "The topic is gone."],
  [/TOPIC_CLOSED/, "The topic is closed; somebody there has to open it again."],
  [/chat is not a forum/, "Topics are not switched on in this chat (its settings have them)."],
  [/group chat was upgraded/, "The group has become a supergroup with another id."],
];

const explain = (description: string): string => {
  const sentence = aboutPlace.find(([pattern]) => pattern.test(description))?.[1];
  return sentence === undefined ? `Telegram refused it: ${description}` : `${sentence} (${description})`;
};

/** The same post in a simpler form may be taken: it was the text that Telegram did not like. */
export function isAboutText(failure: Failure): boolean {
  if (failure.type !== "refused" || failure.code !== 400) return false;
  const hasOtherReason = /not modified|message (?:to|can't)|BUTTON_|reply/i.test(failure.description);
  return !hasOtherReason && !aboutPlace.some(([pattern]) => pattern.test(failure.description));
}
