/**
 * A word from one session to the agent of another, and the way back. The errand runs in the other session with the rights of
 * who sent it; what is answered there comes back as an errand in the sender's session, and what that one says goes to its chat.
 * Each word has one less to follow it, so no two agents talk for ever.
 */
import type { Errand } from "../../contracts/errand.ts";
import type { ErrandHandler, ErrandResult } from "../../contracts/errand-ports.ts";
import type { DeliveryId } from "../../contracts/ids.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { Letter, NewDelivery } from "../../contracts/store.ts";
import type { ClaimedTurn } from "../../contracts/turn.ts";
import { cleanText, toOneLine } from "../context/clean-text.ts";
import { isSilent } from "../turn-outcome.ts";
import type { SubagentDeps } from "./subagent-deps.ts";

/** `word`: said to this session by another. `answer`: what came back to the one that sent it. */
export type RelayKind = "word" | "answer";

const maxAnswerChars = 12_000;
/** Where the platform that would cut it cannot be asked. */
const maxPlainChars = 1900;

export const relayIdOf = (id: string): string => `relay:${id}`;

export function createRelay(deps: Pick<SubagentDeps, "ports" | "sessions" | "taintOf">): ErrandHandler {
  const { ports, sessions } = deps;
  const answer = async (errand: Errand, turn: ClaimedTurn, result: ErrandResult): Promise<Letter[]> => {
    const { relay } = errand;
    const from = relay && (await sessions.get(relay.from));
    if (!relay || !from || isNothing(result)) return [];
    const here = await sessions.get(turn.route.sessionKey);
    const outside = here && (await deps.taintOf(here, true));
    const back: Errand = {
      type: "relay",
      id: errand.id,
      principal: errand.principal,
      relay: { from: turn.route.sessionKey, turnsLeft: Math.max(0, relay.turnsLeft - 1) },
      data: { kind: "answer" satisfies RelayKind },
    };
    return [
      ports.toErrandLetter(back, {
        messageId: `${relayIdOf(errand.id)}:answer`,
        text: formatAnswer(turn, here, result),
        session: { existing: from },
        ...(outside !== undefined && { outside }),
      }),
    ];
  };
  const say = ({ id, principal }: Errand, turn: ClaimedTurn, result: ErrandResult): NewDelivery[] => {
    if (isNothing(result) || result.outcome === "stopped") return [];
    const { channel } = principal;
    if (ports.isRunning(channel.adapter)) return ports.planPosts(channel, result.reply, relayIdOf(id), turn.id);
    // Its platform is away: plain and short, it waits for that in the outbox.
    const text = cleanText(result.reply.trim().slice(0, maxPlainChars));
    return [{ id: `${turn.id}.0` as DeliveryId, channel, turnId: turn.id, body: { type: "text", text } }];
  };
  return {
    async end(errand, turn, result) {
      if (kindOf(errand) === "word") return { deliveries: [], letters: await answer(errand, turn, result) };
      return { deliveries: say(errand, turn, result), letters: [] };
    },
  };
}

const kindOf = ({ data }: Errand): RelayKind =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === "answer" ? "answer" : "word";

/** Silence is an answer that nobody needs to hear. */
const isNothing = ({ outcome, reply }: ErrandResult): boolean =>
  outcome === "done" && (reply.trim() === "" || isSilent(reply));

function formatAnswer(turn: ClaimedTurn, here: SessionEntry | undefined, { outcome, reply }: ErrandResult): string {
  const name = here?.label === undefined ? "" : ` (${toOneLine(here.label, 60).replace(/[[\]]/g, " ")})`;
  const how = outcome === "done" ? "answers" : outcome === "failed" ? "failed" : "was stopped";
  const text = cleanText(reply).trim();
  const cut = text.length <= maxAnswerChars ? text : `${cleanText(text.slice(0, maxAnswerChars))}\n(… cut)`;
  return [
    `[SESSION ${turn.route.sessionKey}${name} ${how}] ${cut}`.trim(),
    "(What you say now goes to the user. [SILENT] if they need not hear of it.)",
  ].join("\n\n");
}
