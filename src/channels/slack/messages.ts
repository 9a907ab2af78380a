/**
 * What people say, one conversation at a time: what was missed first, then what is new; each is converted once and offered
 * until it is taken. The answer says whether Slack may be told that mom has it.
 */
import { createKeyedQueue } from "../../base/keyed-queue.ts";
import type { Offer } from "../kit/offer.ts";
import type { Cursors } from "./cursors.ts";
import { type InboundDeps, readReport, toChannelMessage } from "./inbound.ts";
import { type Press, parsePress, toPressMessage } from "./presses.ts";
import { parseMessage, type WireMessage } from "./wire.ts";

export interface Messages {
  receive(event: unknown): Promise<boolean>;
  receivePress(body: unknown): Promise<boolean>;
  /** Runs `work` when it is the conversation's turn: nothing of it is taken meanwhile. */
  inTurn<T>(channelId: string, work: () => Promise<T>): Promise<T>;
  /** Takes a message; only in the conversation's turn. */
  take(message: WireMessage): Promise<boolean>;
}

export interface MessagesDeps extends InboundDeps {
  offer: Pick<Offer, "offer">;
  cursors: Cursors;
  /** Fetches what was missed in a conversation before something new of it is taken. Never rejects. */
  catchUp(channelId: string): Promise<void>;
  /** The press is on disk: its buttons have done their work. */
  onPressed(press: Press): void;
}

/** Of all conversations. Beyond it Slack keeps what it has, and gives it again. */
const mostWaiting = 5_000;

export function createMessages(deps: MessagesDeps): Messages {
  const { self, people, clock, threads, cursors, offer, catchUp, onPressed } = deps;
  const queue = createKeyedQueue();
  const waiting = new Map<string, Promise<boolean>>();

  /** What comes again while it still waits, or as another kind of event, has the same answer. */
  function once(channelId: string, id: string, work: () => Promise<boolean>): Promise<boolean> {
    const key = `${channelId} ${id}`;
    const same = waiting.get(key);
    if (same) return same;
    if (waiting.size >= mostWaiting) return Promise.resolve(false);
    const answer = queue.run(channelId, work).finally(() => waiting.delete(key));
    waiting.set(key, answer);
    return answer;
  }

  async function take(message: WireMessage): Promise<boolean> {
    const { channelId } = message;
    const report = readReport(message, self);
    if (report.type === "own" || report.type === "nothing") {
      if (report.type === "own") threads.note(message, true);
      cursors.note(channelId, message.ts, message.ts);
      return true;
    }
    if (cursors.has(channelId, report.id)) return true;
    const isTaken = await offer.offer(await toChannelMessage(deps, report));
    if (!isTaken) return false;
    if (report.type === "said") threads.note(message, false);
    cursors.note(channelId, report.id, report.type === "said" ? message.ts : report.at);
    return true;
  }

  return {
    take,
    inTurn: queue.run,
    async receive(event) {
      const message = parseMessage(event);
      if (!message) return true;
      return once(message.channelId, message.ts, async () => {
        await catchUp(message.channelId);
        return take(message);
      });
    },
    async receivePress(body) {
      const press = parsePress(body, self);
      if (!press) return true;
      return once(press.post.channelId, press.id, async () => {
        const isTaken = await offer.offer(await toPressMessage(press, people, clock));
        if (isTaken) onPressed(press);
        return isTaken;
      });
    },
  };
}
