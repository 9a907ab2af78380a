/**
 * Who may talk (spec 2.4). Pure: looks at ids, the adapter's rules and whether the sender was paired; never at names, and
 * never at what the text says. Asked by door.ts.
 */
import type { AccessRules, GroupRules } from "../contracts/channel.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { Origin } from "./origin.ts";

export type Admission =
  /** Addressed and allowed. */
  | { type: "admitted" }
  /** Not for mom: history only. */
  | { type: "heard" }
  /** `mayPair`: the sender may be given a code. */
  | { type: "refused"; reason: string; mayPair?: true };

/** Where it was said. */
export type Place = Pick<Origin, "adapter" | "chat" | "parentId" | "window" | "rules">;

interface SenderFacts {
  /** An admin has approved the sender's code. Counts in direct chats only: trust there is no trust in a group. */
  isPaired: boolean;
}

const heard = { type: "heard" } as const;
const admitted = { type: "admitted" } as const;
const openGroups: GroupRules = { allow: "everyone", senders: "everyone", requireMention: true, chats: {} };

export function admit(message: ChannelMessage, place: Place, facts: SenderFacts): Admission {
  const { change, sender } = message;
  if (change) return heard;
  // A bot that is listed is measured like everybody else; the list alone opens nothing.
  if (sender.isBot && !place.rules.bots?.includes(sender.id)) return heard;
  const { window } = place;
  // Behind a window may be the owner's own session, or one of people who do not know the speaker.
  const mayLookIn = [...place.rules.admins, ...(place.rules.windows ?? [])].includes(sender.id);
  if (window && window.type !== "dm" && !mayLookIn) {
    return {
      type: "refused",
      reason: `${sender.id} may not speak in ${window.sessionKey} through a window; admins may`,
    };
  }
  if (place.chat === "dm") return admitDirectly(message, place, facts);
  const inGroup = admitInGroup(message, place);
  const mustCheckBoth = place.chat === "unknown" && inGroup.type === "admitted";
  return mustCheckBoth ? admitDirectly(message, place, facts) : inGroup;
}

function admitDirectly(message: ChannelMessage, place: Place, { isPaired }: SenderFacts): Admission {
  const { rules, chat } = place;
  const { id, isBot } = message.sender;
  if (!message.isMention) return heard;
  if (rules.admins.includes(id) || isListed(rules.dm, id) || isPaired) return admitted;
  const mayPair = rules.pairing === true && chat === "dm" && !isBot;
  const reason = `${id} may not write to mom directly; ${toKey(place, "dm")} says who may`;
  return { type: "refused", reason, ...(mayPair && { mayPair }) };
}

function admitInGroup(message: ChannelMessage, place: Place): Admission {
  const { channelId, sender, isMention } = message;
  const { rules, parentId } = place;
  const { allow, requireMention, senders, chats } = rules.groups ?? openGroups;
  const chatIds = parentId === undefined ? [channelId] : [channelId, parentId];
  const isOpen = chatIds.some((id) => isListed(allow, id));
  const whoIsAnswered = pickOwn(chats, chatIds, "senders");
  const isAnswered = isListed(whoIsAnswered?.value ?? senders, sender.id);
  const isAdmin = rules.admins.includes(sender.id);

  // Where she is not to answer, or not this person, only who speaks to her is told so; the others just talk.
  const mayStart = isOpen && (isAnswered || isAdmin);
  const mustMention = !mayStart || (pickOwn(chats, chatIds, "requireMention")?.value ?? requireMention);
  if (!isMention && mustMention) return heard;
  if (mayStart || isAdmin) return admitted;
  const reason = isOpen
    ? `${sender.id} is not answered in ${channelId}; ${toKey(place, "groups", ...(whoIsAnswered?.path ?? []), "senders")} says who is`
    : `mom does not answer in ${channelId}; ${toKey(place, "groups", "allow")} says where she does`;
  return { type: "refused", reason };
}

const isListed = (list: AccessRules["dm"], id: string): boolean =>
  list === "everyone" || (list !== "none" && list.includes(id));

type ChatRules = GroupRules["chats"][string];

/** What the config says of this chat itself; else of the one that it is part of. */
function pickOwn<Key extends keyof ChatRules>(
  chats: GroupRules["chats"],
  chatIds: readonly string[],
  key: Key,
): { value: NonNullable<ChatRules[Key]>; path: string[] } | undefined {
  for (const id of chatIds) {
    const value = Object.hasOwn(chats, id) ? chats[id]?.[key] : undefined;
    if (value !== undefined) return { value, path: ["chats", id] };
  }
  return undefined;
}

/** As `mom config set` takes it. */
const toKey = ({ adapter }: Place, ...path: string[]): string =>
  ["adapters", adapter, ...path].map((part) => (/^[\w:+/#@$-]+$/.test(part) ? part : JSON.stringify(part))).join(".");
