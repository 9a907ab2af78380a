/** What the prompt of a session says of how mom is woken by herself: event files where it can write some, the heartbeat of the owner's. */
import { join } from "node:path";
import type { ToolPlace } from "../agent/index.ts";
import { eventsDoc, pickHeartbeat } from "../automation/index.ts";
import type { buildLayout } from "../store/index.ts";
import type { MomConfig } from "./config-schema.ts";

interface DoingsDeps {
  layout: Pick<ReturnType<typeof buildLayout>, "channelFolder">;
  config: MomConfig;
  /** Of mom's machine: asking the system for it takes longer than all the rest. */
  timezone: string;
  toToolPath(scope: ToolPlace, path: string): string;
}

export function describeDoings(
  { layout, config, timezone, toToolPath }: DoingsDeps,
  scope: ToolPlace,
): { eventsDoc?: string; heartbeatPrompt?: string } {
  const { session, channel } = scope;
  if (session.type === "subagent" || session.type === "cron") return {};
  const isOwner = session.type === "main";
  const heartbeat = pickHeartbeat(config.heartbeat, config.agents[session.agentId]?.heartbeat);
  const folder = isOwner ? "events" : toToolPath(scope, join(layout.channelFolder(channel), "events"));
  return {
    ...(config.events.enabled && {
      eventsDoc: eventsDoc({
        folder,
        chat: `${channel.adapter}/${channel.channelId}`,
        isOwner,
        timezone,
      }),
    }),
    ...(isOwner && heartbeat.enabled !== false && { heartbeatPrompt: heartbeat.prompt }),
  };
}
