/**
 * The methods of rooms that a house may be without: jobs, heartbeats, subagents, memory. A method without its room is not in
 * `features.methods`. Jobs run with the owner's rights: making and changing them takes `admin`.
 */
import { Type } from "typebox";
import {
  cronJob,
  cronPatch,
  cronRun,
  cronSchedule,
  heartbeatState,
  memoryHit,
  memoryModes,
  memoryStatus,
  newCronJob,
  subagentRun,
} from "./automation-shapes.ts";
import {
  count,
  flag,
  idempotencyKey as key,
  list,
  moment,
  nothing,
  oneOf,
  optional,
  sessionKey,
  strict,
  text,
  word,
} from "./kit.ts";
import { thinkingLevels } from "./shapes.ts";

const task = Type.String({ minLength: 1, maxLength: 64 * 1024 });
const filePath = Type.String({ minLength: 1, maxLength: 4096 });
const line = Type.Integer({ minimum: 1 });
const done = strict({ ok: flag });
const limited = (most: number) => optional(Type.Integer({ minimum: 1, maximum: most }));

export const automationMethods = {
  "cron.status": {
    summary: "Whether jobs run, how many there are, and when the next one is due",
    needs: "read",
    params: nothing,
    result: strict({ enabled: flag, jobs: count, nextRunAtMs: optional(moment) }),
  },
  "cron.list": {
    summary: "The jobs, soonest first; those that rest come last",
    needs: "read",
    params: strict({ agentId: optional(word), includeDisabled: optional(flag), limit: limited(1000) }),
    result: strict({ jobs: list(cronJob), total: count }),
  },
  "cron.preview": {
    summary: "What words, an expression or a schedule mean, and the next times; changes nothing",
    needs: "read",
    params: strict({
      /** `every weekday at 9:00`, `in 2 hours`, `0 9 * * 1-5`, or a schedule. */
      when: Type.Union([word, cronSchedule]),
      /** Of words and expressions that name no time zone. */
      tz: optional(word),
      times: limited(20),
    }),
    result: strict({ schedule: cronSchedule, text, next: list(moment) }),
  },
  "cron.add": {
    summary: "Make a job; it belongs to the owner's own chat",
    needs: "admin",
    params: strict({ ...newCronJob, idempotencyKey: key }),
    result: cronJob,
  },
  "cron.update": {
    summary: "Change a job: only the keys that are named",
    needs: "admin",
    params: strict({ id: word, patch: strict(cronPatch), idempotencyKey: key }),
    result: cronJob,
  },
  "cron.remove": {
    summary: "Take a job away",
    needs: "admin",
    params: strict({ id: word, idempotencyKey: key }),
    result: done,
  },
  "cron.run": {
    summary: "Run a job now (`force`), or only if it is due; answers when the run is on disk, not when it is over",
    needs: "admin",
    params: strict({ id: word, mode: optional(oneOf("due", "force")), idempotencyKey: key }),
    result: strict({ ran: flag, reason: optional(text), turnId: optional(text) }),
  },
  "cron.runs": {
    summary: "What came of a job's due times, newest first",
    needs: "read",
    params: strict({ id: word, limit: limited(500) }),
    result: strict({ runs: list(cronRun) }),
  },
  "cron.wake": {
    summary: "Say something to an agent's main session, at once or with its next heartbeat or turn",
    needs: "admin",
    params: strict({
      mode: oneOf("now", "next-heartbeat"),
      text: optional(task),
      agentId: optional(word),
      idempotencyKey: key,
    }),
    result: done,
  },

  "heartbeat.status": {
    summary: "How often each agent looks by itself whether something is to be said, and what came of it last",
    needs: "read",
    params: nothing,
    result: strict({ agents: list(heartbeatState) }),
  },
  "heartbeat.beat": {
    summary: "Let an agent look now; what comes of it is told as `heartbeat`",
    needs: "write",
    params: strict({ agentId: optional(word), idempotencyKey: key }),
    result: done,
  },

  "sessions.spawn": {
    summary: "Give a task to a subagent; its findings come back to the session",
    needs: "write",
    params: strict({
      /** Who is told. Absent: the owner's own. */
      sessionKey: optional(sessionKey),
      task,
      agentId: optional(word),
      model: optional(word),
      thinking: optional(thinkingLevels),
      runTimeoutSeconds: optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
      /** What becomes of its session afterwards. */
      cleanup: optional(oneOf("keep", "delete")),
      label: optional(Type.String({ minLength: 1, maxLength: 200 })),
      idempotencyKey: key,
    }),
    result: subagentRun,
  },
  "subagents.list": {
    summary: "Subagents that wait, run or have run, newest first",
    needs: "read",
    params: strict({ requester: optional(sessionKey), limit: limited(500) }),
    result: strict({ runs: list(subagentRun) }),
  },
  "subagents.stop": {
    summary: "End a subagent, with the programs it runs",
    needs: "write",
    params: strict({ runId: word, idempotencyKey: optional(key) }),
    result: strict({
      /** False: it was over. */
      stopped: flag,
    }),
  },

  "memory.search": {
    summary: "Find what an agent remembers, as its owner",
    needs: "read",
    params: strict({
      query: Type.String({ minLength: 1, maxLength: 2000 }),
      agentId: optional(word),
      maxResults: limited(50),
      minScore: optional(Type.Number({ minimum: 0, maximum: 1 })),
      mode: optional(memoryModes),
    }),
    result: strict({ hits: list(memoryHit), mode: memoryModes, note: optional(text) }),
  },
  "memory.get": {
    summary: "Lines of a file that is remembered from",
    needs: "read",
    params: strict({ path: filePath, agentId: optional(word), from: optional(line), to: optional(line) }),
    result: strict({ path: text, fromLine: count, toLine: count, totalLines: count, text }),
  },
  "memory.status": {
    summary: "The index of what an agent remembers: how much, how far, by which embedder",
    needs: "read",
    params: strict({ agentId: optional(word) }),
    result: memoryStatus,
  },
  "memory.index": {
    summary: "Bring the index up to date; what takes longer goes on, and `memory.status` tells how far it is",
    needs: "write",
    params: strict({
      agentId: optional(word),
      /** As if nothing had been indexed. */
      force: optional(flag),
      idempotencyKey: key,
    }),
    result: strict({ isDone: flag, status: memoryStatus }),
  },
} as const;
