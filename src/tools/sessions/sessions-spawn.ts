/** `sessions_spawn`: gives one task to a subagent and returns at once; the findings come back as a message. */
import { Type } from "typebox";
import type { SubagentRun, Subagents } from "../../contracts/subagent.ts";
import type { Tool, ToolScope } from "../../contracts/tool.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { shortenLine } from "../kit/truncate.ts";

const parameters = Type.Object(
  {
    task: Type.String(),
    agentId: Type.Optional(Type.String()),
    model: Type.Optional(Type.String()),
    thinking: Type.Optional(Type.Enum(["off", "low", "medium", "high"], { type: "string" })),
    runTimeoutSeconds: Type.Optional(Type.Integer()),
    cleanup: Type.Optional(Type.Enum(["keep", "delete"], { type: "string" })),
    label: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

interface SpawnDetails extends Pick<SubagentRun, "sessionKey" | "runId"> {
  success: true;
}

interface SpawnOptions {
  subagents: Pick<Subagents, "spawn" | "stop">;
  scope: ToolScope;
}

export function createSessionsSpawnTool({ subagents, scope }: SpawnOptions): Tool<typeof parameters, SpawnDetails> {
  return {
    name: "sessions_spawn",
    label: "Spawn",
    description: "Give a subagent one task; its findings come later.",
    parameters,
    // The same call spawns once, so making it again after a crash is harmless, and gives what the first one would have.
    effect: "read",
    describe: ({ task, label }) => `spawn ${shortenLine(label ?? task, 80)}`,
    async execute(callId, params, signal) {
      const { sessionKey, runId, state } = await subagents.spawn(scope, { ...params, callId });
      if (signal.aborted) {
        // Whoever stopped the turn has stopped what it had sent by then; this one came too late to be among it.
        await subagents.stop(runId);
        signal.throwIfAborted();
      }
      const details: SpawnDetails = { success: true, sessionKey, runId };
      return buildTextResult(JSON.stringify({ ...details, state }), details);
    },
  };
}
