/** As whom a turn reads memory. By the type of the session, which the house decides: who is not the owner reads as the chat. */
import type { MemoryReader } from "../../contracts/memory.ts";
import type { ToolScope } from "../../contracts/tool.ts";

/** An errand reads what the one it works for could read in their own session. */
export function toMemoryReader({
  session,
  channel,
  principal,
}: Pick<ToolScope, "session" | "channel" | "principal">): MemoryReader {
  const { agentId } = session;
  // A word from the owner's session into a chat of others is answered there: they would read it too.
  if (["dm", "group", "topic"].includes(session.type)) return { agentId, type: "chat", channel };
  const type = principal?.sessionType ?? session.type;
  const isSameAgent = principal === undefined || principal.agentId === agentId;
  if (type === "main" && isSameAgent) return { agentId, type: "owner" };
  return { agentId, type: "chat", channel: principal?.channel ?? channel };
}
