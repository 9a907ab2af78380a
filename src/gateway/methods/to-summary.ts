/** Records of the house as the protocol shows them: only what a screen needs, field by field, so that nothing else gets out. */
import { formatRule } from "../../base/format-rule.ts";
import type { Approval } from "../../contracts/approval.ts";
import type { AgentFacts, ChannelRow } from "../../contracts/gateway.ts";
import type { ChannelAttachment, ChannelRef } from "../../contracts/message.ts";
import type { ModelInfo, ProfileStatus, ProviderStatus } from "../../contracts/model.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { Pairing } from "../../contracts/store.ts";
import type { Turn } from "../../contracts/turn.ts";
import { shortenText } from "../history/shorten.ts";
import type {
  AgentSummary,
  ApprovalSummary,
  ChannelStatus,
  FileReference,
  ModelSummary,
  PairingSummary,
  ProviderSummary,
  SessionSummary,
  TurnSummary,
} from "../protocol/index.ts";

/** Those of the named fields that are set. */
export function pick<Source extends object, Key extends keyof Source>(
  source: Source,
  ...keys: Key[]
): Pick<Source, Key> {
  return Object.fromEntries(keys.flatMap((key) => (source[key] === undefined ? [] : [[key, source[key]]]))) as Pick<
    Source,
    Key
  >;
}

export const toChannelRef = ({ adapter, channelId }: ChannelRef): ChannelRef => ({ adapter, channelId });

export const toAgentSummary = (agent: AgentFacts): AgentSummary =>
  pick(agent, "id", "name", "emoji", "model", "mainSessionKey");

export const toSessionSummary = (session: SessionEntry, isRunning: boolean): SessionSummary => ({
  ...pick(session, "sessionKey", "sessionId", "type", "agentId", "label", "model", "chosenModel", "thinkingLevel"),
  ...pick(session, "queueMode", "isQuiet", "createdAt", "updatedAt", "inputTokens", "outputTokens", "totalTokens"),
  cost: session.cost,
  channel: toChannelRef(session.channel),
  lastChannel: toChannelRef(session.lastChannel),
  isRunning,
});

export const toTurnSummary = (turn: Turn): TurnSummary => ({
  turnId: turn.id,
  sessionKey: turn.route.sessionKey,
  ...pick(turn, "state", "kind", "createdAt", "error"),
  text: shortenText(turn.message.text),
  sender: turn.message.sender.displayName ?? turn.message.sender.username,
});

/** The environment that a call would run with is no screen's business. */
export const toApprovalSummary = (approval: Approval): ApprovalSummary => ({
  ...pick(approval, "id", "turnId", "sessionKey", "agentId", "sender", "reason", "state", "createdAt", "expiresAt"),
  channel: toChannelRef(approval.channel),
  tool: approval.subject.tool,
  text: approval.subject.text,
  cwd: approval.subject.exact.cwd,
  rules: approval.rules.map(formatRule),
});

export const toChannelStatus = (row: ChannelRow): ChannelStatus => ({
  ...pick(row, "name", "type", "label", "state", "account", "detail", "fix", "reconnects", "lastInboundAt"),
  ...pick(row, "lastOutboundAt", "lagMs", "access"),
});

export const toPairingSummary = (pairing: Pairing): PairingSummary => ({
  ...pick(pairing, "adapter", "senderId", "username", "channelId", "state", "code", "createdAt", "expiresAt"),
  ...pick(pairing, "approvedAt", "approvedBy"),
});

export const toFileReference = (file: ChannelAttachment): FileReference => ({
  ...pick(file, "filename", "mimeType", "size"),
  path: file.localPath,
});

export const toModelSummary = (model: ModelInfo): ModelSummary => ({
  ...pick(model, "ref", "provider", "id", "contextWindow", "maxOutputTokens", "input", "reasoning"),
  price: pick(model.price, "input", "output", "cacheRead", "cacheWrite"),
});

export const toProviderSummary = (provider: ProviderStatus): ProviderSummary => ({
  ...pick(provider, "name", "usable", "missing"),
  profiles: provider.profiles.map(toProfile),
});

const toProfile = (profile: ProfileStatus): ProviderSummary["profiles"][number] => ({
  ...pick(profile, "id", "type", "from", "state", "until", "reason", "lastUsed"),
  coolingModels: profile.coolingModels.map((cooling) => pick(cooling, "model", "until")),
});
