/** What things are called on the screen. */
import type { SessionSummary } from "../src/gateway/protocol/index.ts";

const kinds: Record<SessionSummary["type"], string> = {
  main: "Your own conversation",
  dm: "Direct chat",
  group: "Group",
  topic: "Topic",
  subagent: "Subagent",
  cron: "Scheduled",
};

/** Its label; else what kind of conversation it is, and where. */
export function nameOfSession({ label, type, channel, agentId }: SessionSummary): string {
  if (label !== undefined && label !== "") return label;
  if (type === "main") return agentId === "main" ? kinds.main : `${kinds.main} (${agentId})`;
  const place =
    channel.adapter === "webchat"
      ? channel.channelId.replace(/^api\/[^/]+\//, "")
      : `${channel.adapter} ${channel.channelId}`;
  return `${kinds[type]} · ${place}`;
}

/** A name for a session that is known by its key only: nothing was said in it yet. */
export const nameOfKey = (sessionKey: string, mainSessionKey: string | undefined): string =>
  sessionKey === mainSessionKey ? kinds.main : sessionKey.split(":").slice(1).join(" ");
