/**
 * The agent: prepares what the model sees, runs the loop, and records every step before anything depends on it. A turn
 * that was cut off goes on from its last recorded step.
 */
import { newEntryId } from "../base/ids.ts";
import type { AgentOutcome, AgentSessionEvent, MomAgent, TurnContext } from "../contracts/agent.ts";
import type { Clock } from "../contracts/clock.ts";
import type { SessionKey } from "../contracts/ids.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type {
  AssistantMessage,
  ModelFailure,
  ModelInfo,
  ModelMessage,
  ModelProvider,
  ToolDeclaration,
  UserMessage,
} from "../contracts/model.ts";
import type { Inbox, Sessions, Transcripts } from "../contracts/store.ts";
import type { Toolbox } from "../contracts/tool.ts";
import type { NewEntry } from "../contracts/turn.ts";
import { buildInput } from "./build-input.ts";
import { loadAgentLoop } from "./catalog.ts";
import { createContextLoader } from "./load-context.ts";
import { buildLocalTimeFormat } from "./prompt/local-time.ts";
import { buildSystemPrompt, type PromptFacts } from "./prompt/system-prompt.ts";
import { createToolRunner, findLastAnswer, settlePendingCalls, type ToolRunner, textOf } from "./tool-runner.ts";

export interface AgentDeps {
  models: ModelProvider;
  toolbox: Toolbox;
  inbox: Inbox;
  sessions: Sessions;
  transcripts: Transcripts;
  clock: Clock;
  log: Log;
  /** What the prompt says of this machine and channel. */
  surroundings: Pick<PromptFacts, "workspaceDir" | "host" | "timeZone"> & {
    channelFolder(channel: { adapter: string; channelId: string }): string;
    adapterType(name: string): string;
  };
}

type OnEvent = (event: AgentSessionEvent) => Promise<void>;

/** Chatter that is folded into one turn, at most. */
const mostHeardLines = 50;
/** A model that calls tools without end is stopped here, before it costs more. */
const mostRounds = 100;
const windowEntries = { most: 240, least: 120 };
/** Share of the model's window that history may fill; the rest is for the prompt, tools and the answer. */
const historyShare = 0.6;

export function createAgent(deps: AgentDeps): MomAgent {
  const { models, toolbox, clock } = deps;
  const running = new Map<SessionKey, AbortController>();
  const contexts = createContextLoader(deps);
  const formatLocalTime = buildLocalTimeFormat(deps.surroundings.timeZone);

  const run = async (message: ChannelMessage, context: TurnContext, onEvent: OnEvent, abort: AbortController) => {
    const { session, turn } = context;
    if (turn.stopRequested) {
      if (context.steps.length > 0) await recordStop(deps, context);
      return { stopReason: "aborted", reply: "" } satisfies AgentOutcome;
    }
    const resolved = await models.resolve();
    if (resolved.type === "unavailable") return failed(resolved.message, "model unavailable");
    const { model } = resolved;
    await onEvent({ type: "agent_start", model: model.ref, resumed: context.steps.length > 0 });
    await deps.sessions.noteModel(session.sessionKey, { provider: model.provider, ref: model.ref });
    const scope = { session, turnId: turn.id, channel: turn.route.channel, sender: message.sender, model: model.ref };
    const toolSet = await toolbox.open(scope);
    const tools = createToolRunner({ toolSet, clock, context, onEvent, signal: abort.signal });

    if (context.steps.length === 0) await recordInput(deps, message, context, model);
    else await settlePendingCalls(tools, toolSet, context);
    const answered = findLastAnswer(context.steps);
    if (answered !== undefined) return { stopReason: "stop", reply: answered } satisfies AgentOutcome;

    const messages = await contexts.load(
      session.sessionKey,
      { ...windowEntries, maxTokens: model.contextWindow * historyShare },
      context.steps.flatMap((step) => step.entries.map((entry) => entry.id)),
    );
    const facts: PromptFacts = {
      ...deps.surroundings,
      session,
      tools: toolSet.declarations,
      channelFolder: deps.surroundings.channelFolder(turn.route.channel),
      adapterType: deps.surroundings.adapterType(context.adapter),
      users: context.users,
      model: model.ref,
      localTime: formatLocalTime(clock.now()),
    };
    const request = { model, system: buildSystemPrompt(facts), tools: toolSet.declarations };
    return converse(deps, { request, messages, context, onEvent, abort, runTool: tools.run });
  };

  return {
    async handleMessage(message, context, onEvent) {
      const { sessionKey } = context.session;
      const abort = new AbortController();
      running.set(sessionKey, abort);
      try {
        const outcome = await run(message, context, onEvent, abort);
        if (outcome.stopReason === "aborted" && abort.signal.reason === "stopped") await recordStop(deps, context);
        await onEvent({ type: "agent_end", stopReason: outcome.stopReason });
        return outcome;
      } finally {
        if (running.get(sessionKey) === abort) running.delete(sessionKey);
      }
    },
    abort: (sessionKey, how) => running.get(sessionKey)?.abort(how),
    isRunning: (sessionKey) => running.has(sessionKey),
  };
}

interface Conversation {
  request: { model: ModelInfo; system: string; tools: ToolDeclaration[] };
  messages: ModelMessage[];
  context: TurnContext;
  onEvent: OnEvent;
  abort: AbortController;
  runTool: ToolRunner["run"];
}

async function converse(deps: AgentDeps, conversation: Conversation): Promise<AgentOutcome> {
  const { request, messages, context, onEvent, abort, runTool } = conversation;
  let failure: ModelFailure | undefined;
  let isRetrying = false;
  const usedIds = new Set(messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : [])));
  const runLoop = await loadAgentLoop();
  const last = await runLoop({
    messages,
    signal: abort.signal,
    maxRounds: mostRounds - context.steps.filter(({ body }) => body.type === "assistant").length,
    runTool,
    ask(current) {
      const stream = deps.models.stream({
        ...request,
        messages: current,
        signal: abort.signal,
        sessionId: context.session.sessionId,
        onRetry({ attempt, maxAttempts, delayMs, failure: reason }) {
          isRetrying = true;
          void onEvent({ type: "auto_retry_start", attempt, maxAttempts, delayMs, reason: reason.detail });
        },
      });
      void stream.result().then((result) => {
        failure = result.failure;
        if (isRetrying) void onEvent({ type: "auto_retry_end", success: !result.failure });
        isRetrying = false;
      });
      return stream;
    },
    async onAssistant(message) {
      nameCallsApart(message, usedIds);
      const hasToolCalls = message.content.some((block) => block.type === "toolCall");
      if (message.stopReason !== "error" && message.stopReason !== "aborted") {
        await context.record({
          body: { type: "assistant" },
          entries: [toEntry(message, deps.clock.now())],
          usage: { model: request.model.ref, usage: message.usage },
        });
      }
      await onEvent({ type: "message_end", text: textOf(message), hasToolCalls, usage: message.usage });
    },
    onMessageStart: () => onEvent({ type: "message_start" }),
    onText: (delta) => onEvent({ type: "text_delta", delta }),
    onThinking: (delta) => onEvent({ type: "thinking_delta", delta }),
    onTurn: (edge) => onEvent({ type: edge === "start" ? "turn_start" : "turn_end" }),
    steer: () => steer(deps, context, onEvent),
  });
  if (!last || last.stopReason === "aborted" || abort.signal.aborted) return { stopReason: "aborted", reply: "" };
  if (last.stopReason === "error") {
    const text = failure?.message ?? "The model gave no answer. Your message is kept; send it again to retry.";
    return failed(text, failure ? `${failure.reason}: ${failure.detail}` : (last.errorMessage ?? "unknown"));
  }
  if (last.stopReason === "toolUse") {
    const text = `I stopped after ${mostRounds} rounds of tools without coming to an end. Say "go on" if I should continue.`;
    return failed(text, `more than ${mostRounds} rounds in one turn`);
  }
  const reply = textOf(last) || "(The model gave an empty answer. Ask again, or in other words.)";
  return { stopReason: last.stopReason === "length" ? "length" : "stop", reply };
}

/** Some providers number their calls anew in every answer; what is recorded, resumed and posted by id needs them apart. */
function nameCallsApart(message: AssistantMessage, usedIds: Set<string>): void {
  for (const block of message.content) {
    if (block.type !== "toolCall") continue;
    for (let n = 2, id = block.id; usedIds.has(block.id); n++) block.id = `${id}_${n}`;
    usedIds.add(block.id);
  }
}

/** Messages that waited behind this turn are shown to the model after the tool results, and recorded as part of it. */
async function steer(deps: AgentDeps, context: TurnContext, onEvent: OnEvent): Promise<UserMessage[]> {
  let input: UserMessage | undefined;
  const taken = await context.absorb((messages) => {
    const inputs = messages.map((message) => buildInput(message, [], deps.clock.now()).content);
    input = { role: "user", content: inputs.join("\n"), timestamp: deps.clock.now() };
    return { body: { type: "input", seenSeq: context.turn.seq }, entries: [toEntry(input, deps.clock.now())] };
  });
  if (!input) return [];
  await onEvent({ type: "steered", texts: taken.map((message) => message.text) });
  return [input];
}

async function recordInput(
  { inbox, clock }: AgentDeps,
  message: ChannelMessage,
  context: TurnContext,
  model: ModelInfo,
): Promise<void> {
  const { turn, session } = context;
  const heard = await inbox.unseen(session.sessionKey, turn.route.channel, turn.seq, mostHeardLines);
  const entries = [toEntry(buildInput(message, heard, clock.now()), clock.now())];
  if (session.model !== model.ref) entries.unshift(toModelChange(model, clock.now()));
  await context.record({ body: { type: "input", seenSeq: turn.seq }, entries });
}

/** So that the model does not take the request up again with the next message. */
async function recordStop({ clock }: AgentDeps, context: TurnContext): Promise<void> {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const note: AssistantMessage = {
    role: "assistant",
    content: [{ type: "text", text: "(I was stopped here and did not finish this.)" }],
    api: "mom",
    provider: "mom",
    model: "none",
    usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
    stopReason: "stop",
    timestamp: clock.now(),
  };
  await context.record({ body: { type: "assistant" }, entries: [toEntry(note, clock.now())] });
}

const toModelChange = ({ provider, id: modelId }: ModelInfo, nowMs: number): NewEntry => ({
  type: "model_change",
  id: newEntryId(),
  timestamp: new Date(nowMs).toISOString(),
  provider,
  modelId,
});

const toEntry = (message: ModelMessage, nowMs: number): NewEntry => ({
  type: "message",
  id: newEntryId(),
  timestamp: new Date(nowMs).toISOString(),
  message,
});

const failed = (errorMessage: string, errorDetail: string): AgentOutcome => ({
  stopReason: "error",
  reply: "",
  errorMessage,
  errorDetail,
});
