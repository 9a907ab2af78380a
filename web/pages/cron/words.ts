/** Jobs, runs and heartbeats in words. */
import type {
  CronJobSummary,
  CronRunSummary,
  HeartbeatEventSummary,
  HeartbeatStateSummary,
} from "../../../src/gateway/protocol/index.ts";

/** Of a badge. */
type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

export interface Word {
  text: string;
  tone: Tone;
}

/** How a job stands. */
export function describeState({ enabled, state }: CronJobSummary): Word {
  if (state.runningAtMs !== undefined) return { text: "Running", tone: "accent" };
  if (!enabled) return { text: "Paused", tone: "neutral" };
  const { failures = 0, lastStatus, nextRunAtMs } = state;
  if (failures > 1) return { text: `Failed ${failures} times`, tone: "bad" };
  if (lastStatus === "error") return { text: "Failed", tone: "bad" };
  if (nextRunAtMs === undefined) return { text: "Over", tone: "neutral" };
  return { text: "On", tone: "good" };
}

export function describeRun({ state, status, turnId }: CronRunSummary): Word {
  if (state === "missed") return { text: "Missed", tone: "bad" };
  if (state === "skipped") return { text: "Skipped", tone: "warn" };
  if (status === "error") return { text: "Failed", tone: "bad" };
  if (status === "ok") return { text: "Done", tone: "good" };
  return { text: turnId === undefined ? "Ran" : "Started", tone: "neutral" };
}

/** What a job does, one line. */
export const describeDeed = ({ payload }: CronJobSummary): string =>
  payload.kind === "systemEvent" ? payload.text : payload.message;

/** A chat for people; the owner's own is not called by its name. */
export const describePlace = ({ adapter, channelId }: CronJobSummary["home"]["channel"]): string =>
  adapter === "webchat" && channelId === "main" ? "your own web chat" : `${adapter} ${channelId}`;

/** Where what a job has to say goes. */
export function describeDelivery({ payload, home, wakeMode }: CronJobSummary): string {
  const own = describePlace(home.channel);
  if (payload.kind === "systemEvent") {
    return wakeMode === "now" ? `Said in ${own}, at once` : `Said in ${own}, with the next heartbeat or turn`;
  }
  if (payload.deliver !== true) return `Only told to the conversation in ${own}`;
  if (payload.channel === undefined) return `Posted in ${own}`;
  if (payload.channel === "last") return "Posted where you last spoke";
  return `Posted in ${payload.channel}${payload.to === undefined ? "" : ` ${payload.to}`}`;
}

const skips: Record<string, string> = {
  disabled: "It is switched off in the config.",
  "quiet-hours": "It is outside the active hours.",
  "requests-in-flight": "A conversation was going on.",
  "empty-heartbeat-file": "HEARTBEAT.md has nothing in it, so no model was asked.",
  "over-budget": "The budget is used up.",
  "no-chat": "There is no chat to say anything in.",
  duplicate: "It would have said the same as before.",
};

export const describeReason = (reason: string): string => skips[reason] ?? reason;

const beats: Record<HeartbeatEventSummary["status"], Word> = {
  sent: { text: "Said something", tone: "accent" },
  "ok-empty": { text: "Nothing to say", tone: "good" },
  "ok-token": { text: "Nothing to say", tone: "good" },
  skipped: { text: "Skipped", tone: "neutral" },
  failed: { text: "Failed", tone: "bad" },
};

export function describeBeat({ isEnabled, last }: HeartbeatStateSummary): Word {
  if (last) return beats[last.status];
  return isEnabled ? { text: "Not yet", tone: "neutral" } : { text: "Off", tone: "neutral" };
}
