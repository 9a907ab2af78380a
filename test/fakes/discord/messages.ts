/** The fake's calls about messages: posting with nonces, changing, reading back, reactions, pins, threads. */
import type { RESTPostAPIChannelMessageJSONBody } from "discord-api-types/v10";
import { type Answer, type Call, invalidForm, Refusal, unknownChannel, unknownMessage } from "./answer.ts";
import { toChannel, toMessage } from "./objects.ts";
import type { Routes } from "./rest.ts";
import { isNewerId, type NewMessage, type Place, type StoredMessage, type World } from "./world.ts";

export interface MessageDeps {
  world: World;
  origin(): string;
  /** Tells the gateway. */
  tell(t: "MESSAGE_CREATE" | "MESSAGE_UPDATE" | "MESSAGE_DELETE", message: StoredMessage): void;
  tellPlace(t: "THREAD_CREATE", place: Place): void;
  /** Somebody was given this message over REST. */
  onRead(message: StoredMessage): void;
  nonceWindowMs: number;
}

const maxLength = 2_000;
const maxNonce = 25;

export function buildMessageRoutes(deps: MessageDeps): Routes {
  const { world, tell, tellPlace, onRead } = deps;
  const show = (message: StoredMessage): Answer => ({
    status: 200,
    body: toMessage(world, message, deps.origin(), false),
  });
  const find = ({ ids: [placeId = "", id = ""] }: Call): StoredMessage =>
    world.message(findPlace(world, placeId).id, id) ?? refuse(unknownMessage());
  const findOwn = (call: Call): StoredMessage => {
    const message = find(call);
    if (message.author !== world.bot) throw new Refusal(403, 50_005, "Cannot edit a message authored by another user");
    return message;
  };
  return {
    createMessage(call) {
      const place = findPlace(world, call.ids[0] ?? "");
      const known = findByNonce(deps, call.body as RESTPostAPIChannelMessageJSONBody);
      if (known) return show(known);
      const message = world.addMessage(readPost(world, place, call));
      tell("MESSAGE_CREATE", message);
      return show(message);
    },
    editMessage(call) {
      const message = findOwn(call);
      const { content, components } = call.body as RESTPostAPIChannelMessageJSONBody;
      if (typeof content === "string") message.content = checkContent(content);
      if (components) message.components = components as StoredMessage["components"];
      message.editedAt = world.now();
      message.edits++;
      tell("MESSAGE_UPDATE", message);
      return show(message);
    },
    deleteMessage(call) {
      const message = find(call);
      message.isDeleted = true;
      tell("MESSAGE_DELETE", message);
      return { status: 204 };
    },
    getMessage: (call) => show(find(call)),
    getMessages({ ids: [placeId = ""], query }) {
      const place = findPlace(world, placeId);
      const after = query.get("after");
      const limit = Number(query.get("limit") ?? 50);
      const all = world.messages.filter((each) => each.placeId === place.id && !each.isDeleted);
      // The page that follows `after`, or the newest one; either way the newest comes first.
      const page = after === null ? all.slice(-limit) : all.filter(({ id }) => isNewerId(id, after)).slice(0, limit);
      page.forEach(onRead);
      return { status: 200, body: page.map((each) => toMessage(world, each, deps.origin(), false)).reverse() };
    },
    addReaction(call) {
      const emoji = readEmoji(call);
      const { reactions } = find(call);
      reactions.set(emoji, (reactions.get(emoji) ?? new Set()).add(world.bot.id));
      return { status: 204 };
    },
    removeReaction(call) {
      find(call).reactions.get(readEmoji(call))?.delete(world.bot.id);
      return { status: 204 };
    },
    pin(call) {
      find(call).isPinned = true;
      return { status: 204 };
    },
    unpin(call) {
      find(call).isPinned = false;
      return { status: 204 };
    },
    createThread(call) {
      const message = find(call);
      const parent = findPlace(world, message.placeId);
      if (parent.type !== 0) throw new Refusal(400, 50_024, "Cannot execute action on this channel type");
      if (world.places.has(message.id)) {
        throw new Refusal(400, 160_004, "A thread has already been created for this message");
      }
      const thread = world.addPlace({ id: message.id, type: 11, name: String(call.body["name"]), parentId: parent.id });
      tellPlace("THREAD_CREATE", thread);
      return { status: 201, body: toChannel(world, thread) };
    },
  };
}

export function findPlace(world: World, id: string): Place {
  return world.places.get(id) ?? refuse(unknownChannel());
}

function refuse(refusal: Refusal): never {
  throw refusal;
}

/** The same author, the same nonce, a few minutes: the message is there already. */
function findByNonce(
  { world, nonceWindowMs }: MessageDeps,
  { nonce, enforce_nonce }: RESTPostAPIChannelMessageJSONBody,
): StoredMessage | undefined {
  if (nonce === undefined) return undefined;
  if (String(nonce).length > maxNonce)
    throw invalidForm("nonce", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.");
  if (!enforce_nonce) return undefined;
  return world.messages.find(
    (each) => each.author === world.bot && each.nonce === nonce && world.now() - each.at <= nonceWindowMs,
  );
}

function readPost(world: World, place: Place, { body, files }: Call): NewMessage {
  const post = body as RESTPostAPIChannelMessageJSONBody;
  const content = checkContent(post.content ?? "");
  if (content === "" && files.length === 0 && !post.poll)
    throw new Refusal(400, 50_006, "Cannot send an empty message");
  const answered = post.message_reference?.message_id;
  const isKnown = answered !== undefined && world.message(place.id, answered) !== undefined;
  if (answered !== undefined && !isKnown && post.message_reference?.fail_if_not_exists !== false) {
    throw invalidForm("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message");
  }
  return {
    placeId: place.id,
    author: world.bot,
    content,
    files: files.map((file) => ({ ...file, id: world.newId() })),
    components: (post.components ?? []) as StoredMessage["components"],
    pings: findPings(content, post.allowed_mentions),
    ...(isKnown && answered !== undefined && { replyTo: answered }),
    ...(post.nonce !== undefined && { nonce: post.nonce }),
    ...(post.poll && { poll: readPoll(post.poll) }),
  };
}

function checkContent(content: string): string {
  if (content.length <= maxLength) return content.trim();
  throw invalidForm("content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length.");
}

function readPoll(poll: NonNullable<RESTPostAPIChannelMessageJSONBody["poll"]>): NonNullable<StoredMessage["poll"]> {
  const answers = poll.answers.map(({ poll_media }) => poll_media.text ?? "");
  const question = poll.question.text ?? "";
  if (question.length > 300 || answers.length > 10 || answers.some((text) => text.length > 55)) {
    throw invalidForm("poll", "BASE_TYPE_MAX_LENGTH", "Too long.");
  }
  return { question, answers, isMultiple: poll.allow_multiselect === true };
}

/** Who is notified: what stands in the text outside code, as far as it is allowed. Allowed is everything by default. */
function findPings(content: string, allowed: RESTPostAPIChannelMessageJSONBody["allowed_mentions"]): string[] {
  const text = content.replace(/```[\s\S]*?```|`[^`\n]*`/g, "").replace(/\\./g, "");
  const may = (kind: "users" | "roles" | "everyone") => !allowed || (allowed.parse ?? []).includes(kind as never);
  const users = [...text.matchAll(/<@!?(\d+)>/g)].map(([, id]) => id ?? "");
  const roles = [...text.matchAll(/<@&(\d+)>/g)].map(([, id]) => id ?? "");
  return [
    ...users.filter((id) => may("users") || allowed?.users?.includes(id)),
    ...roles.filter((id) => may("roles") || allowed?.roles?.includes(id)),
    ...(/@(?:everyone|here)/.test(text) && may("everyone") ? ["everyone"] : []),
  ];
}

function readEmoji({ ids: [, , name = ""] }: Call): string {
  if (!/\p{Extended_Pictographic}|\p{Regional_Indicator}|^\w+:\d+$/u.test(name)) {
    throw new Refusal(400, 10_014, "Unknown Emoji");
  }
  return name;
}
