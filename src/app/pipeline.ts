/**
 * The sentence in code: a message is admitted and routed (inbound), waits on its session's lane, is answered by the
 * agent or by a command, and its reply goes out through the outbox. Each verb is a room's; this only joins them.
 */
import { errorText, StoreError } from "../base/errors.ts";
import type { AgentOutcome, AgentSessionEvent, MomAgent, TurnContext } from "../contracts/agent.ts";
import type { PlatformAdapter } from "../contracts/channel.ts";
import type { Clock } from "../contracts/clock.ts";
import type { CommandCall, CommandReply } from "../contracts/command.ts";
import type { Errand } from "../contracts/errand.ts";
import type { ErrandHandler, ErrandResult } from "../contracts/errand-ports.ts";
import type { SessionId, SessionKey, TurnId } from "../contracts/ids.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelMessage, ChannelRef } from "../contracts/message.ts";
import type { QueueMode, SessionEntry } from "../contracts/session.ts";
import type { Accepted, DeliveryBody, Store } from "../contracts/store.ts";
import type { ClaimedTurn, Turn } from "../contracts/turn.ts";
import type { Inbound, Origin } from "../inbound/index.ts";
import { planReply } from "../outbound/index.ts";
import { buildShow } from "./show-events.ts";

export interface Pipeline {
  /** A message from any source. On disk when it resolves. */
  receive(origin: Origin, message: ChannelMessage): Promise<Accepted>;
  /** A stop that is not a message (Ctrl-C, a button). How many turns it ends. */
  stop(sessionKey: SessionKey): Promise<number>;
  /** One claimed turn to its end; what the lanes run. */
  runTurn(turn: ClaimedTurn): Promise<void>;
  /** Ends running turns without finishing them; they go on at the next start. */
  park(): void;
  /** Another process has taken the turn over. */
  abandon(turn: ClaimedTurn): void;
}

interface PipelineDeps {
  store: Store;
  inbound: Inbound;
  agent: MomAgent;
  openSession(turn: ClaimedTurn, isBegun: boolean): Promise<SessionEntry>;
  /** The reply to a command turn. */
  answerCommand(
    turn: ClaimedTurn,
    session: SessionEntry,
    work: Pick<CommandCall, "steps" | "record">,
  ): Promise<CommandReply>;
  adapter(name: string): PlatformAdapter | undefined;
  /** What the end of an errand means, by whoever sent it. */
  errands(type: Errand["type"]): ErrandHandler | undefined;
  /** The message carries text that came from outside. Durable when it resolves. */
  noteOutside(sessionId: SessionId, source: string): Promise<void>;
  queueModeOf(turn: ClaimedTurn, session: SessionEntry): QueueMode;
  log: Log;
  clock: Clock;
  wakeLanes(): void;
  wakeOutbound(): void;
  onFinished(turnId: TurnId): void;
  /** For those who look on; quick, and never throwing. */
  taps: {
    said(channel: ChannelRef, message: ChannelMessage, turn: { turnId: TurnId; sessionKey: SessionKey }): void;
    turnEvent(turn: Turn, event: AgentSessionEvent): void;
    absorbed(channel: ChannelRef, messages: readonly ChannelMessage[]): void;
    /** Turns that waited in the session are over. */
    stopped(sessionKey: SessionKey): void;
  };
}

type TurnWork = Pick<TurnContext, "steps" | "record">;
type PostedFile = Extract<DeliveryBody, { type: "file" }>;
type Reply = AgentOutcome & { files?: PostedFile[] };

interface Answer extends ErrandResult {
  files?: PostedFile[];
}

/** A turn that brings mom down every time is not tried for ever. */
const mostCrashes = 10;

export function createPipeline(deps: PipelineDeps): Pipeline {
  const { store, inbound, agent, adapter, log, taps } = deps;
  const running = new Map<TurnId, SessionKey>();
  const stopping = new Set<TurnId>();
  let parking = false;

  const abortNow = (turnIds: readonly TurnId[]) => {
    for (const id of turnIds) {
      // Also when it is only just being claimed: it finds this when it gets here.
      stopping.add(id);
      const sessionKey = running.get(id);
      if (sessionKey) agent.abort(sessionKey, "stopped");
    }
  };
  const askAgent = async (turn: ClaimedTurn, session: SessionEntry, work: TurnWork): Promise<AgentOutcome> => {
    const { errand } = turn.message;
    const adapterName = errand?.principal.channel.adapter ?? turn.adapter;
    const channel = adapter(adapterName);
    const context: TurnContext = {
      ...work,
      turn,
      session,
      adapter: adapterName,
      users: channel?.getUsers() ?? [],
      channels: channel?.getChannels() ?? [],
      queueMode: deps.queueModeOf(turn, session),
      async absorb(toStep) {
        const messages = await store.turns.absorb(turn, toStep);
        if (messages.length > 0) taps.absorbed({ ...turn.route.channel, adapter: turn.adapter }, messages);
        return messages;
      },
    };
    const outside = turn.message.metadata?.["outside"];
    if (typeof outside === "string") await deps.noteOutside(session.sessionId, outside);
    if (stopping.has(turn.id) || parking) return { stopReason: "aborted", reply: "" };
    const show = buildShow(deps, errand ? undefined : channel, turn, session);
    return agent.handleMessage(turn.message, context, (event) => {
      taps.turnEvent(turn, event);
      return show(event);
    });
  };
  const askCommand = async (turn: ClaimedTurn, session: SessionEntry, work: TurnWork): Promise<Reply> => {
    if (turn.stopRequested) return { stopReason: "aborted", reply: "" };
    const reply = await deps.answerCommand(turn, session, work);
    if (typeof reply === "object" && "aborted" in reply) return { stopReason: "aborted", reply: "" };
    return {
      stopReason: "stop",
      ...(typeof reply === "string" ? { reply } : { reply: reply.text, files: reply.files }),
    };
  };
  const answer = async (turn: ClaimedTurn): Promise<Answer | "parked"> => {
    if (turn.crashes > mostCrashes) {
      const reply = `I could not finish this after ${mostCrashes} tries, so I have put it aside. "mom logs tail" shows why.`;
      return { outcome: "failed", reply, error: `Given up after ${mostCrashes} crashes` };
    }
    const steps = turn.attempt > 1 ? await store.turns.steps(turn) : [];
    const work: TurnWork = { steps, record: (step) => store.turns.record(turn, step) };
    const session = await deps.openSession(turn, steps.length > 0);
    const asked: Promise<Reply> = (turn.kind === "command" ? askCommand : askAgent)(turn, session, work);
    const result = await asked.catch((error: unknown): Reply => {
      // What could not be stored is tried again; anything else would fail the same way every time.
      if (error instanceof StoreError) throw error;
      log.error("A turn met a fault in mom", { turn: turn.id, error });
      const errorMessage = 'Something went wrong inside me, and I could not answer. "mom logs tail" shows what.';
      return { stopReason: "error", reply: "", errorMessage, errorDetail: errorText(error) };
    });
    if (result.stopReason === "aborted") {
      return parking && !stopping.has(turn.id) ? "parked" : { outcome: "stopped", reply: "" };
    }
    if (result.stopReason !== "error") return { outcome: "done", reply: result.reply, files: result.files ?? [] };
    log.info("A turn failed", { turn: turn.id, session: turn.route.sessionKey, reason: result.errorDetail });
    return { outcome: "failed", reply: result.errorMessage ?? "", error: result.errorDetail ?? "" };
  };
  const end = async (turn: ClaimedTurn, answered: Answer): Promise<boolean> => {
    const { outcome, reply, files = [], error } = answered;
    const channel = adapter(turn.adapter);
    // Taken out of the config meanwhile: the answer is recorded and waits for the adapter that can render it.
    if (!channel) return false;
    const deliveries = planReply(
      { turnId: turn.id, channel: turn.route.channel, messageId: turn.message.id, markdown: reply, files },
      channel,
    );
    await store.turns.finish(turn, { outcome, deliveries, ...(error !== undefined && { error }) });
    return true;
  };
  /** Nobody waits for the answer where it was given: whoever sent the errand says where it goes. */
  const endErrand = async (turn: ClaimedTurn, errand: Errand, answered: Answer): Promise<boolean> => {
    const handler = deps.errands(errand.type);
    const { outcome, error } = answered;
    const { deliveries, letters } = (await handler?.end(errand, turn, answered)) ?? { deliveries: [], letters: [] };
    await store.turns.finish(turn, { outcome, deliveries, letters, ...(error !== undefined && { error }) });
    if (letters.length > 0) deps.wakeLanes();
    await handler?.ended?.(errand, turn, answered);
    return true;
  };

  return {
    async receive(origin, message) {
      const accepted = await inbound.receive(origin, message);
      if (accepted.type === "accepted") {
        abortNow(accepted.stopped);
        const { turnId, sessionKey } = accepted;
        if (turnId && sessionKey) {
          taps.said({ adapter: origin.adapter, channelId: message.channelId }, message, { turnId, sessionKey });
        }
        if (turnId) deps.wakeLanes();
      }
      return accepted;
    },
    async stop(sessionKey) {
      const { running: ids, waiting } = await store.turns.requestStop(sessionKey);
      abortNow(ids);
      if (waiting > 0) taps.stopped(sessionKey);
      return ids.length + waiting;
    },
    async runTurn(turn) {
      running.set(turn.id, turn.route.sessionKey);
      try {
        const answered = await answer(turn);
        if (answered === "parked") return await store.turns.release(turn);
        const { errand } = turn.message;
        const isOver = await (errand ? endErrand(turn, errand, answered) : end(turn, answered));
        if (!isOver) return await store.turns.release(turn);
        deps.wakeOutbound();
        deps.onFinished(turn.id);
      } finally {
        running.delete(turn.id);
        stopping.delete(turn.id);
      }
    },
    abandon(turn) {
      const sessionKey = running.get(turn.id);
      if (sessionKey) agent.abort(sessionKey, "parked");
    },
    park() {
      parking = true;
      for (const sessionKey of running.values()) agent.abort(sessionKey, "parked");
    },
  };
}
