/** One conversation while it is on the screen: loaded, followed, spoken in. */
import { effect, type ReadonlySignal, signal } from "@preact/signals";
import {
  type FileReference,
  GatewayFault,
  type Result,
  type SessionSummary,
} from "../../src/gateway/protocol/index.ts";
import { call, describeError, followSession, generation, newKey, onEvent, snapshot, state } from "../connection.ts";
import { applyEvents, type ChatEvent } from "./apply-event.ts";
import { createFrameQueue, type FrameQueue } from "./frame-queue.ts";
import { addSending, dropSending, markAgain, markFailed, markSent } from "./sending.ts";
import { emptyTimeline, fromHistory, type Timeline, withImages, withoutSent, withSending } from "./timeline.ts";

export interface Chat {
  readonly sessionKey: string;
  readonly timeline: ReadonlySignal<Timeline>;
  /** Undefined: nothing was ever said in it, or it is not loaded. */
  readonly session: ReadonlySignal<SessionSummary | undefined>;
  readonly loading: ReadonlySignal<{ type: "loading" } | { type: "ready" } | { type: "failed"; error: unknown }>;
  /** Begins to follow; the result ends it. */
  open(): () => void;
  reload(): Promise<void>;
  loadEarlier(): Promise<void>;
  send(text: string, uploads: readonly Uploaded[]): Promise<void>;
  sendAgain(key: string): Promise<void>;
  discard(key: string): void;
  /** How many turns it ended. */
  stop(): Promise<number>;
}

export interface Uploaded {
  uploadId: string;
  file: FileReference;
}

const firstLimit = 100;
const mostLimit = 500;
const mostTries = 4;

export function createChat(sessionKey: string): Chat {
  const timeline = signal<Timeline>(emptyTimeline);
  const session = signal<SessionSummary | undefined>(undefined);
  const loading = signal<Chat["loading"]["value"]>({ type: "loading" });
  const outgoing = new Map<string, { text: string; uploads: readonly Uploaded[] }>();
  let limit = firstLimit;
  let newest = 0;

  const queue = createFrameQueue<ChatEvent>((events) => {
    timeline.value = applyEvents(timeline.peek(), events, sessionKey);
    if (events.some(({ event }) => event === "chat.end")) lookSoon();
  });
  const where = () => (sessionKey === snapshot.peek()?.mainSessionKey ? {} : { sessionKey });

  async function reload(): Promise<void> {
    const own = ++newest;
    queue.hold();
    try {
      const history = await call("chat.history", { ...where(), limit });
      if (own !== newest) return;
      const isOther = session.peek() !== undefined && history.session?.sessionId !== session.peek()?.sessionId;
      const before = isOther ? withoutSent(timeline.peek()) : timeline.peek();
      timeline.value = withSending(fromHistory(history), before, Date.now());
      session.value = history.session;
      loading.value = { type: "ready" };
    } catch (error) {
      if (own === newest && loading.peek().type !== "ready") loading.value = { type: "failed", error };
    } finally {
      if (own === newest) queue.release();
    }
  }

  let looking: number | undefined;
  /** The end of a turn is told in several ways at once. */
  const lookSoon = () => {
    clearTimeout(looking);
    looking = setTimeout(() => void lookAgain(), 200);
  };

  /** After a turn: tokens and model of the session, and the pictures that events do not carry. */
  async function lookAgain(): Promise<void> {
    const { hasUnseenImages } = timeline.peek();
    const history = await call("chat.history", { ...where(), limit: hasUnseenImages ? 60 : 1 }).catch(() => undefined);
    if (!history) return;
    const isOther = session.peek() !== undefined && history.session?.sessionId !== session.peek()?.sessionId;
    if (isOther) return reload();
    session.value = history.session;
    if (hasUnseenImages) timeline.value = withImages(timeline.peek(), history.items);
  }

  async function deliver(key: string): Promise<void> {
    const said = outgoing.get(key);
    if (!said) return;
    try {
      const answer = await sendSafely({
        ...where(),
        ...(said.text !== "" && { message: said.text }),
        ...(said.uploads.length > 0 && { uploads: said.uploads.map(({ uploadId }) => uploadId) }),
        idempotencyKey: key,
      });
      outgoing.delete(key);
      timeline.value = markSent(timeline.peek(), key, answer);
    } catch (error) {
      timeline.value = markFailed(timeline.peek(), key, describeError(error));
    }
  }

  return {
    sessionKey,
    timeline,
    session,
    loading,
    reload,
    loadEarlier: () => {
      limit = mostLimit;
      return reload();
    },
    open: () => {
      const ends = follow(sessionKey, queue, lookSoon);
      let loadedAt = -1;
      ends.push(
        // At first, after lost events, and when a connection came back before anything could be loaded.
        effect(() => {
          const at = generation.value;
          if (state.value.type !== "ready" || (at === loadedAt && loading.peek().type === "ready")) return;
          loadedAt = at;
          void reload();
        }),
      );
      return () => {
        for (const end of ends) end();
        queue.clear();
        clearTimeout(looking);
        newest += 1;
      };
    },
    send: (text, uploads) => {
      const key = newKey();
      outgoing.set(key, { text, uploads });
      const attachments = uploads.map(({ file }) => file);
      timeline.value = addSending(timeline.peek(), { key, text, at: Date.now(), attachments });
      return deliver(key);
    },
    sendAgain: (key) => {
      timeline.value = markAgain(timeline.peek(), key);
      return deliver(key);
    },
    discard: (key) => {
      outgoing.delete(key);
      timeline.value = dropSending(timeline.peek(), key);
    },
    stop: async () => (await call("chat.abort", where())).stopped,
  };
}

function follow(sessionKey: string, queue: FrameQueue<ChatEvent>, onChanged: () => void): (() => void)[] {
  const names = ["chat.message", "agent", "chat.post", "chat.edit", "chat.end"] as const;
  const own = names.map((name) =>
    onEvent(name, (payload, { id, at, sessionKey: of }) => {
      // The pair of name and payload is one of the union's; TypeScript does not follow it through the variable.
      if (of === sessionKey) queue.push({ id, at, event: name, payload } as ChatEvent);
    }),
  );
  return [
    followSession(sessionKey),
    ...own,
    onEvent("approval.requested", (payload, { id, at }) =>
      queue.push({ id, at, event: "approval.requested", payload }),
    ),
    onEvent("approval.resolved", (payload, { id, at }) => queue.push({ id, at, event: "approval.resolved", payload })),
    onEvent("session.changed", (payload) => {
      if (payload.sessionKey === sessionKey) onChanged();
    }),
  ];
}

type SendParams = Parameters<typeof call<"chat.send">>[1];

/** A dropped connection says nothing about the message: the same key is sent again and counts once. */
async function sendSafely(params: SendParams): Promise<Result<"chat.send">> {
  for (let tries = 1; ; tries++) {
    try {
      return await call("chat.send", params);
    } catch (error) {
      const mayTry = error instanceof GatewayFault && error.retryable && tries < mostTries;
      if (!mayTry) throw error;
      await new Promise((resolve) => setTimeout(resolve, error.retryAfterMs ?? 500 * tries));
    }
  }
}
