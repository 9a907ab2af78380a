/**
 * `message`: posts to this chat and, from the owner's own session, to others; changes and takes back posts of mom's own.
 * Everything is a letter in the outbox; what became of it is the outbox's affair.
 */
import { type Static, Type } from "typebox";
import type { ApprovalSubject } from "../../contracts/approval.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { Outbox } from "../../contracts/store.ts";
import type { Tool } from "../../contracts/tool.ts";
import { type ChatDirectory, isSameChat } from "../kit/chat-directory.ts";
import { shortenLine } from "../kit/truncate.ts";
import type { Target } from "./find-target.ts";
import { type Ability, abilities, type MessageDetails, messageActions } from "./message-actions.ts";
import { listRecipients, pickTarget, resolveTo, type TargetDeps } from "./pick-target.ts";

const allActions = ["send", "reply", "media", ...(Object.keys(abilities) as Ability[])] as const;

const parameters = Type.Object(
  {
    action: Type.Enum([...allActions], { type: "string" }),
    to: Type.Optional(Type.String({ description: "adapter:channelId, #channel or @person; default this chat" })),
    text: Type.Optional(Type.String({ maxLength: 20_000 })),
    messageId: Type.Optional(Type.String()),
    path: Type.Optional(Type.String({ description: "File, for media" })),
    caption: Type.Optional(Type.String({ maxLength: 1000, description: "Of media; name of a thread" })),
    emoji: Type.Optional(Type.String({ maxLength: 64 })),
    remove: Type.Optional(Type.Boolean({ description: "Take a reaction or pin back" })),
    options: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 10 })),
  },
  { additionalProperties: false },
);
type MessageParams = Static<typeof parameters>;

/** What no chat here can do costs no words: of the whole declaration only what some running adapter has a use for. */
function pickParameters(directory: ChatDirectory): { parameters: typeof parameters; can: Ability[] } {
  const adapters = directory.adapters();
  const can = (Object.keys(abilities) as Ability[]).filter((what) =>
    adapters.some(({ capabilities }) => capabilities[abilities[what].capability]),
  );
  const { emoji, remove, options, ...rest } = parameters.properties;
  const properties = {
    ...rest,
    action: Type.Enum(["send", "reply", "media", ...can], { type: "string" }),
    ...(can.includes("react") && { emoji }),
    ...((can.includes("react") || can.includes("pin")) && { remove }),
    ...(can.includes("poll") && { options }),
  };
  return { parameters: Type.Object(properties, { additionalProperties: false }) as unknown as typeof parameters, can };
}

const summaries: Readonly<Record<Ability, string>> = {
  edit: "edit a post of your own",
  delete: "delete one",
  react: "react to a message",
  pin: "pin one",
  poll: "poll (text, options)",
  thread: "begin a thread",
};

export interface MessageOptions extends TargetDeps {
  outbox: Pick<Outbox, "post" | "findPost">;
}

export function createMessageTool(
  operations: Operations,
  options: MessageOptions,
): Tool<typeof parameters, MessageDetails> {
  const { outbox, scope } = options;
  const declared = pickParameters(options.directory);
  const more = declared.can.map((what) => summaries[what]);
  return {
    name: "message",
    label: "Message",
    description: `Post beside your reply: ${["send a text", "reply to a message", "send a file (media)", ...more].join(", ")}.`,
    parameters: declared.parameters,
    effect: "external",
    describe: ({ action, to, text, path, messageId }) =>
      `message ${action}${to === undefined ? "" : ` to ${to}`} ${shortenLine(text ?? path ?? messageId ?? "", 80)}`,
    recipients: ({ to }) => listRecipients(options, to),
    isOutward({ to }) {
      const found = resolveTo(options, to);
      return found.type !== "target" || !isSameChat(found.target.channel, scope.channel);
    },
    approvalSubject: (params) => buildSubject(operations, params, pickTarget(options, params.to)),
    async execute(toolCallId, { to, ...fields }) {
      const target = pickTarget(options, to);
      const origin = `${scope.turnId}.${toolCallId}`;
      return messageActions[fields.action]({ operations, outbox, scope, target, origin, fields });
    },
  };
}

/** The chat stands in it by its id: a name that leads elsewhere by the time of the call is another subject. */
async function buildSubject(operations: Operations, params: MessageParams, target: Target): Promise<ApprovalSubject> {
  const { action, text, messageId, path, caption, emoji, remove, options } = params;
  const { adapter, channelId } = target.channel;
  const real = path === undefined ? undefined : await operations.resolve(path);
  const more = { emoji, remove: remove ? "yes" : undefined, options: options && JSON.stringify(options) };
  const parts = Object.entries({ messageId, text, path: real, caption, ...more }).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
  return {
    tool: "message",
    text: [`${action} in ${target.label}`, ...parts.map(({ name, value }) => `${name}: ${value}`)].join("\n"),
    exact: {
      argv: ["message", action, `${adapter}:${channelId}`, ...parts.flatMap(({ name, value }) => [name, value])],
      cwd: await operations.resolve(operations.cwd),
      env: {},
    },
  };
}
