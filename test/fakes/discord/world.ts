/**
 * What the fake Discord knows: people, one server with its channels, direct chats, and everything that was said. It knows
 * nothing of HTTP or sockets; `rest.ts` and `gateway.ts` speak for it.
 */
import type { APIActionRowComponent, APIComponentInMessageActionRow } from "discord-api-types/v10";

export interface Person {
  id: string;
  username: string;
  displayName: string;
  isBot: boolean;
}

export interface Place {
  id: string;
  /** Discord's channel types: 0 text, 1 direct, 11 public thread. */
  type: 0 | 1 | 11;
  name: string;
  /** Set on a direct chat. */
  personId?: string;
  parentId?: string;
  lastMessageId: string | null;
  /** The bot has heard of it. */
  isKnown?: boolean;
}

export interface StoredFile {
  id: string;
  filename: string;
  data: Buffer;
  mimeType: string;
}

export interface StoredMessage {
  id: string;
  placeId: string;
  author: Person;
  content: string;
  /** Milliseconds since the epoch. */
  at: number;
  editedAt: number | null;
  edits: number;
  isDeleted: boolean;
  replyTo?: string;
  nonce?: string | number;
  files: StoredFile[];
  components: APIActionRowComponent<APIComponentInMessageActionRow>[];
  poll?: { question: string; answers: string[]; isMultiple: boolean };
  /** Who was notified by it: user ids, role ids, `everyone`. */
  pings: string[];
  /** Emoji → ids of those who reacted. */
  reactions: Map<string, Set<string>>;
  isPinned: boolean;
}

export type NewMessage = Pick<StoredMessage, "placeId" | "author" | "content"> &
  Partial<Pick<StoredMessage, "id" | "replyTo" | "nonce" | "files" | "components" | "poll" | "pings">>;

export interface World {
  guildId: string;
  applicationId: string;
  bot: Person;
  /** The role that Discord makes for a bot when it joins. */
  botRoleId: string;
  people: Map<string, Person>;
  places: Map<string, Place>;
  messages: StoredMessage[];
  now(): number;
  /** Longer ids are younger, as Discord's are. */
  newId(): string;
  addPerson(username: string, displayName: string, isBot?: boolean): Person;
  addPlace(place: Omit<Place, "id" | "lastMessageId"> & { id?: string }): Place;
  addMessage(message: NewMessage): StoredMessage;
  /** Undefined when it is gone or never was. */
  message(placeId: string, id: string): StoredMessage | undefined;
  /** Channels and threads of the server. */
  guildPlaces(): Place[];
}

const discordEpoch = 1_420_070_400_000n;

export function createWorld(now: () => number): World {
  let lastId = 0n;
  const newId = () => {
    const id = (BigInt(now()) - discordEpoch) << 22n;
    lastId = id > lastId ? id : lastId + 1n;
    return String(lastId);
  };
  const people = new Map<string, Person>();
  const places = new Map<string, Place>();
  const messages: StoredMessage[] = [];
  const addPerson: World["addPerson"] = (username, displayName, isBot = false) => {
    const person = { id: newId(), username, displayName, isBot };
    people.set(person.id, person);
    return person;
  };
  return {
    guildId: newId(),
    applicationId: newId(),
    botRoleId: newId(),
    bot: addPerson("mom", "Mom", true),
    people,
    places,
    messages,
    now,
    newId,
    addPerson,
    addPlace(place) {
      const made: Place = { id: newId(), lastMessageId: null, ...place };
      places.set(made.id, made);
      return made;
    },
    addMessage(message) {
      const made: StoredMessage = {
        id: newId(),
        at: now(),
        editedAt: null,
        edits: 0,
        isDeleted: false,
        isPinned: false,
        files: [],
        components: [],
        pings: [],
        reactions: new Map(),
        ...message,
      };
      messages.push(made);
      const place = places.get(made.placeId);
      if (place) place.lastMessageId = made.id;
      return made;
    },
    message: (placeId, id) => messages.find((each) => each.placeId === placeId && each.id === id && !each.isDeleted),
    guildPlaces: () => [...places.values()].filter(({ type }) => type !== 1),
  };
}

/** Younger or the same counts as not older. Ids that are no snowflakes come from tests; they are older than all. */
export function isNewerId(id: string, than: string): boolean {
  return id.length === than.length ? id > than : id.length > than.length;
}
