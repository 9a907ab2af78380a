/**
 * Whom a `to` means: `adapter:channelId`, `#channel` or `@person`, among the chats and people that the adapters tell of.
 * Names can be changed by whoever bears them, so a name that means several is nobody's.
 */
import { pickNearest } from "../../base/nearest.ts";
import type { ChannelInfo, ChannelRef, UserInfo } from "../../contracts/message.ts";
import type { ChatAdapter, ChatDirectory } from "../kit/chat-directory.ts";

export interface Target {
  channel: ChannelRef;
  adapter: ChatAdapter;
  /** For people: `#general (slack-acme:C1)`. */
  label: string;
  /** Ids and names of the chat, and in a direct one of the person: what standing orders may name. */
  recipients: string[];
}

export type TargetResult =
  | { type: "target"; target: Target }
  /** `ids` as they can be given as `to`. */
  | { type: "ambiguous"; ids: string[]; recipients: string[] }
  /** The person is known, and there has been no direct chat yet. */
  | { type: "no-chat"; label: string; recipients: string[] }
  | { type: "unknown"; nearest?: string };

interface FoundUser {
  adapter: ChatAdapter;
  user: UserInfo;
}

export function findTarget(to: string, directory: ChatDirectory): TargetResult {
  const { adapters, name, sign } = parseTo(to, directory.adapters());
  const channels = sign === "@" ? [] : findChannels(adapters, name);
  if (channels.length > 0) return pickOne(channels);
  const users = sign === "#" ? [] : findUsers(adapters, name);
  if (users.length === 0) return { type: "unknown", ...pickLikely(to, directory) };
  return pickDirectChat(users);
}

/** A chat as it is, known to the directory by more than its id or not. */
export function buildTarget(adapter: ChatAdapter, channelId: string): Target {
  const info = adapter.channels.find(({ id }) => id === channelId);
  const people = info?.type === "dm" ? adapter.users.filter((user) => isChatWith(info, user)) : [];
  const id = `${adapter.name}:${channelId}`;
  return {
    channel: { adapter: adapter.name, channelId },
    adapter,
    label: info === undefined || info.name === channelId ? id : `${formatChannel(info, people)} (${id})`,
    recipients: [
      ...new Set([...namesOf(adapter, channelId, info), ...people.flatMap((user) => userNames(adapter, user))]),
    ],
  };
}

/** The adapter's name in front, if there is one: the longest, for one may begin like another. */
function parseTo(to: string, all: ChatAdapter[]): { adapters: ChatAdapter[]; name: string; sign: string } {
  const trimmed = to.trim();
  const [named] = all
    .filter(({ name }) => trimmed.startsWith(`${name}:`))
    .sort((a, b) => b.name.length - a.name.length);
  const name = named === undefined ? trimmed : trimmed.slice(named.name.length + 1);
  return { adapters: named === undefined ? all : [named], name, sign: /^[#@]/.exec(name)?.[0] ?? "" };
}

/** An id is exact and comes before every name. */
function findChannels(adapters: ChatAdapter[], name: string): Target[] {
  const pick = (isMeant: (info: ChannelInfo) => boolean) =>
    adapters.flatMap((adapter) => adapter.channels.filter(isMeant).map(({ id }) => buildTarget(adapter, id)));
  const byId = pick(({ id }) => id === name);
  // A direct chat is named after a person: only `@` and ids lead there.
  return byId.length > 0 ? byId : pick((info) => info.type !== "dm" && toSpelling(info.name) === toSpelling(name));
}

/** Ids before user names, user names before what people are shown as. */
function findUsers(adapters: ChatAdapter[], name: string): FoundUser[] {
  const wanted = toSpelling(name);
  const ways: ((user: UserInfo) => boolean)[] = [
    ({ id }) => id === name || `@${id}` === name,
    ({ username }) => toSpelling(username) === wanted,
    ({ displayName }) => displayName !== undefined && toSpelling(displayName) === wanted,
  ];
  for (const isMeant of ways) {
    const found = adapters.flatMap((adapter) => adapter.users.filter(isMeant).map((user) => ({ adapter, user })));
    if (found.length > 0) return found;
  }
  return [];
}

function pickOne(targets: Target[]): TargetResult {
  const [target, ...others] = targets;
  if (target !== undefined && others.length === 0) return { type: "target", target };
  return {
    type: "ambiguous",
    ids: targets.map(({ label }) => label),
    recipients: targets.flatMap(({ recipients }) => recipients),
  };
}

function pickDirectChat(found: FoundUser[]): TargetResult {
  const recipients = found.flatMap(({ adapter, user }) => userNames(adapter, user));
  const labels = found.map(({ adapter, user }) => `@${withoutSign(user.username)} (${adapter.name}:${user.id})`);
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return { type: "ambiguous", ids: labels, recipients };
  const { adapter, user } = only;
  const chats = adapter.channels
    .filter((info) => info.type === "dm" && isChatWith(info, user))
    .map(({ id }) => buildTarget(adapter, id));
  if (chats.length === 0) return { type: "no-chat", label: labels[0] ?? "", recipients };
  return pickOne(chats);
}

/** Platforms name a direct chat after the person, by id or by name. */
const isChatWith = ({ id, name }: ChannelInfo, user: UserInfo) =>
  [id, name].includes(user.id) || toSpelling(name) === toSpelling(user.username);

const namesOf = ({ name }: ChatAdapter, channelId: string, info: ChannelInfo | undefined) => [
  channelId,
  `${name}:${channelId}`,
  ...(info === undefined ? [] : [info.name]),
];

const userNames = ({ name }: ChatAdapter, { id, username, displayName }: UserInfo) => [
  id,
  `${name}:${id}`,
  username,
  ...(displayName === undefined ? [] : [displayName]),
];

function formatChannel(info: ChannelInfo, people: UserInfo[]): string {
  if (info.type !== "dm") return `#${withoutSign(info.name)}`;
  return `@${withoutSign(people[0]?.username ?? info.name)}`;
}

function pickLikely(to: string, directory: ChatDirectory): { nearest?: string } {
  const known = directory
    .adapters()
    .flatMap(({ channels, users }) => [
      ...channels.filter(({ type }) => type !== "dm").map(({ name }) => `#${withoutSign(name)}`),
      ...users.map(({ username }) => `@${withoutSign(username)}`),
    ]);
  const nearest = pickNearest(to, known);
  return nearest === undefined ? {} : { nearest };
}

const withoutSign = (name: string) => name.trim().replace(/^[@#]/, "");
/** As standing orders are compared: without case and the sign in front. */
const toSpelling = (name: string) => withoutSign(name).toLowerCase();
