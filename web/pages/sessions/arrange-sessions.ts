/** Which sessions the list shows, and in what order. */
import type { SessionSummary } from "../../../src/gateway/protocol/index.ts";
import { nameOfSession } from "../../names.ts";

export const sortKeys = ["activity", "name", "tokens", "cost", "created"] as const;
export type SortKey = (typeof sortKeys)[number];
export interface SessionView {
  search: string;
  /** Empty: all. */
  type: string;
  agentId: string;
  sort: SortKey;
  isAscending: boolean;
}

/** `slack · C012AB3CD` */
export const formatPlace = ({ adapter, channelId }: SessionSummary["channel"]): string => `${adapter} · ${channelId}`;

/** What its name leaves out: what it is, and where or which. */
export function describeSession(session: SessionSummary): string {
  const { type, channel, sessionKey } = session;
  if (type === "cron" || type === "subagent") return `${type} ${sessionKey.split(":").at(-1) ?? ""}`;
  return nameOfSession(session).includes(channel.channelId) ? type : `${type} on ${formatPlace(channel)}`;
}

export function arrangeSessions(sessions: readonly SessionSummary[], view: SessionView): SessionSummary[] {
  const words = view.search.toLowerCase().split(/\s+/).filter(Boolean);
  const kept = sessions.filter(
    (session) =>
      (view.type === "" || session.type === view.type) &&
      (view.agentId === "" || session.agentId === view.agentId) &&
      words.every((word) => searchText(session).includes(word)),
  );
  const sign = view.isAscending ? 1 : -1;
  // `sort` is stable: equal ones stay newest first, as they came.
  return kept.sort((one, other) => sign * compare(one, other, view.sort));
}

const searchText = (session: SessionSummary): string =>
  [
    nameOfSession(session),
    session.sessionKey,
    session.type,
    session.agentId,
    session.model ?? "",
    formatPlace(session.channel),
    formatPlace(session.lastChannel),
  ]
    .join("\n")
    .toLowerCase();

function compare(one: SessionSummary, other: SessionSummary, by: SortKey): number {
  switch (by) {
    case "activity":
      return one.updatedAt - other.updatedAt;
    case "created":
      return one.createdAt - other.createdAt;
    case "tokens":
      return one.totalTokens - other.totalTokens;
    case "cost":
      return one.cost - other.cost;
    case "name":
      return nameOfSession(one).localeCompare(nameOfSession(other), undefined, { numeric: true });
  }
}
