/** What went wrong with a call to Discord, classified once: everybody else sees `SendResult`s and coded errors. */
import { DiscordAPIError, HTTPError, RateLimitError } from "@discordjs/rest";
import { ChannelError, errorText, systemCode } from "../../base/errors.ts";
import type { SendResult } from "../../contracts/channel.ts";
import { portalHint } from "./login-fields.ts";

export type Failure = Exclude<SendResult, { type: "sent" }>;

/** Discord's own codes that mean something to us. */
export const codes = {
  unknownChannel: 10_003,
  unknownMessage: 10_008,
  missingAccess: 50_001,
  cannotMessageUser: 50_007,
  missingPermissions: 50_013,
  wrongChannelType: 50_024,
  threadExists: 160_004,
} as const;

const sentences: Readonly<Record<number, string>> = {
  [codes.unknownChannel]: "This chat does not exist, or mom cannot see it.",
  [codes.unknownMessage]: "This message does not exist any more.",
  [codes.missingAccess]: 'Mom has no access to this chat: allow her role "View Channel" there.',
  [codes.cannotMessageUser]: "This person takes no direct messages from mom.",
  [codes.missingPermissions]:
    "Mom's role lacks a permission for this in that chat: see the list in the channel's settings, under Permissions.",
  [codes.wrongChannelType]: "This kind of chat has nothing like that on Discord.",
};

/** The connection was never there, so nothing can have happened. */
const notReached = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"];

export function discordCode(error: unknown): number | undefined {
  return error instanceof DiscordAPIError && typeof error.code === "number" ? error.code : undefined;
}

/** The token is worth nothing (any more). After one such answer the library has thrown it away and says so itself. */
export function isLoginRefused(error: unknown): boolean {
  if (error instanceof DiscordAPIError) return error.status === 401;
  return error instanceof Error && error.message.startsWith("Expected token to be set");
}

export function toFailure(error: unknown): Failure {
  if (error instanceof RateLimitError) {
    const retryAfterMs = Math.max(1, Math.ceil(error.retryAfter || error.timeToReset));
    return { type: "retry", reason: "Discord asks to wait", retryAfterMs };
  }
  if (isLoginRefused(error)) return { type: "retry", reason: "Discord no longer accepts the bot token" };
  if (error instanceof DiscordAPIError) return toRefusal(error);
  // It may have acted before it stumbled; the nonce makes the next try safe.
  if (error instanceof HTTPError) return { type: "unknown", reason: `Discord answered with status ${error.status}` };
  const code = systemCode(error) ?? (error instanceof Error ? systemCode(error.cause) : undefined);
  if (code !== undefined && notReached.includes(code))
    return { type: "retry", reason: `Discord is out of reach (${code})` };
  return { type: "unknown", reason: `The connection to Discord broke: ${errorText(error)}` };
}

/** Without a code of Discord's it is something in between that refuses, and may stop doing so. */
function toRefusal(error: DiscordAPIError): Failure {
  const code = discordCode(error);
  if (!code) return { type: "retry", reason: `Something before Discord answered with status ${error.status}` };
  return { type: "rejected", reason: describe(error, code) };
}

const describe = ({ message }: DiscordAPIError, code: number): string =>
  sentences[code] ?? `Discord refused it: ${message.replace(/\s+/g, " ").slice(0, 300)} (${code}).`;

export function buildLoginRefused(cause?: unknown): ChannelError {
  return new ChannelError("CHANNEL_LOGIN_REFUSED", "Discord does not accept the bot token.", {
    hint: `${portalHint}: "Reset Token", and put the new one in botToken.`,
    cause,
  });
}

/** Close codes of the gateway after which another try is of no use. */
export function toFinalError(closeCode: number): ChannelError | undefined {
  switch (closeCode) {
    case 4004:
      return buildLoginRefused();
    case 4013:
    case 4014:
      return new ChannelError(
        "CHANNEL_RIGHT_MISSING",
        "Discord does not let mom read messages: an intent is switched off.",
        {
          hint: `${portalHint}: switch on "Message Content Intent" under Privileged Gateway Intents.`,
        },
      );
    case 4010:
    case 4011:
    case 4012:
      return new ChannelError("CHANNEL_LOGIN_REFUSED", `Discord refuses this kind of connection (${closeCode}).`, {
        hint: closeCode === 4011 ? "The bot is in too many servers for one connection." : "Is mom up to date?",
      });
    default:
      return undefined;
  }
}

/** What a tool tells the model when Discord did not do it. */
export function toActionError(error: unknown): ChannelError {
  const failure = toFailure(error);
  return new ChannelError("CHANNEL_ACTION_FAILED", failure.reason, {
    retryable: failure.type !== "rejected",
    cause: error,
  });
}
