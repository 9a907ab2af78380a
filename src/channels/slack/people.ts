/**
 * Who and what there is in the workspace: read in the background after the start, kept up to date by events, and asked for one
 * by one where somebody is not known yet. Nothing waits for the whole of it.
 */
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelInfo, UserInfo } from "../../contracts/message.ts";
import type { Directory } from "../kit/directory.ts";
import type { Answer, SlackClient } from "./client.ts";
import { toRecord } from "./wire.ts";

export interface People {
  /** Reads everything, again every few hours. */
  start(): void;
  stop(): void;
  /** Resolves when the conversations that mom is in have been read once, or could not be. */
  whenRead(): Promise<void>;
  /** Conversations that mom is in, as far as they are known. */
  members(): string[];
  /** Asks Slack where it is not known. Never rejects. */
  ensureUser(id: string): Promise<UserInfo | undefined>;
  /** The same; `kind`: what an event says of it, where Slack does not answer. */
  ensureChannel(id: string, kind?: string): Promise<ChannelInfo>;
  putUser(raw: unknown): void;
  /** Something about it has changed. */
  refreshChannel(id: string): Promise<void>;
  /** Mom is not in it any more. */
  dropChannel(id: string): void;
}

export interface PeopleDeps {
  clock: Clock;
  log: Log;
  client: Pick<SlackClient, "call">;
  directory: Directory;
}

interface Paged {
  response_metadata?: { next_cursor?: string };
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const pageSize = 200;
const mostPages = 50;
const readEveryMs = 6 * 3_600_000;
/** Between two pages: Slack allows about twenty such calls a minute. */
const betweenPagesMs = 3_000;
/** Somebody whom Slack does not know is not asked about again for this long. */
const unknownForMs = 300_000;
const mostUnknown = 1_000;

export function createPeople({ clock, log, client, directory }: PeopleDeps): People {
  const members = new Set<string>();
  /** By the person they are with. */
  const directChats = new Map<string, string>();
  const unknown = new Map<string, number>();
  const stopped = new AbortController();
  const firstRead = Promise.withResolvers<void>();
  let cancelNext = () => {};

  const putUser = (raw: unknown): UserInfo | undefined => {
    const { id, name, profile, real_name } = toRecord(raw);
    if (typeof id !== "string" || typeof name !== "string") return undefined;
    const displayName = [toRecord(profile)["display_name"], real_name].find((text) => isText(text));
    const user: UserInfo = { id, username: name, ...(isText(displayName) && { displayName }) };
    directory.putUser(user);
    const direct = directory.channel(directChats.get(id) ?? "");
    if (direct) directory.putChannel({ ...direct, name });
    return user;
  };
  const putChannel = (raw: unknown): ChannelInfo | undefined => {
    const { id, name, is_im, is_mpim, is_member, is_archived, user } = toRecord(raw);
    if (typeof id !== "string") return undefined;
    // Called like the person it is with, as soon as that name is known.
    if (is_im === true && isText(user)) directChats.set(user, id);
    const partner = isText(user) ? directory.user(user) : undefined;
    const channel: ChannelInfo = {
      id,
      name: partner?.username ?? (isText(name) ? name : id),
      type: is_im === true ? "dm" : is_mpim === true ? "group" : "channel",
    };
    directory.putChannel(channel);
    if ((is_im === true || is_mpim === true || is_member === true) && is_archived !== true) members.add(id);
    else members.delete(id);
    return channel;
  };

  const isUnknown = (id: string) => (unknown.get(id) ?? 0) > clock.monotonic();
  const noteUnknown = (id: string) => {
    const [oldest] = unknown.keys();
    if (unknown.size >= mostUnknown && oldest !== undefined) unknown.delete(oldest);
    unknown.set(id, clock.monotonic() + unknownForMs);
  };
  async function ensureUser(id: string): Promise<UserInfo | undefined> {
    const known = directory.user(id);
    if (known || isUnknown(id)) return known;
    const answer = await client.call((web) => web.users.info({ user: id }));
    if (answer.type !== "ok") noteUnknown(id);
    return answer.type === "ok" ? putUser(answer.value.user) : undefined;
  }
  async function askChannel(id: string): Promise<ChannelInfo | undefined> {
    const answer = await client.call((web) => web.conversations.info({ channel: id }));
    if (answer.type !== "ok") noteUnknown(id);
    if (answer.type !== "ok") return undefined;
    const { user } = toRecord(answer.value.channel);
    if (isText(user)) await ensureUser(user);
    return putChannel(answer.value.channel);
  }

  /** `take` is given the items of each page. */
  async function readPages<Page extends Paged>(
    what: string,
    fetchPage: (page: { limit: number; cursor: string }) => Promise<Answer<Page>>,
    take: (page: Page) => void,
  ): Promise<void> {
    let cursor = "";
    for (let page = 0; page < mostPages && !stopped.signal.aborted; page++) {
      const answer = await fetchPage({ limit: pageSize, cursor });
      if (answer.type === "ok") take(answer.value);
      else if (answer.type !== "limited") return log.debug("A list of Slack's could not be read", { what, answer });
      if (answer.type === "ok") cursor = answer.value.response_metadata?.next_cursor ?? "";
      if (answer.type === "ok" && cursor === "") return;
      const waitMs = answer.type === "limited" ? answer.retryAfterMs : betweenPagesMs;
      await clock.sleep(waitMs, stopped.signal).catch(() => undefined);
    }
  }
  async function readAll(): Promise<void> {
    await readPages(
      "own conversations",
      (page) =>
        client.call((web) => web.users.conversations({ types: "public_channel,private_channel,mpim,im", ...page })),
      // Slack leaves out what the call already says.
      ({ channels = [] }) => void channels.map((channel) => putChannel({ is_member: true, ...channel })),
    );
    firstRead.resolve();
    await readPages(
      "people",
      (page) => client.call((web) => web.users.list(page)),
      (answer) => void (answer.members ?? []).map(putUser),
    );
    await readPages(
      "public channels",
      (page) =>
        client.call((web) => web.conversations.list({ types: "public_channel", exclude_archived: true, ...page })),
      (answer) => void (answer.channels ?? []).map(putChannel),
    );
  }
  const start = () => {
    if (stopped.signal.aborted) return;
    cancelNext = clock.after(readEveryMs, start);
    readAll().catch((error: unknown) => log.warn("Slack's people and channels could not be read", { error }));
  };

  return {
    start,
    stop() {
      stopped.abort();
      cancelNext();
      firstRead.resolve();
    },
    whenRead: () => firstRead.promise,
    members: () => [...members],
    ensureUser,
    async ensureChannel(id, kind) {
      const known = directory.channel(id) ?? (isUnknown(id) ? undefined : await askChannel(id));
      if (known) return known;
      const type =
        kind === "im" || (kind === undefined && id.startsWith("D")) ? "dm" : kind === "mpim" ? "group" : "channel";
      const guess: ChannelInfo = { id, name: id, type };
      directory.putChannel(guess);
      return guess;
    },
    putUser: (raw) => void putUser(raw),
    async refreshChannel(id) {
      unknown.delete(id);
      await askChannel(id);
    },
    dropChannel(id) {
      members.delete(id);
      directory.removeChannel(id);
    },
  };
}
