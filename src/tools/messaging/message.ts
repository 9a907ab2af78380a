/**
 * `message`: posts to this chat and, from the owner's own session, to others; changes and takes back posts of mom's own.
 * Everything is a letter in the outbox; what became of it is the outbox's affair.
 */
import { type Static, Type } from "typebox";
import type { ApprovalSubject } from "../../contracts/approval.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { Outbox } from "../../contracts/store.ts";
import type { Tool } from "../../contracts/tool.ts";
import { isSameChat } from "../kit/chat-directory.ts";
import { shortenLine } from "../kit/truncate.ts";
import type { Target } from "./find-target.ts";
import { type MessageDetails, messageActions } from "./message-actions.ts";
import { listRecipients, pickTarget, resolveTo, type TargetDeps } from "./pick-target.ts";

const parameters = Type.Object(
  {
    action: Type.Enum(["send", "reply", "media", "edit", "delete"], { type: "string" }),
    to: Type.Optional(Type.String({ description: "adapter:channelId, #channel or @person; default this chat" })),
    text: Type.Optional(Type.String({ maxLength: 20_000 })),
    messageId: Type.Optional(Type.String()),
    path: Type.Optional(Type.String({ description: "File, for media" })),
    caption: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  { additionalProperties: false },
);
type MessageParams = Static<typeof parameters>;

export interface MessageOptions extends TargetDeps {
  outbox: Pick<Outbox, "post" | "findPost">;
}

export function createMessageTool(
  operations: Operations,
  options: MessageOptions,
): Tool<typeof parameters, MessageDetails> {
  const { outbox, scope } = options;
  return {
    name: "message",
    label: "Message",
    description:
      "Post beside your reply: send a text, reply to a message, send a file (media); edit or delete a post of your own.",
    parameters,
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
  const { action, text, messageId, path, caption } = params;
  const { adapter, channelId } = target.channel;
  const real = path === undefined ? undefined : await operations.resolve(path);
  const parts = Object.entries({ messageId, text, path: real, caption }).flatMap(([name, value]) =>
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
