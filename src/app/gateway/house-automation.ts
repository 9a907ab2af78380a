/** Jobs, heartbeats, subagents and memory as the gateway shows them, and how it is told of what jobs do. */
import { AgentError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { CronJob, CronSchedule, CronService } from "../../contracts/cron.ts";
import type { ErrandHandler } from "../../contracts/errand-ports.ts";
import type { GatewayHouse, GatewayWatch, HouseCron, HouseHeartbeat, HouseSubagents } from "../../contracts/gateway.ts";
import type { SessionKey, TurnId } from "../../contracts/ids.ts";
import type { Memory } from "../../contracts/memory.ts";
import type { ModelProvider } from "../../contracts/model.ts";
import type { DueHandler } from "../../contracts/schedule.ts";
import type { Subagents } from "../../contracts/subagent.ts";
import type { OperatorPlace } from "./house-talk.ts";

/** Each absent where the app has no such room. */
export interface AutomationRooms {
  cron?: {
    service: CronService;
    /** Times of a schedule from `fromMs` up to `toMs`, at most `limit`. */
    listTimes(schedule: CronSchedule, fromMs: number, toMs: number, limit: number, createdAtMs: number): number[];
    /** Throws a coded error for one that cannot be used. */
    checkSchedule(schedule: CronSchedule, nowMs: number): void;
  };
  heartbeat?: { status: HouseHeartbeat["status"]; wake: HouseHeartbeat["beat"] };
  subagents?: Subagents;
  memory?: Pick<Memory, "search" | "get" | "index" | "status">;
}

interface AutomationParts {
  clock: Clock;
  models: Pick<ModelProvider, "resolve">;
  mainSessionKey: GatewayHouse["mainSessionKey"];
  onMemory: GatewayWatch["memoryChanged"];
  standIn(by: { sessionKey: SessionKey; isAdmin: boolean }): Promise<OperatorPlace | undefined>;
}

type HouseMemory = NonNullable<GatewayHouse["memory"]>;
type HouseAutomation = Pick<GatewayHouse, "cron" | "heartbeat" | "subagents" | "memory">;

/** Further ahead nobody looks for the next times. */
const horizonMs = 10 * 366 * 24 * 3_600_000;

export function buildHouseAutomation(rooms: AutomationRooms, parts: AutomationParts): HouseAutomation {
  const { cron, heartbeat, subagents, memory } = rooms;
  return {
    ...(cron && { cron: buildCron(cron, parts) }),
    ...(heartbeat && { heartbeat: { status: heartbeat.status, beat: heartbeat.wake } }),
    ...(subagents && { subagents: buildSubagents(subagents, parts) }),
    ...(memory && { memory: buildMemory(memory, parts) }),
  };
}

function buildCron(
  { service, listTimes, checkSchedule }: NonNullable<AutomationRooms["cron"]>,
  { clock, mainSessionKey, standIn }: AutomationParts,
): HouseCron {
  // The next times stand beside it on the screen.
  const describe: HouseCron["describe"] = (job) => service.describe(job).split("; ", 1)[0] ?? "";
  return {
    status: service.status,
    list: service.list,
    get: service.get,
    update: service.update,
    remove: service.remove,
    run: service.run,
    runs: service.runs,
    wake: service.wake,
    describe,
    async add(job) {
      const sessionKey = mainSessionKey();
      const place = sessionKey && (await standIn({ sessionKey, isAdmin: true }));
      if (!place) throw noChat();
      return service.add({ ...job, home: { channel: place.channel, askedBy: place.sender } });
    },
    async preview(when, { times, tz }) {
      const now = clock.now();
      const schedule = typeof when === "string" ? service.parseWhen(when, tz) : when;
      checkSchedule(schedule, now);
      const text = describe({ schedule, createdAtMs: now });
      return { schedule, text, next: listTimes(schedule, now, now + horizonMs, times, now) };
    },
  };
}

const noChat = () =>
  new AgentError("WEBCHAT_OFF", "The owner's own web chat is not there", {
    hint: "`mom channels status` says why; a job that is made in another chat belongs to that one.",
  });

function buildSubagents(subagents: Subagents, { models, standIn }: AutomationParts): HouseSubagents {
  return {
    list: subagents.list,
    get: subagents.get,
    stop: subagents.stop,
    async spawn({ sessionKey, isAdmin }, task) {
      const place = await standIn({ sessionKey, isAdmin });
      if (!place) return undefined;
      const { session, channel, sender } = place;
      const resolved = await models.resolve(session.chosenModel ?? session.model);
      return subagents.spawn(
        {
          session,
          // No turn asks for it: the call does.
          turnId: task.callId as TurnId,
          channel,
          adapterType: "webchat",
          sender: { ...sender, isBot: false },
          isAdmin,
          model: resolved.type === "model" ? resolved.model.ref : (session.model ?? ""),
        },
        task,
      );
    },
  };
}

/** Whoever looks at it is told when somebody has it brought up to date; what it does by itself they ask for. */
function buildMemory(memory: NonNullable<AutomationRooms["memory"]>, { onMemory }: AutomationParts): HouseMemory {
  return {
    search: memory.search,
    get: memory.get,
    status: memory.status,
    async index(agentId, options) {
      onMemory(agentId);
      try {
        return await memory.index(agentId, options);
      } finally {
        onMemory(agentId);
      }
    },
  };
}

type CronRoom = CronService & { handler: DueHandler; errands: ErrandHandler };

/** The same room, and the gateway is told of every job that is made, changed, taken away, due or over. */
export function tellOfJobs(cron: CronRoom, watch: Pick<GatewayWatch, "cronChanged">): CronRoom {
  const tell = <Job extends CronJob>(job: Job): Job => {
    watch.cronChanged(job.id);
    return job;
  };
  const { handler, errands } = cron;
  return {
    ...cron,
    add: async (job) => tell(await cron.add(job)),
    update: async (id, patch) => tell(await cron.update(id, patch)),
    async remove(id) {
      const isGone = await cron.remove(id);
      if (isGone) watch.cronChanged(id);
      return isGone;
    },
    async run(id, mode) {
      const outcome = await cron.run(id, mode);
      if (outcome.ran) watch.cronChanged(id);
      return outcome;
    },
    handler: {
      ...handler,
      settled(item, ...rest) {
        handler.settled?.(item, ...rest);
        watch.cronChanged(item.id);
      },
    },
    errands: {
      ...errands,
      async ended(errand, ...rest) {
        await errands.ended?.(errand, ...rest);
        watch.cronChanged(errand.id);
      },
    },
  };
}
