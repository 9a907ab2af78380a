/**
 * What comes of a beat's answer: nothing to say, said before, or posted, with a line for the conversation so that mom knows there what
 * she has said. The judgement only reads; what is noted afterwards can be told from the rows again after a crash.
 */
import { createHash } from "node:crypto";
import { deliveryIdOf } from "../../base/ids.ts";
import type { Errand, Principal } from "../../contracts/errand.ts";
import type { ErrandResult } from "../../contracts/errand-ports.ts";
import type { HeartbeatConfig } from "../../contracts/heartbeat.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { Letter, NewDelivery } from "../../contracts/store.ts";
import type { ClaimedTurn, Turn } from "../../contracts/turn.ts";
import type { BeatRecords } from "./beat-records.ts";
import { heardMark, toOneLine } from "./build-beat.ts";
import { findPrincipal } from "./decide-beat.ts";
import { findAgent, type HeartbeatAgent, type HeartbeatDeps } from "./heartbeat-deps.ts";
import { parseReply } from "./parse-reply.ts";

export type BeatEnd =
  | { status: "ok-empty" | "ok-token" }
  | { status: "skipped" | "failed"; reason: string }
  | { status: "sent"; channel: ChannelRef; preview: string; hash: string };

export interface Judgement {
  end: BeatEnd;
  deliveries: NewDelivery[];
  letters: Letter[];
}

/** The same text is not said again for so long. */
const repeatMs = 24 * 3600_000;
const maxPreviewChars = 200;
const maxReasonChars = 300;
const maxHeardChars = 2000;
const maxReasoningChars = 1500;
/** Turns among which somebody's last word in a chat is looked for. */
const mostTurns = 50;
const mostEntries = 100;

const silently = (end: BeatEnd): Judgement => ({ end, deliveries: [], letters: [] });

export async function judgeBeat(
  deps: HeartbeatDeps,
  records: BeatRecords,
  errand: Errand,
  turn: ClaimedTurn,
  result: ErrandResult,
): Promise<Judgement> {
  const agent = findAgent(deps, errand.id);
  if (result.outcome === "stopped") return silently({ status: "skipped", reason: "stopped" });
  if (result.outcome === "failed") {
    return silently({ status: "failed", reason: toOneLine(result.error || result.reply || "unknown", maxReasonChars) });
  }
  if (!agent || agent.config.enabled === false) return silently({ status: "skipped", reason: "disabled" });
  const reply = parseReply(result.reply, agent.config.ackMaxChars);
  if (reply.type !== "text") return silently({ status: reply.type });
  const hash = hashOf(reply.text);
  if (await isRepeated(deps, records, agent.id, turn, hash)) {
    return silently({ status: "skipped", reason: "duplicate" });
  }
  return say(deps, agent, turn, reply.text, hash);
}

/** Spaces and line breaks do not make another text. */
const hashOf = (text: string) =>
  createHash("sha256").update(text.replace(/\s+/g, " ").trim()).digest("hex").slice(0, hashLength);
const hashLength = 16;

/** A turn does not repeat itself, though it may be judged twice. What never arrived has not been said. */
async function isRepeated(deps: HeartbeatDeps, records: BeatRecords, agentId: string, turn: Turn, hash: string) {
  const now = deps.clock.now();
  const alike = (await records.listSaid(agentId)).filter(
    (said) => said.hash === hash && said.turnId !== turn.id && Math.abs(now - said.ts) < repeatMs,
  );
  for (const { turnId } of alike) {
    if ((await deps.outbox.list({ turnId, states: ["failed"], limit: 1 })).length === 0) return true;
  }
  return false;
}

async function say(
  deps: HeartbeatDeps,
  agent: HeartbeatAgent,
  turn: ClaimedTurn,
  text: string,
  hash: string,
): Promise<Judgement> {
  const { ports } = deps;
  // As things are now: the owner may have gone elsewhere, or lost the chat, while the beat ran.
  const principal = await findPrincipal(deps, agent);
  const channel = principal && (await findTarget(deps, agent.config, principal));
  const markdown = agent.config.includeReasoning ? await withReasoning(deps, turn, text) : text;
  const posts = channel ? ports.planPosts(channel, markdown, turn.id, turn.id) : [];
  if (!principal || !channel || posts.length === 0) return silently({ status: "failed", reason: "no-chat" });
  return {
    end: { status: "sent", channel, preview: toOneLine(text, maxPreviewChars), hash },
    // The id says what was said, should a crash come before that is noted.
    deliveries: posts.map((post, n) => ({ ...post, id: deliveryIdOf(`${turn.id}.${hash}`, n) })),
    letters: await buildHeard(deps, principal, channel, turn, text),
  };
}

async function findTarget({ ports, sessions }: HeartbeatDeps, { target }: HeartbeatConfig, principal: Principal) {
  const own = target === "main" ? (await sessions.get(principal.sessionKey))?.channel : undefined;
  return [own, principal.channel].find((channel) => channel !== undefined && ports.isRunning(channel.adapter));
}

/** Costs no model call: the conversation reads it with its next turn in that chat. */
async function buildHeard(
  deps: HeartbeatDeps,
  principal: Principal,
  channel: ChannelRef,
  turn: ClaimedTurn,
  text: string,
): Promise<Letter[]> {
  const sender =
    channel.adapter === principal.channel.adapter ? principal.sender : await findSpeaker(deps, principal, channel);
  if (!sender) return [];
  const outside = (await deps.outsideOf(turn.route.sessionKey)) ?? outsideIn(turn);
  const said = text.length > maxHeardChars ? `${text.slice(0, maxHeardChars).toWellFormed()}…` : text;
  const letter = await deps.ports.toChatLetter(
    { channel, sender },
    {
      id: turn.message.id,
      text: `${heardMark}(you said here by yourself) ${said}`,
      isHeard: true,
      ...(outside !== undefined && { outside }),
    },
  );
  return letter?.verdict.type === "heard" ? [letter] : [];
}

/** What the beat was given; its session knows of more, but may be gone. */
function outsideIn({ message: { metadata } }: Pick<Turn, "message">): string | undefined {
  const outside = metadata?.["outside"];
  return typeof outside === "string" ? outside : undefined;
}

/** Who spoke to that session in that chat last. */
async function findSpeaker({ turns }: HeartbeatDeps, { sessionKey }: Principal, { adapter, channelId }: ChannelRef) {
  const recent = await turns.list({ sessionKey, limit: mostTurns });
  const found = recent.findLast(
    ({ route }) => route.channel.adapter === adapter && route.channel.channelId === channelId,
  );
  return found && { id: found.message.sender.id, username: found.message.sender.username };
}

/** What the model thought before its last answer, as a quote above it. */
async function withReasoning({ transcripts }: HeartbeatDeps, turn: Turn, text: string): Promise<string> {
  const { entries } = await transcripts.context(turn.route.sessionKey, mostEntries);
  const answer = entries.findLast((entry) => entry.type === "message" && entry.message.role === "assistant");
  if (answer?.type !== "message" || answer.message.role !== "assistant") return text;
  const thoughts = answer.message.content.flatMap((block) => (block.type === "thinking" ? block.thinking.trim() : []));
  const shown = thoughts.filter((each) => each !== "").join("\n\n");
  if (shown === "") return text;
  const cut = shown.length > maxReasoningChars ? `${shown.slice(0, maxReasoningChars).toWellFormed()}…` : shown;
  return `${cut.replace(/^/gm, "> ")}\n\n${text}`;
}

/** The same, from what the rows say of a turn that is over: for the time after a crash that came before it was noted. */
export async function readBeatEnd({ outbox }: Pick<HeartbeatDeps, "outbox">, turn: Turn): Promise<BeatEnd> {
  const [post] = await outbox.list({ turnId: turn.id, limit: 1 });
  const hash = post?.id.split(".").at(-2);
  if (post && hash?.length === hashLength) {
    const text = post.body.type === "text" ? post.body.text : "";
    return { status: "sent", channel: post.channel, preview: toOneLine(text, maxPreviewChars), hash };
  }
  if (turn.state === "stopped") return { status: "skipped", reason: "stopped" };
  if (turn.state === "failed") return { status: "failed", reason: toOneLine(turn.error ?? "unknown", maxReasonChars) };
  // Whether it was the token or a text that had been said before is not in the rows; nobody was told anything either way.
  return { status: "ok-token" };
}
