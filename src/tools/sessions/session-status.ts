/** `session_status`: how this session stands: its model, what it has used, how full its context is. */
import { Type } from "typebox";
import { formatCost, formatCount } from "../../base/format-values.ts";
import type { SessionDoor } from "../../contracts/session-door.ts";
import type { Tool, ToolScope } from "../../contracts/tool.ts";
import { buildTextResult } from "../kit/text-result.ts";

const parameters = Type.Object({}, { additionalProperties: false });

interface SessionStatusOptions {
  door: Pick<SessionDoor, "status">;
  scope: ToolScope;
}

interface StatusDetails {
  model: string;
  totalTokens: number;
  cost: number;
  contextTokens: number;
  contextWindow: number;
}

export function createSessionStatusTool({ door, scope }: SessionStatusOptions): Tool<typeof parameters, StatusDetails> {
  return {
    name: "session_status",
    label: "Status",
    description: "This session: model, tokens, cost, context.",
    parameters,
    effect: "read",
    describe: () => "session status",
    async execute() {
      const { session, model, contextTokens, contextWindow } = await door.status(scope);
      const { sessionKey, inputTokens, outputTokens, totalTokens, cost } = session;
      const share = Math.round((100 * contextTokens) / Math.max(1, contextWindow));
      const text = [
        `session: ${sessionKey}`,
        `model: ${model}`,
        `used: ${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out, ${formatCost(cost)}`,
        `context: ${formatCount(contextTokens)} of ${formatCount(contextWindow)} tokens (${share} %)`,
      ].join("\n");
      return buildTextResult(text, { model, totalTokens, cost, contextTokens, contextWindow });
    },
  };
}
