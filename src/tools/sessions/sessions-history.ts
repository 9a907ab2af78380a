/** `sessions_history`: what was said last in a session that this one may see. */
import { Type } from "typebox";
import type { SessionDoor, SpokenLine } from "../../contracts/session-door.ts";
import type { Tool, ToolScope } from "../../contracts/tool.ts";
import { markOutside } from "../kit/mark-outside.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { shortenLine } from "../kit/truncate.ts";

const parameters = Type.Object(
  {
    sessionKey: Type.String({ minLength: 1, description: "or label" }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
  },
  { additionalProperties: false },
);

interface SessionsHistoryOptions {
  door: Pick<SessionDoor, "history">;
  scope: ToolScope;
}

const usualLimit = 20;

export function createSessionsHistoryTool({
  door,
  scope,
}: SessionsHistoryOptions): Tool<typeof parameters, { sessionKey: string; lines: SpokenLine[] }> {
  return {
    name: "sessions_history",
    label: "History",
    description: "What was said last in a session.",
    parameters,
    effect: "read",
    describe: ({ sessionKey }) => `history of ${shortenLine(sessionKey, 80)}`,
    async execute(_callId, { sessionKey, limit = usualLimit }) {
      const { session, lines, outside } = await door.history(scope, sessionKey, limit);
      const text = lines.map(formatLine).join("\n") || "Nothing was said there.";
      const details = { sessionKey: session.sessionKey, lines };
      if (outside === undefined) return buildTextResult(text, details);
      const source = `session ${session.sessionKey}: ${outside}`;
      return { ...buildTextResult(markOutside(text, source), details), outside: source };
    },
  };
}

/** A line of somebody's text that looks like another one's is indented, so that nobody speaks as another. */
const formatLine = ({ at, who, text }: SpokenLine) => `${at.slice(0, 16)}Z ${who}: ${text.replace(/\n/g, "\n  ")}`;
