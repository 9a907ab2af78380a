/** Discord's texts: mom's Markdown in its dialect, its mentions in people's messages as names, ids and times. */
import { createHash } from "node:crypto";
import type { OutgoingButton } from "../../contracts/channel.ts";
import { createDiscordDialect } from "../kit/dialects/discord.ts";
import type { Directory } from "../kit/directory.ts";
import { replaceOutsideCode } from "../kit/from-platform.ts";
import { renderPosts } from "../kit/render-posts.ts";
import { discordCapabilities } from "./capabilities.ts";

/** Markdown → posts. `@name` and `#name` become mentions where exactly one is known by that name. */
export function createRenderer(directory: Pick<Directory, "userByName" | "channelByName">) {
  const dialect = createDiscordDialect({
    user: (name) => wrap("@", directory.userByName(name)?.id),
    channel: (name) => wrap("#", directory.channelByName(name)?.id),
  });
  const limit = { maxLength: discordCapabilities.maxMessageLength, unit: discordCapabilities.lengthUnit };
  return (markdown: string): string[] => renderPosts(markdown, dialect, limit);
}

const wrap = (sign: string, id: string | undefined) => (id === undefined ? undefined : `<${sign}${id}>`);

/** The people whom a rendered post calls: only the renderer writes such mentions, what others wrote it has made inert. */
export function findCalled(rendered: string): string[] {
  const ids = new Set<string>();
  replaceOutsideCode(rendered, /(?<!\\)<@(\d{1,20})>/g, (match, id = "") => {
    ids.add(id);
    return match;
  });
  return [...ids].slice(0, mostCalled);
}

const mostCalled = 100;

/** Mom, as people may call her: herself, or the role that Discord gave her. */
export interface Callee {
  id: string;
  username: string;
  isOwnRole(roleId: string): boolean;
}

/** What somebody wrote → what the agent reads: names instead of ids, and mom's own name gone from the start. */
export function toReadable(content: string, mom: Callee, directory: Pick<Directory, "user" | "channel">): string {
  const isMom = (sign: string, id: string) => (sign === "@&" ? mom.isOwnRole(id) : id === mom.id);
  const start = /^\s*<(@[!&]?)(\d{1,20})>[\s,:]*/.exec(content);
  const said = start && isMom(start[1] ?? "", start[2] ?? "") ? content.slice(start[0].length) : content;
  return replaceOutsideCode(said, /<(@[!&]?|#|a?:\w{1,64}:)(\d{1,20})>/g, (match, sign = "", id = "") => {
    if (sign.endsWith(":")) return sign.replace(/^a/, "");
    if (sign === "#") return toName("#", directory.channel(id)?.name) ?? match;
    if (isMom(sign, id)) return `@${mom.username}`;
    if (sign === "@&") return match;
    return toName("@", directory.user(id)?.username) ?? match;
  });
}

const toName = (sign: string, name: string | undefined) => (name === undefined ? undefined : sign + name);

/** Anything else in an address would be another address. */
export const isId = (text: string): boolean => /^\d{1,20}$/.test(text);

/** The same for the same delivery, in every life; Discord takes 25 characters. */
export const toNonce = (deliveryId: string): string =>
  createHash("sha256").update(deliveryId).digest("base64url").slice(0, 24);

const discordEpochMs = 1_420_070_400_000;

/** The smallest id of that moment. */
export const toId = (atMs: number): string => String(BigInt(Math.max(0, Math.floor(atMs) - discordEpochMs)) << 22n);

export const timeOfId = (id: string): number => Number(BigInt(id) >> 22n) + discordEpochMs;

/** Ids grow with time; as text only those of one length compare. */
export function isNewer(id: string, than: string): boolean {
  return id.length === than.length ? id > than : id.length > than.length;
}

/** What a button carries, to tell our own from others'. */
const sayPrefix = "say:";
const maxCustomId = 100;
const maxLabel = 80;

/** Undefined when one of them does not fit: the text says how to answer without them. */
export function toButtons(buttons: readonly OutgoingButton[] = []) {
  const looks = { good: 3, bad: 4 } as const;
  const made = buttons.map(({ label, says, look }) => ({
    type: 2 as const,
    style: look === undefined ? (2 as const) : looks[look],
    label: label.slice(0, maxLabel),
    custom_id: sayPrefix + says,
  }));
  const fits = made.length > 0 && made.length <= 25 && made.every(({ custom_id }) => custom_id.length <= maxCustomId);
  if (!fits) return undefined;
  const rows = Array.from({ length: Math.ceil(made.length / 5) }, (_, n) => made.slice(n * 5, n * 5 + 5));
  return rows.map((components) => ({ type: 1 as const, components }));
}

/** What pressing says; undefined for a button that is none of ours. */
export const fromButton = (customId: string): string | undefined =>
  customId.startsWith(sayPrefix) ? customId.slice(sayPrefix.length) : undefined;
