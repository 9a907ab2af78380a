/** Jobs (spec 6.2): what mom does on her own at a time, or again and again. A reminder is a job that ends with its run. */
import type { TurnId } from "./ids.ts";
import type { ChannelRef } from "./message.ts";
import type { ThinkingLevel } from "./model.ts";
import type { LedgerRow } from "./schedule.ts";

export type CronSchedule =
  | { kind: "at"; atMs: number }
  /** Counted from `anchorMs`; absent: from when the job was made. */
  | { kind: "every"; everyMs: number; anchorMs?: number }
  /** Five fields, or six with seconds in front. `tz`: IANA name; absent: the zone of mom's machine. */
  | { kind: "cron"; expr: string; tz?: string };

export type CronPayload =
  /** Said to mom in the session that the job belongs to. */
  | { kind: "systemEvent"; text: string }
  /** A turn in a session of its own. */
  | {
      kind: "agentTurn";
      message: string;
      model?: string;
      thinking?: ThinkingLevel;
      timeoutSeconds?: number;
      /** The answer is posted; absent: only told to the session that the job belongs to. */
      deliver?: boolean;
      /** `last`: where that session last spoke; else an adapter's name. Absent: the job's own chat. */
      channel?: "last" | string;
      /** A chat of that adapter, by its id. */
      to?: string;
      /** A chat that cannot be reached is no failure of the run. */
      bestEffortDeliver?: boolean;
    };

/** Where a job was made and by whom: it runs with that person's rights, and may say only there what they may. */
export interface CronHome {
  channel: ChannelRef;
  askedBy: { id: string; username: string };
  /** Where text in the conversation that made it came from, if it came from outside. */
  outside?: string;
}

export interface CronJob {
  id: string;
  agentId?: string;
  name: string;
  description?: string;
  enabled: boolean;
  /** Absent: true for `at`, else false. */
  deleteAfterRun?: boolean;
  createdAtMs: number;
  updatedAtMs: number;
  schedule: CronSchedule;
  /** `main`: the session of the job's home. `agentTurn` is always isolated, `systemEvent` never. */
  sessionTarget: "main" | "isolated";
  /** Of a systemEvent: a turn at once, or read with whatever is said or done there next. */
  wakeMode: "next-heartbeat" | "now";
  payload: CronPayload;
  isolation?: { postToMainPrefix?: string; postToMainMode?: "summary" | "full"; postToMainMaxChars?: number };
  home: CronHome;
  state: {
    nextRunAtMs?: number;
    runningAtMs?: number;
    runningTurnId?: TurnId;
    /** Somebody at the machine asked for a run, beside its schedule: it is due since then. */
    runAskedAtMs?: number;
    lastRunAtMs?: number;
    lastStatus?: "ok" | "error" | "skipped";
    lastError?: string;
    lastDurationMs?: number;
    /** Failures in a row; runs are spaced out by them. */
    failures?: number;
    /** The owner was told that it keeps failing. */
    toldOfFailures?: boolean;
  };
}

/** What a person or the agent may set. */
export type NewCronJob = Pick<CronJob, "name" | "schedule" | "payload" | "home"> &
  Partial<
    Pick<CronJob, "agentId" | "description" | "enabled" | "deleteAfterRun" | "sessionTarget" | "wakeMode" | "isolation">
  >;
/** `outside`: as in `CronHome`, of the conversation that makes the change; what was noted before stays. */
export type CronPatch = Partial<Omit<NewCronJob, "home" | "agentId">> & { outside?: string };

/** One due time of a job with what came of it. */
export interface CronRun extends LedgerRow {
  /** Absent: it has not ended, started no turn, or that is too long ago. */
  status?: "ok" | "error";
  error?: string;
  durationMs?: number;
  /** The start of what was answered. */
  summary?: string;
}

export interface CronStatus {
  enabled: boolean;
  jobs: number;
  nextRunAtMs?: number;
}

/** The service (spec 6.2). Everything that takes a job checks it and throws a coded error that names what is wrong and the fix. */
export interface CronService {
  /** Jobs run only between `start` and `stop`. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * What words, an ISO time with its offset, or a cron expression mean as seen from now. Throws a coded error with examples for
   * whatever it does not wholly understand. `timeZone`: IANA name; absent: the zone of mom's machine.
   */
  parseWhen(text: string, timeZone?: string): CronSchedule;
  /** A schedule in words, with its next runs. One line. */
  describe(job: Pick<CronJob, "schedule" | "createdAtMs">): string;
  status(): Promise<CronStatus>;
  /** Soonest first, resting ones last. `channel`: only those of that chat. */
  list(filter?: { agentId?: string; channel?: ChannelRef; includeDisabled?: boolean }): Promise<CronJob[]>;
  get(id: string): Promise<CronJob | undefined>;
  /** Durable when it resolves. */
  add(job: NewCronJob): Promise<CronJob>;
  update(id: string, patch: CronPatch): Promise<CronJob>;
  /** False: there is none. */
  remove(id: string): Promise<boolean>;
  /** `due`: only if it is; `force`: now, beside its schedule. Resolves when the run is on disk, not when it is over. */
  run(id: string, mode: "due" | "force"): Promise<{ ran: boolean; reason?: string; turnId?: TurnId }>;
  /** Newest first. */
  runs(id: string, limit: number): Promise<CronRun[]>;
  /**
   * Says `text` to the main session: at once, or with its next heartbeat or turn. `outside`: as in `CronHome`, of the
   * conversation that wakes it.
   */
  wake(wake: { mode: "now" | "next-heartbeat"; text?: string; agentId?: string; outside?: string }): Promise<void>;
}
