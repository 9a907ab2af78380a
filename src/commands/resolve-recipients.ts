/**
 * Whom the names in a standing order mean, among the chats and people that the platform has told of. Tools name whom they
 * send to by id, so an order that has only a name would forbid nothing. Used by `/rule add`.
 */
import { pickNearest } from "../base/nearest.ts";
import type { ChannelContext } from "../contracts/message.ts";

export interface ResolvedRecipients {
  /** Each name as typed, then the ids that it means. */
  recipients: string[];
  /** Names that mean nobody, with what was probably meant: `#general`, `@ann`. */
  unknown: { name: string; nearest?: string }[];
}

interface Recipient {
  id: string;
  /** As people write it. */
  label: string;
  /** What it may be called by, in one spelling. */
  names: string[];
  isDirect: boolean;
}

export function resolveRecipients(typed: readonly string[], context: ChannelContext): ResolvedRecipients {
  const known = listKnown(context);
  const resolved: ResolvedRecipients = { recipients: [], unknown: [] };
  for (const name of typed) {
    const meant = known.filter(({ names }) => names.includes(toSpelling(name)));
    resolved.recipients.push(name, ...withDirectChats(meant, known).map(({ id }) => id));
    if (meant.length === 0) resolved.unknown.push({ name, ...pickLikely(name, known) });
  }
  return { ...resolved, recipients: [...new Set(resolved.recipients)] };
}

function listKnown({ channels, users }: ChannelContext): Recipient[] {
  return [
    ...channels.map(({ id, name, type }) => ({
      id,
      label: `#${withoutMark(name)}`,
      names: [id, name].map(toSpelling),
      isDirect: type === "dm",
    })),
    ...users.map(({ id, username, displayName }) => ({
      id,
      label: `@${withoutMark(username)}`,
      names: [id, username, ...(displayName === undefined ? [] : [displayName])].map(toSpelling),
      isDirect: false,
    })),
  ];
}

/** The direct chat with a person is named after the person, by one of their names or their id. */
function withDirectChats(meant: readonly Recipient[], known: readonly Recipient[]): Recipient[] {
  const names = meant.flatMap((each) => each.names);
  const chats = known.filter((each) => each.isDirect && each.names.some((name) => names.includes(name)));
  return [...meant, ...chats];
}

function pickLikely(name: string, known: readonly Recipient[]): { nearest?: string } {
  const nearest = pickNearest(
    toSpelling(name),
    known.flatMap(({ names }) => names),
  );
  const likely = nearest === undefined ? undefined : known.find(({ names }) => names.includes(nearest));
  return likely ? { nearest: likely.label } : {};
}

const withoutMark = (name: string) => name.trim().replace(/^[@#]/, "");
/** As the tool gate compares: without case and the sign in front. */
const toSpelling = (name: string) => withoutMark(name).toLowerCase();
