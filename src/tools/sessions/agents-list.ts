/** `agents_list`: the agents that work can be given to. */
import { Type } from "typebox";
import type { SessionDoor } from "../../contracts/session-door.ts";
import type { Tool, ToolScope } from "../../contracts/tool.ts";
import { buildTextResult } from "../kit/text-result.ts";

const parameters = Type.Object({}, { additionalProperties: false });

interface AgentsListOptions {
  door: Pick<SessionDoor, "agents">;
  scope: ToolScope;
}

export function createAgentsListTool({
  door,
  scope,
}: AgentsListOptions): Tool<typeof parameters, { agents: { id: string; model?: string }[] }> {
  return {
    name: "agents_list",
    label: "Agents",
    description: "Agents that sessions_spawn may use.",
    parameters,
    effect: "read",
    describe: () => "list agents",
    async execute() {
      const agents = door.agents(scope);
      const text = agents.map(({ id, model }) => `${id}${model === undefined ? "" : ` (${model})`}`).join("\n");
      return buildTextResult(text, { agents });
    },
  };
}
