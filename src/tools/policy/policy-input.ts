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
}

/** A turn as policy sees it. */
export function toPolicyInput(scope: ToolScope, sandbox: PolicyInput["sandbox"]): PolicyInput {
  const { session, channel, adapterType, sender, isAdmin, model } = scope;
  return {
    sessionType: session.type,
    agentId: session.agentId,
    model,
    channel: { adapter: channel.adapter, adapterType, channelId: channel.channelId },
    sender: { id: sender.id, isAdmin },
    sandbox,
  };
}
