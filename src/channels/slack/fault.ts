/** What can go wrong in a call to Slack: the SDK's errors are told apart here, once, and become values. */
import { ErrorCode } from "@slack/web-api";
import { errorText, systemCode } from "../../base/errors.ts";
import type { SendResult } from "../../contracts/channel.ts";

export type SlackFault =
  /** Slack said no; nothing happened. `needed`: the scope that is missing. */
  | { type: "refused"; error: string; needed?: string }
  /** Slack does not accept the token (any more). */
  | { type: "login"; error: string }
  | { type: "limited"; retryAfterMs: number }
  /** The call never got there. */
  | { type: "unreached"; reason: string }
  /** Nobody knows whether it was done. */
  | { type: "lost"; reason: string };

const loginErrors = [
  "invalid_auth",
  "not_authed",
  "token_revoked",
  "token_expired",
  "account_inactive",
  "user_removed_from_team",
  "team_disabled",
  "org_login_required",
  "not_allowed_token_type",
  "ekm_access_denied",
];
/** Slack's own words for these: parts of it may have been done. */
const unsureErrors = ["fatal_error", "internal_error"];
const passingErrors = ["ratelimited", "rate_limited", "service_unavailable", "request_timeout", "team_added_to_org"];
const unreachedCodes = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
];

export function toFault(error: unknown): SlackFault {
  const code = systemCode(error);
  const { data, retryAfter, statusCode, original } = error as {
    data?: { error?: unknown; needed?: unknown };
    retryAfter?: number;
    statusCode?: number;
    original?: Error;
  };
  if (code === ErrorCode.PlatformError) return toRefusal(String(data?.error), data?.needed);
  if (code === ErrorCode.RateLimitedError) return { type: "limited", retryAfterMs: (retryAfter ?? 1) * 1000 };
  if (code === ErrorCode.HTTPError) return toStatusFault(statusCode ?? 500);
  const cause = systemCode(original?.cause) ?? systemCode(original);
  const reason = errorText(original ?? error);
  if (cause && unreachedCodes.includes(cause)) return { type: "unreached", reason: `Slack is out of reach (${cause})` };
  return { type: "lost", reason: `The connection to Slack broke: ${cause ?? reason}` };
}

function toRefusal(error: string, needed: unknown): SlackFault {
  if (loginErrors.includes(error)) return { type: "login", error };
  if (unsureErrors.includes(error)) return { type: "lost", reason: `Slack had a failure of its own (${error})` };
  if (passingErrors.includes(error)) return { type: "limited", retryAfterMs: 5_000 };
  return { type: "refused", error, ...(typeof needed === "string" && { needed }) };
}

function toStatusFault(status: number): SlackFault {
  if (status < 500 && status !== 408) return { type: "refused", error: `status ${status}` };
  return { type: "lost", reason: `Slack answered with status ${status}` };
}

/** A post that failed so. */
export function toSendResult(fault: SlackFault): Exclude<SendResult, { type: "sent" }> {
  switch (fault.type) {
    case "refused":
      return { type: "rejected", reason: describeRefusal(fault) };
    case "login":
      return { type: "retry", reason: `Slack does not accept mom's login (${fault.error})` };
    case "limited":
      return { type: "retry", reason: "Slack asks to wait", retryAfterMs: fault.retryAfterMs };
    case "unreached":
      return { type: "retry", reason: fault.reason };
    case "lost":
      return { type: "unknown", reason: fault.reason };
  }
}

const refusals: Record<string, string> = {
  channel_not_found: "mom is not in this conversation, or it does not exist; invite her with /invite",
  not_in_channel: "mom is not a member of this channel; invite her with /invite",
  is_archived: "the channel is archived",
  message_not_found: "there is no such message",
  cant_update_message: "only mom's own messages can be changed",
  cant_delete_message: "only mom's own messages can be deleted",
  edit_window_closed: "the workspace does not allow changes any more after this time",
  msg_too_long: "the text is too long",
  restricted_action: "the workspace does not allow mom to post there",
  invalid_name: "there is no emoji of this name in this workspace",
  too_many_pins: "the channel has as many pins as it can have",
  too_many_reactions: "the message has as many reactions as it can have",
};

/** A sentence that names the fix. */
export function describeRefusal({ error, needed }: { error: string; needed?: string }): string {
  if (error === "missing_scope") {
    return `Slack: the app lacks the right ${needed ?? "for this"}; add it under "OAuth & Permissions" and install the app again`;
  }
  return `Slack: ${refusals[error] ?? error} (${error})`;
}
