/**
 * The one place that drives `pi-agent-core`: our ports on one side, its loop on the other. The loop asks the model,
 * hands tool calls to `runTool`, and goes on until there is an answer. Everything it must not decide by itself (which
 * tools exist, whether arguments are right, what is recorded) is decided on our side.
 */
import { type AgentMessage, type AgentTool, runAgentLoopContinue, type StreamFn } from "@earendil-works/pi-agent-core";
import {
  type Api,
  createAssistantMessageEventStream,
  type Message,
  type Model,
  type AssistantMessage as PiAssistantMessage,
} from "@earendil-works/pi-ai";
import type { AssistantMessage, ModelMessage, ModelStream, ToolCall, UserMessage } from "../contracts/model.ts";
import type { ToolOutcome } from "../contracts/tool.ts";
import { buildOwnAnswer } from "./own-answer.ts";

export interface LoopPorts {
  /** What the model has seen so far, for the loop's own bookkeeping; ends with a user message or tool results. */
  messages: ModelMessage[];
  signal: AbortSignal;
  /** The next request: what it says is the asker's own, built from the record. A rejection ends the loop. */
  ask(): Promise<ModelStream>;
  /** Runs one call through the gate and records it. Rejects only when it could not be recorded: the loop then ends. */
  runTool(call: ToolCall): Promise<ToolOutcome>;
  /** The assistant's message is complete; must be recorded before its tools run. A rejection ends the loop. */
  onAssistant(message: AssistantMessage): Promise<void>;
  onText(delta: string): Promise<void>;
  onThinking(delta: string): Promise<void>;
  onMessageStart(): Promise<void>;
  onTurn(edge: "start" | "end"): Promise<void>;
  /** It goes in circles: asked after every round, ends the loop. */
  isStuck(): boolean;
  /** Requests to the model that this turn may still make. */
  maxRounds: number;
  /** Messages that came in meanwhile; asked only between a batch of tool results and the next request. */
  steer(): Promise<UserMessage[]>;
}

export async function runPiLoop(ports: LoopPorts): Promise<AssistantMessage | undefined> {
  const loopEnd = new AbortController();
  const signal = AbortSignal.any([ports.signal, loopEnd.signal]);
  let failure: { error: unknown } | undefined;
  const fail = (error: unknown) => {
    failure ??= { error };
    loopEnd.abort(error);
  };
  const outcomes = new Map<string, boolean>();
  const tools: AgentTool[] = [];
  let last: AssistantMessage | undefined;
  let isAfterTools = false;
  let rounds = 0;

  /** Every name the model uses gets a tool, so that unknown ones too reach our gate and its better answer. */
  const provideTools = (message: AssistantMessage) => {
    for (const block of message.content) {
      if (block.type === "toolCall" && !tools.some((tool) => tool.name === block.name)) {
        tools.push(buildLoopTool(block.name, ports, outcomes, fail));
      }
    }
  };

  const steer = () =>
    ports.steer().catch((error: unknown) => {
      fail(error);
      return [];
    });

  await runAgentLoopContinue(
    { messages: ports.messages as AgentMessage[], tools },
    {
      model: placeholderModel,
      convertToLlm: (messages) => messages as Message[],
      finishTurn: () => (++rounds >= ports.maxRounds || ports.isStuck() ? { action: "end" } : undefined),
      afterToolCall: async ({ toolCall }) => ({ isError: outcomes.get(toolCall.id) ?? true }),
      getSteeringMessages: async () => (isAfterTools && !signal.aborted ? steer() : []),
    },
    async (event) => {
      if (event.type === "turn_start") return ports.onTurn("start");
      if (event.type === "turn_end") {
        isAfterTools = event.toolResults.length > 0;
        return ports.onTurn("end");
      }
      if (event.type === "message_start" && event.message.role === "assistant") return ports.onMessageStart();
      if (event.type === "message_update") {
        const { assistantMessageEvent: update } = event;
        if (update.type === "text_delta") return ports.onText(update.delta);
        if (update.type === "thinking_delta") return ports.onThinking(update.delta);
      }
      if (event.type === "message_end" && event.message.role === "assistant") {
        last = event.message as AssistantMessage;
        provideTools(last);
        await ports.onAssistant(last);
      }
    },
    signal,
    buildStreamFn(ports, fail),
  );
  if (failure) throw failure.error;
  return last;
}

/** The loop's own checks are passed by: it validates against a schema that takes anything, and our gate does the rest. */
function buildLoopTool(
  name: string,
  ports: LoopPorts,
  outcomes: Map<string, boolean>,
  fail: (error: unknown) => void,
): AgentTool {
  return {
    name,
    label: name,
    description: "",
    parameters: { type: "object" },
    async execute(id, args) {
      try {
        const outcome = await ports.runTool({ type: "toolCall", id, name, arguments: args as Record<string, unknown> });
        outcomes.set(id, outcome.isError);
        return { content: outcome.content, details: outcome.details };
      } catch (error) {
        fail(error);
        throw error;
      }
    },
  };
}

/** Hands the events of our model port to the loop, without copying what grows. */
function buildStreamFn(ports: LoopPorts, fail: (error: unknown) => void): StreamFn {
  return () => {
    const stream = createAssistantMessageEventStream();
    const pass = async () => {
      const asked = await ports.ask();
      for await (const event of asked) {
        if (event.type === "done") continue;
        const partial = toPi(event.partial);
        stream.push(event.type === "toolcall_delta" ? { ...event, delta: "", partial } : { ...event, partial });
      }
      const { message } = await asked.result();
      const { stopReason } = message;
      if (stopReason === "error" || stopReason === "aborted") {
        stream.push({ type: "error", reason: stopReason, error: toPi(message) });
      } else stream.push({ type: "done", reason: stopReason, message: toPi(message) });
    };
    pass().catch((error: unknown) => {
      fail(error);
      stream.push({
        type: "error",
        reason: "aborted",
        error: toPi(buildOwnAnswer({ stopReason: "aborted", nowMs: 0 })),
      });
    });
    return stream;
  };
}

/** The same shape; only that arguments are JSON is something our own type does not say. */
const toPi = (message: AssistantMessage) => message as PiAssistantMessage;

/** The loop wants a model; ours is chosen and asked behind `ask`. */
const placeholderModel: Model<Api> = {
  id: "mom",
  name: "mom",
  api: "mom",
  provider: "mom",
  baseUrl: "",
  reasoning: false,
  input: ["text", "image"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 0,
  maxTokens: 0,
};
