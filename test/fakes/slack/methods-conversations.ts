/** The fake's `conversations.*` and `users.*`: who and what there is, and what was said. */
import { findChannel, type Method, type MethodContext, pageOf, refuse, repliesTo, scopeByKind } from "./method.ts";
import { toWireChannel, toWireMessage, toWireUser } from "./to-wire.ts";
import type { Json, SlackMessage } from "./workspace.ts";

const readScopes = ["channels:read", "groups:read", "im:read", "mpim:read"];
const kindOfType: Record<string, string> = {
  public_channel: "channel",
  private_channel: "group",
  im: "im",
  mpim: "mpim",
};
const isTrue = (value: unknown): boolean => value === true || value === "true" || value === 1 || value === "1";

function list(args: Json, { workspace }: MethodContext, onlyMember: boolean): Json {
  const kinds = String(args["types"] ?? "public_channel")
    .split(",")
    .map((type) => kindOfType[type.trim()]);
  const channels = [...workspace.channels.values()].filter(
    ({ kind, isMember }) => kinds.includes(kind) && (isMember || !onlyMember),
  );
  const { page, next_cursor } = pageOf(channels, args);
  return { ok: true, channels: page.map(toWireChannel), response_metadata: { next_cursor } };
}

/** Between `oldest` and `latest`, as the call asks. */
function isWithin({ ts }: SlackMessage, args: Json): boolean {
  const at = Number(ts);
  const oldest = Number(args["oldest"] ?? 0);
  const latest = Number(args["latest"] ?? Infinity) || Infinity;
  return isTrue(args["inclusive"]) ? at >= oldest && at <= latest : !(at <= oldest) && !(at >= latest);
}

function history(args: Json, context: MethodContext): Json {
  const found = findChannel(context, args["channel"]);
  if (found.type === "refused") return found.answer;
  const { channel } = found;
  const isTopLevel = ({ ts, threadTs, subtype }: SlackMessage) =>
    threadTs === undefined || threadTs === ts || subtype === "thread_broadcast";
  const messages = channel.messages
    .filter((message) => !message.isDeleted && isTopLevel(message) && isWithin(message, args))
    .reverse();
  const { page, next_cursor } = pageOf(messages, args);
  return {
    ok: true,
    messages: page.map((message) =>
      toWireMessage(message, { ...wireOptions(args, context), replies: repliesTo(channel, message.ts) }),
    ),
    has_more: next_cursor !== "",
    response_metadata: { next_cursor },
  };
}

function replies(args: Json, context: MethodContext): Json {
  const found = findChannel(context, args["channel"]);
  if (found.type === "refused") return found.answer;
  const parent = context.workspace.find(found.channel.id, args["ts"]);
  if (!parent) return refuse("thread_not_found");
  const below = repliesTo(found.channel, parent.ts);
  const { page, next_cursor } = pageOf(
    below.filter((message) => isWithin(message, args)),
    args,
  );
  const options = wireOptions(args, context);
  return {
    ok: true,
    messages: [
      toWireMessage(parent, { ...options, replies: below }),
      ...page.map((message) => toWireMessage(message, options)),
    ],
    has_more: next_cursor !== "",
    response_metadata: { next_cursor },
  };
}

const wireOptions = (args: Json, { origin }: MethodContext) => ({
  filesUrl: `${origin}/files-pri`,
  withMetadata: isTrue(args["include_all_metadata"]),
});

export const conversationMethods: Record<string, Method> = {
  "conversations.list": { scopes: readScopes, run: (args, context) => list(args, context, false) },
  "users.conversations": { scopes: readScopes, run: (args, context) => list(args, context, true) },
  "conversations.info": {
    scopes: scopeByKind("read"),
    run(args, { workspace }) {
      const channel = workspace.channels.get(String(args["channel"]));
      return channel ? { ok: true, channel: toWireChannel(channel) } : refuse("channel_not_found");
    },
  },
  "conversations.history": { scopes: scopeByKind("history"), run: history },
  "conversations.replies": { scopes: scopeByKind("history"), run: replies },
  "users.list": {
    scopes: ["users:read"],
    run(args, { workspace }) {
      const { page, next_cursor } = pageOf([...workspace.users.values()], args);
      return { ok: true, members: page.map(toWireUser), response_metadata: { next_cursor } };
    },
  },
  "users.info": {
    scopes: ["users:read"],
    run(args, { workspace }) {
      const user = workspace.users.get(String(args["user"]));
      return user ? { ok: true, user: toWireUser(user) } : refuse("user_not_found");
    },
  },
};
