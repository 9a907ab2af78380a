/** The form of a job: from a job to its fields, from the fields to what mom is asked for. */
import type { CronJobSummary, CronScheduleSummary, Params } from "../../../src/gateway/protocol/index.ts";

export interface JobForm {
  name: string;
  description: string;
  /** Words; empty: as it is. */
  when: string;
  tz: string;
  kind: "word" | "task";
  text: string;
  agentId: string;
  /** Of a task: whether and where the answer is posted. */
  answer: "none" | "home" | "last" | "chat";
  adapter: string;
  chat: string;
  model: string;
  /** Of a word: a turn at once. */
  isAtOnce: boolean;
}

type Payload = CronJobSummary["payload"];
type NewJob = Omit<Params<"cron.add">, "idempotencyKey">;
type Patch = Params<"cron.update">["patch"];
export type FormProblems = Partial<Record<keyof JobForm, string | undefined>>;

export function startForm(job: CronJobSummary | undefined, zone: string): JobForm {
  const task = job?.payload.kind === "agentTurn" ? job.payload : undefined;
  const word = job?.payload.kind === "systemEvent" ? job.payload : undefined;
  return {
    name: job?.name ?? "",
    description: job?.description ?? "",
    when: "",
    tz: job?.schedule.kind === "cron" ? (job.schedule.tz ?? zone) : zone,
    kind: word ? "word" : "task",
    text: word?.text ?? task?.message ?? "",
    agentId: job?.agentId ?? "",
    answer: answerOf(job, task),
    adapter: task?.channel !== undefined && task.channel !== "last" ? task.channel : "",
    chat: task?.to ?? "",
    model: task?.model ?? "",
    isAtOnce: job?.wakeMode !== "next-heartbeat",
  };
}

function answerOf(
  job: CronJobSummary | undefined,
  task: Extract<Payload, { kind: "agentTurn" }> | undefined,
): JobForm["answer"] {
  if (!job) return "home";
  if (task?.deliver !== true) return task ? "none" : "home";
  if (task.channel === undefined) return "home";
  return task.channel === "last" ? "last" : "chat";
}

/** What must be filled in first. `isNew`: there is no schedule to keep. */
export function findProblems(form: JobForm, isNew: boolean): FormProblems {
  const isElsewhere = form.kind === "task" && form.answer === "chat";
  return {
    ...(form.name.trim() === "" && { name: "A job needs a name." }),
    ...(isNew && form.when.trim() === "" && { when: "Say when, in plain words." }),
    ...(form.text.trim() === "" && {
      text: form.kind === "word" ? "Say what to remind of." : "Say what is to be done.",
    }),
    ...(isElsewhere && form.adapter === "" && { adapter: "Choose a platform." }),
    ...(isElsewhere && form.chat.trim() === "" && { chat: "Say which chat, by its id." }),
  };
}

export function toNewJob(form: JobForm, schedule: CronScheduleSummary): NewJob {
  const description = form.description.trim();
  return {
    name: form.name.trim(),
    ...(description !== "" && { description }),
    ...(form.agentId !== "" && { agentId: form.agentId }),
    schedule,
    payload: buildPayload(form),
    ...(form.kind === "word" && { wakeMode: form.isAtOnce ? "now" : "next-heartbeat" }),
  };
}

/** Only what is another than before. `schedule` undefined: as it is. */
export function toPatch(form: JobForm, job: CronJobSummary, schedule: CronScheduleSummary | undefined): Patch {
  const payload = buildPayload(form, job.payload);
  const isOtherKind = payload.kind !== job.payload.kind;
  const wakeMode = form.isAtOnce ? "now" : "next-heartbeat";
  const description = form.description.trim();
  return {
    ...(form.name.trim() !== job.name && { name: form.name.trim() }),
    ...(description !== (job.description ?? "") && { description }),
    ...(schedule && { schedule }),
    ...(!isSame(payload, job.payload) && { payload }),
    ...(isOtherKind && { sessionTarget: payload.kind === "agentTurn" ? "isolated" : "main" }),
    ...(form.kind === "word" && wakeMode !== job.wakeMode && { wakeMode }),
  };
}

function buildPayload(form: JobForm, before?: Payload): Payload {
  const text = form.text.trim();
  if (form.kind === "word") return { kind: "systemEvent", text };
  // What the form does not show stays.
  const { thinking, timeoutSeconds, bestEffortDeliver } =
    before?.kind === "agentTurn" ? before : ({} as Partial<Extract<Payload, { kind: "agentTurn" }>>);
  const model = form.model.trim();
  return {
    kind: "agentTurn",
    message: text,
    ...(model !== "" && { model }),
    ...(thinking !== undefined && { thinking }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(form.answer !== "none" && { deliver: true }),
    ...(form.answer === "last" && { channel: "last" }),
    ...(form.answer === "chat" && { channel: form.adapter, to: form.chat.trim() }),
    ...(bestEffortDeliver !== undefined && { bestEffortDeliver }),
  };
}

function isSame(one: Payload, other: Payload): boolean {
  // That nothing is posted may be said or left out.
  const sorted = (payload: Payload) =>
    JSON.stringify(
      Object.entries(payload)
        .filter(([key, value]) => value !== undefined && !(key === "deliver" && value === false))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  return sorted(one) === sorted(other);
}
