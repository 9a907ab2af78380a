/** On whose behalf a turn's tools run: who spoke, or, where nobody did, the one that an errand works for. */
import type { TurnContext } from "../contracts/agent.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { SessionType } from "../contracts/session.ts";
import type { ToolScope } from "../contracts/tool.ts";
import type { Surroundings } from "./agent-deps.ts";

/** `model`: `provider/model` that asks. */
export function buildScope(
  surroundings: Pick<Surroundings, "adapter">,
  { message, context, model }: { message: ChannelMessage; context: TurnContext; model: string },
): ToolScope {
  const { turn, session } = context;
  const { errand } = message;
  // A word from another session is heard where that session lives; errands, and sessions of theirs, have no chat of their own.
  const isInChat = !errand || (errand.type === "relay" && session.type !== "cron" && session.type !== "subagent");
  const channel = isInChat ? turn.route.channel : errand.principal.channel;
  const sender = errand ? { ...errand.principal.sender, isBot: false } : message.sender;
  const speaksIn = surroundings.adapter(context.adapter);
  return {
    session,
    turnId: turn.id,
    channel,
    adapterType: surroundings.adapter(channel.adapter).type,
    sender,
    isAdmin: speaksIn.owners.includes(sender.id),
    model,
    ...(errand && { principal: errand.principal }),
    ...(errand?.tools && { only: errand.tools }),
  };
}

/** The kind of session whose files may be shown: an errand sees no more than the one it works for. */
export function pickFileType({ session, principal }: Pick<ToolScope, "session" | "principal">): SessionType {
  return principal && session.type === "cron" && principal.sessionType !== "main"
    ? principal.sessionType
    : session.type;
}
