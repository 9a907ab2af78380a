/**
 * The people and chats that an adapter has seen, by id and by name: for mentions, `getUsers` and `getChannels`. A bounded
 * cache, those put in last stay. Names are for showing and mentioning only; rights hang on ids.
 */
import type { ChannelInfo, UserInfo } from "../../contracts/message.ts";

export interface Directory {
  putUser(user: UserInfo): void;
  putChannel(channel: ChannelInfo): void;
  removeChannel(channelId: string): void;
  user(userId: string): UserInfo | undefined;
  channel(channelId: string): ChannelInfo | undefined;
  users(): UserInfo[];
  channels(): ChannelInfo[];
  /** By username, else by display name; case does not matter. Undefined when nobody, or more than one, is called so. */
  userByName(name: string): UserInfo | undefined;
  /** Direct chats are not found by name. Undefined when none, or more than one, is called so. */
  channelByName(name: string): ChannelInfo | undefined;
}

export function createDirectory({ maxUsers = 10_000, maxChannels = 10_000 } = {}): Directory {
  const users = createShelf<UserInfo>(maxUsers, [({ username }) => username, ({ displayName }) => displayName]);
  const channels = createShelf<ChannelInfo>(maxChannels, [({ type, name }) => (type === "dm" ? undefined : name)]);
  return {
    putUser: users.put,
    putChannel: channels.put,
    removeChannel: channels.remove,
    user: users.get,
    channel: channels.get,
    users: users.list,
    channels: channels.list,
    userByName: users.find,
    channelByName: channels.find,
  };
}

interface Shelf<Item> {
  put(item: Item): void;
  remove(id: string): void;
  get(id: string): Item | undefined;
  list(): Item[];
  find(name: string): Item | undefined;
}

type NameOf<Item> = (item: Item) => string | undefined;

/** `namesOf`: the kinds of names, those that decide first. */
function createShelf<Item extends { id: string }>(max: number, namesOf: readonly NameOf<Item>[]): Shelf<Item> {
  const items = new Map<string, Item>();
  const indexes = namesOf.map((nameOf) => ({ nameOf, ids: new Map<string, Set<string>>() }));

  function remove(id: string): void {
    const item = items.get(id);
    if (!item) return;
    items.delete(id);
    for (const { nameOf, ids } of indexes) {
      const name = foldName(nameOf(item) ?? "");
      const same = ids.get(name);
      same?.delete(id);
      if (same?.size === 0) ids.delete(name);
    }
  }
  function put(item: Item): void {
    remove(item.id);
    const [oldest] = items.keys();
    if (items.size >= max && oldest !== undefined) remove(oldest);
    items.set(item.id, item);
    for (const { nameOf, ids } of indexes) {
      const name = foldName(nameOf(item) ?? "");
      if (name === "") continue;
      const same = ids.get(name);
      if (same) same.add(item.id);
      else ids.set(name, new Set([item.id]));
    }
  }
  return {
    put,
    remove,
    get: (id) => items.get(id),
    list: () => [...items.values()],
    find(name) {
      for (const { ids } of indexes) {
        const [id, another] = ids.get(foldName(name)) ?? [];
        if (another !== undefined) return undefined;
        if (id !== undefined) return items.get(id);
      }
      return undefined;
    },
  };
}

const foldName = (name: string): string => name.normalize("NFKC").toLowerCase();
