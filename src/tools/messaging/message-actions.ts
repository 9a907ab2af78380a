/** What `message` does once its target is known and allowed: each action makes letters for the outbox. */
import { ToolError } from "../../base/errors.ts";
import { deliveryIdOf } from "../../base/ids.ts";
import type { ChannelAction } from "../../contracts/channel.ts";
import type { DeliveryId } from "../../contracts/ids.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { Delivery, DeliveryBody, Outbox } from "../../contracts/store.ts";
import type { ToolResult } from "../../contracts/tool.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import { type PostScope, postFile } from "../kit/post-file.ts";
import { buildTextResult } from "../kit/text-result.ts";
import type { Target } from "./find-target.ts";

export type MessageAction = "send" | "reply" | "media" | Ability;

export interface MessageFields {
  action: MessageAction;
  text?: string;
  messageId?: string;
  path?: string;
  caption?: string;
  emoji?: string;
  remove?: boolean;
  options?: string[];
}

export interface MessageDetails {
  action: MessageAction;
  /** `adapter:channelId`. */
  to: string;
  deliveries: DeliveryId[];
}

/** One call. */
export interface MessageCall {
  operations: Operations;
  outbox: Pick<Outbox, "post" | "findPost">;
  scope: PostScope;
  target: Target;
  /** What its posts are named after: the same call, run again after a crash, makes the same posts. */
  origin: string;
  fields: MessageFields;
}

type Result = Promise<ToolResult<MessageDetails>>;

const maxPosts = 10;
const maxThreadName = 80;

export const messageActions: Readonly<Record<MessageAction, (call: MessageCall) => Result>> = {
  async send(call) {
    return say(call, need(call.fields, "text"));
  },
  async reply(call) {
    return say(call, need(call.fields, "text"), await findMessageId(call));
  },
  async media({ operations, outbox, scope, target, origin, fields }) {
    const path = need(fields, "path");
    const id = deliveryIdOf(origin, 0);
    const { filename, bytes } = await postFile(operations, outbox, {
      id,
      turnId: scope.turnId,
      channel: target.channel,
      path,
      caption: fields.caption,
      maxUploadBytes: target.adapter.capabilities.maxUploadBytes,
    });
    const text = `${filename} (${formatBytes(bytes)}) is on its way to ${target.label} as ${id}.`;
    return buildTextResult(text, toDetails(fields.action, target, [id]));
  },
  async edit(call) {
    const { target, fields } = call;
    ensureCan(target, "edit");
    const [text, ...rest] = render(target, need(fields, "text"));
    const post = await mustFindOwn(call);
    if (post.body.type !== "text") {
      throw new ToolError("CHAT_CANNOT", "Only a text can be changed, not a file", {
        hint: "Delete it and send another.",
      });
    }
    if (text === undefined || rest.length > 0) throw tooLongFor(target);
    return change(call, { type: "edit", messageId: idOf(post), text });
  },
  async delete(call) {
    ensureCan(call.target, "delete");
    return change(call, { type: "delete", messageId: idOf(await mustFindOwn(call)) });
  },
  async react(call) {
    ensureCan(call.target, "react");
    const emoji = need(call.fields, "emoji");
    return act(call, { type: "react", emoji, messageId: await findMessageId(call), ...takenBack(call.fields) });
  },
  async pin(call) {
    ensureCan(call.target, "pin");
    return act(call, { type: "pin", messageId: await findMessageId(call), ...takenBack(call.fields) });
  },
  async poll(call) {
    ensureCan(call.target, "poll");
    const { options = [] } = call.fields;
    if (options.length < 2) throw new ToolError("MESSAGE_PARAMETER_MISSING", '"poll" needs two "options" or more');
    return act(call, { type: "poll", question: need(call.fields, "text"), options });
  },
  async thread(call) {
    ensureCan(call.target, "thread");
    const { messageId, caption } = call.fields;
    const text = need(call.fields, "text");
    const [first, ...rest] = render(call.target, text);
    if (first === undefined || rest.length > 0) throw tooLongFor(call.target);
    const name = (caption ?? text).split("\n", 1)[0]?.slice(0, maxThreadName) ?? "";
    const below = messageId === undefined ? {} : { messageId: await findMessageId(call) };
    return act(call, { type: "thread", name, text: first, ...below });
  },
};

const takenBack = ({ remove }: MessageFields) => (remove ? { remove: true as const } : {});

/** A post of her own may be named by its delivery; the platform knows it by another id. */
async function findMessageId({ outbox, target, fields }: MessageCall): Promise<string> {
  const messageId = need(fields, "messageId");
  const own = await outbox.findPost(target.channel, messageId);
  return own === undefined ? messageId : idOf(own);
}

async function act(call: MessageCall, action: ChannelAction): Result {
  return change(call, { type: "action", action });
}

async function say({ outbox, scope, target, origin, fields }: MessageCall, text: string, replyTo?: string): Result {
  const { channel } = target;
  const parts = render(target, text);
  if (parts.length > maxPosts) {
    throw new ToolError(
      "MESSAGE_TOO_LONG",
      `The text would be ${parts.length} posts; ${maxPosts} can be sent at once`,
      {
        hint: "Shorten it, or send it as a file.",
      },
    );
  }
  const deliveries = parts.map((part, n) => ({
    id: deliveryIdOf(origin, n),
    channel,
    turnId: scope.turnId,
    body: {
      type: "text" as const,
      text: part,
      isAside: true as const,
      ...(n === 0 && replyTo !== undefined && { replyTo }),
    },
  }));
  await outbox.post(deliveries);
  const ids = deliveries.map(({ id }) => id);
  return buildTextResult(`On its way to ${target.label} as ${ids.join(", ")}.`, toDetails(fields.action, target, ids));
}

async function change({ outbox, scope, target, origin, fields }: MessageCall, body: DeliveryBody): Result {
  const id = deliveryIdOf(origin, 0);
  await outbox.post([{ id, channel: target.channel, turnId: scope.turnId, body }]);
  return buildTextResult(
    `${described[body.type] ?? "It is"} on its way to ${target.label}.`,
    toDetails(fields.action, target, [id]),
  );
}

/** Rights over other people's messages are nobody's to give: only what mom's own deliveries know can be changed. */
async function mustFindOwn({ outbox, target, fields }: MessageCall): Promise<Delivery> {
  const messageId = need(fields, "messageId");
  const post = await outbox.findPost(target.channel, messageId);
  if (post === undefined) {
    throw new ToolError("MESSAGE_NOT_OWN", `"${messageId}" is no post of mine in ${target.label}`, {
      hint: "Use the id that sending gave. What is deleted, older than a month or of somebody else cannot be changed.",
    });
  }
  return post;
}

function idOf({ id, state, messageId, error }: Delivery): string {
  if (messageId !== undefined) return messageId;
  if (state === "failed") {
    throw new ToolError("MESSAGE_NOT_SENT", `${id} was never posted: ${error ?? "it could not be delivered"}`, {
      hint: "Send it again.",
    });
  }
  throw new ToolError("MESSAGE_NOT_SENT", `${id} is still on its way`, {
    hint: "Try again in a moment.",
    retryable: true,
  });
}

const described: Partial<Record<DeliveryBody["type"], string>> = { edit: "The change is", delete: "The deletion is" };

const tooLongFor = ({ adapter }: Target) =>
  new ToolError("MESSAGE_TOO_LONG", `The text does not fit into one post on ${adapter.name}`, {
    hint: "Make it shorter, or send a new message.",
  });

function need(fields: MessageFields, name: "text" | "messageId" | "path" | "emoji"): string {
  const value = fields[name];
  if (value !== undefined && value.trim() !== "") return value;
  throw new ToolError("MESSAGE_PARAMETER_MISSING", `"${fields.action}" needs "${name}"`);
}

/** By the platform first, then by the operator. */
function ensureCan({ adapter, label }: Target, what: Ability): void {
  const { capability, lacks, instead } = abilities[what];
  if (!adapter.capabilities[capability]) {
    throw new ToolError("CHAT_CANNOT", `${lacks} in ${label}`, { hint: `The platform has no such thing. ${instead}` });
  }
  const closed = adapter.findClosedGate(what);
  if (closed !== undefined) {
    throw new ToolError("CHANNEL_ACTION_DISABLED", closed, { hint: "The owner has switched it off in the config." });
  }
}

const setRight = "Send another message that sets it right.";
/** What not every chat can do: its capability, and what is said where it is missing. */
export const abilities = {
  edit: { capability: "edit", lacks: "Posts cannot be changed", instead: setRight },
  delete: { capability: "delete", lacks: "Posts cannot be deleted", instead: setRight },
  react: { capability: "reactions", lacks: "There are no reactions", instead: "Say it in words." },
  pin: { capability: "pins", lacks: "Nothing can be pinned", instead: "Send it again when it is needed." },
  poll: {
    capability: "polls",
    lacks: "There are no polls",
    instead: "Send the choices as a numbered list and count the answers.",
  },
  thread: { capability: "threads", lacks: "There are no threads", instead: "Reply to the message instead." },
} as const;
export type Ability = keyof typeof abilities;

const render = ({ adapter }: Target, text: string) => adapter.render(text.trim());

const toDetails = (action: MessageAction, { channel }: Target, deliveries: DeliveryId[]): MessageDetails => ({
  action,
  to: `${channel.adapter}:${channel.channelId}`,
  deliveries,
});
