/** `sessions_list`: the sessions that this one may see, used last first. */
import { Type } from "typebox";
import type { SessionDoor, SessionLine } from "../../contracts/session-door.ts";
import type { Tool, ToolScope } from "../../contracts/tool.ts";
import { buildTextResult } from "../kit/text-result.ts";

const parameters = Type.Object(
  { limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) },
  { additionalProperties: false },
);

interface SessionsListOptions {
  door: Pick<SessionDoor, "list">;
  scope: ToolScope;
}

const usualLimit = 20;

export function createSessionsListTool({
  door,
  scope,
}: SessionsListOptions): Tool<typeof parameters, { sessions: SessionLine[] }> {
  return {
    name: "sessions_list",
    label: "Sessions",
    description: "List sessions, used last first.",
    parameters,
    effect: "read",
    describe: () => "list sessions",
    async execute(_callId, { limit = usualLimit }) {
      const sessions = await door.list(scope, limit);
      return buildTextResult(sessions.map(formatSession).join("\n") || "There are none.", { sessions });
    },
  };
}

function formatSession({ sessionKey, label, state, updatedAt, totalTokens }: SessionLine): string {
  const name = label === undefined ? "" : ` ${JSON.stringify(label)}`;
  const how = state === undefined ? "" : ` ${state}`;
  return `${sessionKey}${name}${how}, used ${new Date(updatedAt).toISOString().slice(0, 16)}Z, ${totalTokens} tokens`;
}
