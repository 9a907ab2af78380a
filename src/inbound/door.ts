/**
 * The door: the decision of admit.ts with what must be looked up for it, the guard against bots that answer each other, and
 * the words that tell a stranger their pairing code. Asked by receive.ts for every message.
 */
import type { Clock } from "../contracts/clock.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { Accepted, PairingOffer, Pairings, Verdict } from "../contracts/store.ts";
import { admit } from "./admit.ts";
import { botTurnsWithinMs, createBotGuard, mostBotTurns } from "./bot-guard.ts";
import type { Origin } from "./origin.ts";

export interface Door {
  ask(origin: Origin, message: ChannelMessage): Promise<{ type: "admitted" } | Exclude<Verdict, { type: "turn" }>>;
  /** What became of it, once it is on disk. */
  note(origin: Origin, message: ChannelMessage, accepted: Accepted): void;
}

export function createDoor({ pairings, clock }: { pairings: Pick<Pairings, "isApproved">; clock: Clock }): Door {
  const guard = createBotGuard({ clock });
  const isPaired = async ({ adapter, chat }: Origin, { sender }: ChannelMessage): Promise<boolean> => {
    const mayCount = (chat === "dm" || chat === "unknown") && !sender.isBot;
    return mayCount && (await pairings.isApproved(adapter, sender.id));
  };
  return {
    async ask(origin, message) {
      const admission = admit(message, origin, { isPaired: await isPaired(origin, message) });
      if (admission.type === "refused") {
        const { reason, mayPair } = admission;
        return { type: "refused", reason, ...(mayPair && { pairing: buildOffer(origin) }) };
      }
      const isTired = message.sender.isBot && guard.isTired(toChat(origin, message));
      return admission.type === "admitted" && isTired ? { type: "refused", reason: tiredReason } : admission;
    },
    note(origin, message, accepted) {
      if (accepted.type === "duplicate" || message.change) return;
      const chat = toChat(origin, message);
      if (!message.sender.isBot) guard.notePerson(chat);
      else if (accepted.turnId !== undefined) guard.noteBot(chat);
    },
  };
}

const toChat = ({ adapter }: Origin, { channelId }: ChannelMessage) => `${adapter} ${channelId}`;

const tiredReason = `bots have had ${mostBotTurns} turns here within ${botTurnsWithinMs / 60_000} minutes and no person has said anything; they are answered again when somebody does, or later`;

const buildOffer = ({ render }: Origin): PairingOffer => ({
  toText: (code) =>
    render(
      `Hello! I do not know you yet, so I may not answer you. Your code is \`${code}\`: give it to whoever looks after me, within an hour, and write again once they have approved it.\n\nFor them: \`mom pair approve ${code}\``,
    ).join("\n\n"),
});
