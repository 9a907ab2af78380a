/** `sessions_send`: says something to the agent of another session; what it answers comes back as a message. */
import { Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { SessionDoor } from "../../contracts/session-door.ts";
import type { Tool, ToolScope } from "../../contracts/tool.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { shortenLine } from "../kit/truncate.ts";

const parameters = Type.Object(
  {
    sessionKey: Type.Optional(Type.String()),
    label: Type.Optional(Type.String()),
    message: Type.String({ minLength: 1, maxLength: 20_000 }),
  },
  { additionalProperties: false },
);

interface SendOptions {
  door: Pick<SessionDoor, "send">;
  scope: ToolScope;
}

export function createSessionsSendTool({
  door,
  scope,
}: SendOptions): Tool<typeof parameters, { sessionKey: string; turnsLeft: number }> {
  return {
    name: "sessions_send",
    label: "Send",
    description:
      "Say something to the agent of another session, by sessionKey or label. Its answer comes to you later.",
    parameters,
    // The same call is taken once.
    effect: "read",
    // What is said there is read by those who talk there.
    isOutward: () => true,
    recipients: ({ sessionKey, label }) => [sessionKey, label].filter((name) => name !== undefined),
    describe: ({ sessionKey, label, message }) => `send ${sessionKey ?? label ?? ""}: ${shortenLine(message, 60)}`,
    async execute(callId, { sessionKey, label, message }) {
      const to = sessionKey ?? label;
      if (to === undefined || (sessionKey !== undefined && label !== undefined)) {
        throw new ToolError("SESSION_NAME_MISSING", "Say which session: either sessionKey or label", {
          hint: "sessions_list shows the ones there are.",
        });
      }
      const sent = await door.send(scope, { to, message, callId });
      return buildTextResult(`Sent to ${sent.sessionKey}. Its answer comes as a message; do not wait for it.`, sent);
    },
  };
}
