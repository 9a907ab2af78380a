/**
 * A Discord on loopback: REST version 10 and the gateway, spoken to by unmodified Discord libraries, with faults on demand.
 * It stays in the test's process, so it remembers what a killed bot has done. `README.md` tells how to use it.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type APIInteraction, GatewayIntentBits } from "discord-api-types/v10";
import type { FakePlatform, Fault } from "../platform.ts";
import { createGateway } from "./gateway.ts";
import { createInteractions, type SeenInteraction } from "./interactions.ts";
import { buildMemberRoutes, type MemberChange } from "./members.ts";
import { buildMessageRoutes } from "./messages.ts";
import { toChannel } from "./objects.ts";
import { createOutlet, toMark, toMessageEvent } from "./outlet.ts";
import { type DiscordPost, toPost, toSaid } from "./posts.ts";
import { createRest, type SeenCall } from "./rest.ts";
import { createWorld, type Person, type Place, type StoredMessage } from "./world.ts";

export type { DiscordPost } from "./posts.ts";

export interface DiscordOptions {
  /** The platform's own time. Absent: the system's. */
  now?: () => number;
  /** How often a client must beat. Discord says 41 seconds; here less, so that what was taken is confirmed soon. */
  heartbeatMs?: number;
  /** How long a nonce is remembered. */
  nonceWindowMs?: number;
}

export interface DiscordPlatform extends FakePlatform {
  posts(channelId?: string): DiscordPost[];
  token: string;
  guildId: string;
  botId: string;
  botRoleId: string;
  /** Every REST call that was made, oldest first; the last 10,000. */
  calls: readonly SeenCall[];
  /** What the bot registered with its last bulk overwrite. */
  readonly commands: readonly unknown[];
  interactions: readonly SeenInteraction[];
  memberChanges: readonly MemberChange[];
  /** Switches in the developer portal; set before the bot connects. */
  allowed: { members: boolean; messageContent: boolean };
  readonly identifies: number;
  readonly resumes: number;
  readonly connections: number;
  /** How often members were asked for over the gateway. */
  readonly membersAsked: number;
  /** A further text channel of the server, or a thread below a channel. */
  addChannel(name: string, parentId?: string): string;
  /** A person who is in the server; another bot, if you like. */
  addPerson(username: string, isBot?: boolean): string;
  edit(messageId: string, text: string): void;
  remove(messageId: string): void;
  /** Somebody uses a slash command, or presses the button with this label. */
  command(used: { channelId: string; userId: string; name: string; args?: string }): SeenInteraction;
  press(pressed: { messageId: string; userId: string; label: string }): SeenInteraction;
  /** The same for a button that the message does not have, as on another bot's post. */
  pressForeign(pressed: { messageId: string; userId: string; customId: string }): SeenInteraction;
  /** From now on the token is worth nothing. */
  revokeToken(): void;
  /** The few minutes in which a nonce counts are over. */
  forgetNonces(): void;
  /** Asks the server something and waits for the answer: what went over other sockets before has arrived by then, mostly. */
  roundTrip(): Promise<void>;
}

type CallFault = Extract<Fault, { type: "status" | "cut" | "slow" }>;

export async function createDiscordPlatform(options: DiscordOptions = {}): Promise<DiscordPlatform> {
  const world = createWorld(options.now ?? Date.now);
  const token = `${Buffer.from(world.bot.id).toString("base64url")}.Gfake0.${"f".repeat(38)}`;
  let isRevoked = false;
  const isTokenValid = (given: string) => given === token && !isRevoked;
  const allowed = { members: true, messageContent: true };
  const calls: SeenCall[] = [];
  const seen: SeenInteraction[] = [];
  const memberChanges: MemberChange[] = [];
  const callFaults: CallFault[] = [];
  let commands: unknown[] = [];
  let waiters: { isDone: () => boolean; resolve: () => void }[] = [];
  const onChange = () => {
    const done = waiters.filter(({ isDone }) => isDone());
    waiters = waiters.filter((waiter) => !done.includes(waiter));
    for (const { resolve } of done) resolve();
  };

  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = () => `http://${host}`;
  const gateway = createGateway({
    world,
    url: `ws://${host}`,
    heartbeatMs: options.heartbeatMs ?? 500,
    isTokenValid,
    allowed,
    onChange,
  });
  const outlet = createOutlet(gateway.dispatch);
  const tell = (t: "MESSAGE_CREATE" | "MESSAGE_UPDATE" | "MESSAGE_DELETE", message: StoredMessage) =>
    outlet.dispatch(toMessageEvent(world, t, message, origin()));
  const tellPlace = (t: string, place: Place) =>
    gateway.dispatch({
      t,
      dataFor: (intents) => (intents & GatewayIntentBits.Guilds ? toChannel(world, place) : undefined),
    });
  const interactions = createInteractions({
    world,
    origin,
    seen,
    tell: (data: APIInteraction) =>
      outlet.dispatch({ t: "INTERACTION_CREATE", dataFor: () => data, mark: `interaction ${data.id}` }),
    tellUpdate: (message) => tell("MESSAGE_UPDATE", message),
  });
  const messageDeps = {
    world,
    origin,
    tell,
    tellPlace,
    onRead: ({ id }: StoredMessage) => gateway.confirm(toMark("MESSAGE_CREATE", id)),
    nonceWindowMs: options.nonceWindowMs ?? 300_000,
  };
  const rest = createRest({
    world,
    routes: {
      ...buildMessageRoutes(messageDeps),
      ...buildMemberRoutes({
        world,
        allowed,
        changes: memberChanges,
        gatewayUrl: () => `ws://${host}`,
        setCommands: (given) => {
          commands = given;
        },
      }),
      ...interactions.routes,
    },
    isTokenValid,
    takeFault(name) {
      const at = callFaults.findIndex(({ method = "createMessage" }) => method === name);
      return at < 0 ? undefined : callFaults.splice(at, 1)[0];
    },
    calls,
    onChange,
  });
  server.on("request", rest);
  server.on("upgrade", gateway.upgrade);

  const owner = world.addPerson("ann", "Ann");
  const other = world.addPerson("bob", "Bob");
  const addDirect = (person: Person) => world.addPlace({ type: 1, name: person.username, personId: person.id }).id;
  const findPerson = (id: string) => world.people.get(id) ?? fail(`There is no person ${id}.`);
  const findMessage = (id: string) =>
    world.messages.findLast((each) => each.id === id) ?? fail(`There is no message ${id}.`);

  return {
    config: { type: "discord", botToken: token, apiUrl: `${origin()}/api` },
    token,
    guildId: world.guildId,
    botId: world.bot.id,
    botRoleId: world.botRoleId,
    people: { owner: owner.id, other: other.id },
    chats: {
      owner: addDirect(owner),
      other: addDirect(other),
      group: world.addPlace({ type: 0, name: "general" }).id,
    },
    calls,
    interactions: seen,
    memberChanges,
    allowed,
    get commands() {
      return commands;
    },
    get identifies() {
      return gateway.identifies;
    },
    get resumes() {
      return gateway.resumes;
    },
    get membersAsked() {
      return gateway.membersAsked;
    },
    get connections() {
      return gateway.connections;
    },
    get unacknowledged() {
      return gateway.unconfirmed + outlet.held;
    },
    addDirectChat(name) {
      const person = world.addPerson(name, name);
      return { channelId: addDirect(person), userId: person.id };
    },
    addPerson: (username, isBot) => world.addPerson(username, username, isBot).id,
    addChannel(name, parentId) {
      const place =
        parentId === undefined ? world.addPlace({ type: 0, name }) : world.addPlace({ type: 11, name, parentId });
      tellPlace(parentId === undefined ? "CHANNEL_CREATE" : "THREAD_CREATE", place);
      return place.id;
    },
    posts: (channelId) =>
      world.messages
        .filter(({ author, placeId }) => author === world.bot && (channelId === undefined || placeId === channelId))
        .map(toPost),
    say(said) {
      const message = world.addMessage(toSaid(world, said, findPerson(said.userId)));
      tell("MESSAGE_CREATE", message);
      return message.id;
    },
    edit(messageId, text) {
      const message = findMessage(messageId);
      message.content = text;
      message.editedAt = world.now();
      message.edits++;
      tell("MESSAGE_UPDATE", message);
    },
    remove(messageId) {
      const message = findMessage(messageId);
      message.isDeleted = true;
      tell("MESSAGE_DELETE", message);
    },
    command: ({ channelId, userId, name, args }) => interactions.command(findPerson(userId), channelId, name, args),
    press({ messageId, userId, label }) {
      const message = findMessage(messageId);
      const button =
        toPost(message).buttons.find((each) => each.label === label) ?? fail(`There is no button ${label}.`);
      return interactions.press(findPerson(userId), message, button.customId);
    },
    pressForeign: ({ messageId, userId, customId }) =>
      interactions.press(findPerson(userId), findMessage(messageId), customId),
    revokeToken() {
      isRevoked = true;
    },
    forgetNonces() {
      for (const message of world.messages) delete message.nonce;
    },
    async roundTrip() {
      await (await fetch(`${origin()}/api/v10/nothing`)).arrayBuffer();
    },
    fail(fault) {
      if (fault.type === "platform") gateway.break(fault.name);
      else if (fault.type === "drop-socket") gateway.break(fault.type);
      else if (fault.type === "duplicate" || fault.type === "reorder" || fault.type === "late") outlet.disturb(fault);
      else callFaults.push(fault);
    },
    until: (isDone) =>
      new Promise((resolve) => {
        if (isDone()) resolve();
        else waiters.push({ isDone, resolve });
      }),
    async close() {
      gateway.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const fail = (text: string): never => {
  throw new Error(text);
};
