/** The rights (scopes) that mom's Slack app has, and what she does with each. */
import { ChannelError } from "../../base/errors.ts";
import type { LoginWarning } from "../definition.ts";

/** What mom does with each; the manifest in README.md asks for all of them. */
const purposes: Readonly<Record<string, string>> = {
  "app_mentions:read": "hears when she is mentioned",
  "channels:history": "reads public channels, and finds out there whether a post of hers arrived",
  "channels:read": "knows the names of public channels",
  "chat:write": "posts",
  "files:read": "reads files that people send",
  "files:write": "sends files",
  "groups:history": "reads private channels",
  "groups:read": "knows the names of private channels",
  "im:history": "reads direct messages",
  "im:read": "knows who a direct chat is with",
  "mpim:history": "reads direct messages of several people",
  "mpim:read": "knows direct chats of several people",
  "pins:write": "pins messages",
  "reactions:write": "reacts with an emoji",
  "users:read": "knows people's names",
};
/** Without this nothing can be said; without one of the others nothing is heard. */
const speaking = "chat:write";
const hearing = ["app_mentions:read", "im:history", "channels:history", "groups:history", "mpim:history"];

const installAgain = 'add it under "OAuth & Permissions", "Bot Token Scopes", then install the app again';

/** `scopes`: undefined where Slack did not say. */
export function listMissingRights(scopes: readonly string[] | undefined): LoginWarning[] {
  if (!scopes) return [];
  return Object.entries(purposes)
    .filter(([scope]) => !scopes.includes(scope))
    .map(([scope, purpose]) => ({
      message: `the right ${scope} is missing (with it, mom ${purpose})`,
      fix: `${scope}: ${installAgain}.`,
    }));
}

/** Throws where mom could not talk at all. */
export function ensureRights(scopes: readonly string[] | undefined): void {
  if (!scopes) return;
  const canHear = hearing.some((scope) => scopes.includes(scope));
  if (canHear && scopes.includes(speaking)) return;
  const missing = canHear ? speaking : hearing.slice(0, 2).join(" or ");
  throw new ChannelError("CHANNEL_RIGHT_MISSING", `Slack: the app lacks the right ${missing}.`, {
    hint: `${missing}: ${installAgain}. The README of the Slack channel has a manifest with every right.`,
  });
}
