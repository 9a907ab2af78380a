/**
 * What is due later. The rows are the truth; this holds one timer for the soonest. A schedule that comes due becomes a
 * letter in the inbox, in the same step in which the schedule ends, so it happens once, also after a crash.
 */
import { ToolError } from "../base/errors.ts";
import { newScheduleId } from "../base/ids.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { Schedule, Scheduler } from "../contracts/schedule.ts";
import type { Letter, Schedules } from "../contracts/store.ts";

export interface RunningScheduler extends Scheduler {
  /** Fires what came due meanwhile and arms the timer. Called again when an adapter has come up. */
  start(): Promise<void>;
  stop(): void;
}

interface SchedulerDeps {
  schedules: Schedules;
  clock: Clock;
  log: Log;
  /** Admission and routing for the message, with the rights of who asked for it. Undefined: the chat's adapter is gone. */
  toLetter(adapter: string, message: ChannelMessage): Promise<Letter | undefined>;
  /** A letter was written. */
  onLetter(): void;
  /** Adapters that run; what is due elsewhere waits for theirs. */
  adapters(): string[];
  /** The chats of this adapter end with the process. */
  isPassing(adapter: string): boolean;
}

const retryMs = 5000;
/** Timers may come a moment early; what is due by then is looked at again this soon. */
const soonMs = 50;
const longestWaitMs = 3600_000;

export function createScheduler({
  schedules,
  clock,
  log,
  toLetter,
  onLetter,
  adapters,
  isPassing,
}: SchedulerDeps): RunningScheduler {
  let cancelTimer = () => {};
  let stopped = true;

  const fire = async (schedule: Schedule) => {
    const letter = await toLetter(schedule.channel.adapter, toMessage(schedule, clock.now()));
    if (letter && (await schedules.fire(schedule.id, letter))) onLetter();
  };
  const arm = async () => {
    const dueAt = await schedules.nextDueAt(adapters());
    cancelTimer();
    if (dueAt === undefined || stopped) return;
    // Never one long sleep: a clock that jumps or a machine that slept is noticed within the hour.
    const waitMs = Math.min(longestWaitMs, Math.max(soonMs, dueAt - clock.now()));
    cancelTimer = clock.after(waitMs, tick);
  };
  const tick = () => {
    run().catch((error: unknown) => {
      log.error("Schedules cannot be read; trying again", { error });
      if (!stopped) cancelTimer = clock.after(retryMs, tick);
    });
  };
  const run = async () => {
    for (const schedule of await schedules.due(clock.now(), adapters())) await fire(schedule);
    await arm();
  };

  return {
    async add(asked) {
      if (asked.dueAt <= clock.now()) {
        throw new ToolError("SCHEDULE_IN_THE_PAST", `${new Date(asked.dueAt).toISOString()} is in the past`, {
          hint: `It is ${new Date(clock.now()).toISOString()} now.`,
        });
      }
      if (isPassing(asked.channel.adapter)) {
        throw new ToolError("CHAT_ENDS", "This chat ends with the command, so nothing can be said here later", {
          hint: "Ask for the reminder in a chat that lasts, such as the terminal (`mom chat`).",
        });
      }
      const schedule = { ...asked, id: newScheduleId(clock.now()), createdAt: clock.now() };
      await schedules.add(schedule);
      await arm();
      return schedule;
    },
    list: (channel) => schedules.list(channel),
    async remove(channel, id) {
      const removed = await schedules.remove(channel, id);
      await arm();
      return removed;
    },
    async start() {
      stopped = false;
      await run();
    },
    stop() {
      stopped = true;
      cancelTimer();
    },
  };
}

/** The id is the schedule's own, so that the inbox takes it once whatever happens. */
function toMessage({ id, channel, text, askedBy, outside }: Schedule, nowMs: number): ChannelMessage {
  return {
    id: `schedule:${id}`,
    channelId: channel.channelId,
    timestamp: new Date(nowMs).toISOString(),
    sender: { ...askedBy, isBot: false },
    text: `[REMINDER] ${text}`,
    attachments: [],
    isMention: true,
    // Whoever starts the turn notes it for the conversation that the text comes into.
    ...(outside !== undefined && { metadata: { outside } }),
  };
}
