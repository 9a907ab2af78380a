/** Everything about a turn that a decision about tools may depend on. Comes from the turn, never from text. */
import type { SessionType } from "../../contracts/session.ts";
import type { ToolScope } from "../../contracts/tool.ts";

export interface PolicyInput {
  sessionType: SessionType;
  agentId: string;
  /** `provider/model` that asks. */
  model: string;
  channel: { adapter: string; adapterType: string; channelId: string };
  sender: { /** The platform's immutable id. */ id: string; isAdmin: boolean };
  sandbox: {
    mode: string;
    /** Can tools be run the way that was asked for? */
    available: true | { reason: string /** No programs are run, but files can be used. */; hasFiles?: boolean };
    /** Do tools run inside something that holds them? */
    isConfined: boolean;
  };
  /** For whom an errand works: what this session may not have, the errand may not have either. */
  principal?: Pick<PolicyInput, "sessionType" | "agentId" | "channel"> & { senderId: string };
  /** What of the allowed tools an errand is given. Absent: all of them. */
  only?: readonly string[];
}

/** A turn as policy sees it. `adapterTypeOf`: of an adapter by its name; undefined where it does not run. */
export function toPolicyInput(
  scope: ToolScope,
  sandbox: PolicyInput["sandbox"],
  adapterTypeOf: (adapter: string) => string | undefined = () => undefined,
): PolicyInput {
  const { session, channel, adapterType, sender, isAdmin, model, principal, only } = scope;
  return {
    sessionType: session.type,
    agentId: session.agentId,
    model,
    channel: { adapter: channel.adapter, adapterType, channelId: channel.channelId },
    sender: { id: sender.id, isAdmin },
    sandbox,
    ...(principal && {
      principal: {
        sessionType: principal.sessionType,
        agentId: principal.agentId,
        channel: { ...principal.channel, adapterType: adapterTypeOf(principal.channel.adapter) ?? adapterType },
        senderId: principal.sender.id,
      },
    }),
    ...(only && { only }),
  };
}

/** The turn that the one an errand works for would have in their own session. Undefined: it is no errand. */
export function toPrincipalInput({ principal, model, sender, sandbox }: PolicyInput): PolicyInput | undefined {
  if (!principal) return undefined;
  const { senderId, ...own } = principal;
  return { ...own, model, sender: { id: senderId, isAdmin: sender.isAdmin }, sandbox };
}
