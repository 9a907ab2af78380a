/** Makes or changes a job: when, in plain words that are shown back before anything is kept, and what is to be done. */
import { useState } from "preact/hooks";
import type { CronJobSummary } from "../../../src/gateway/protocol/index.ts";
import { call, can, describeError, newKey, useCall } from "../../connection.ts";
import { Button, Dialog, ErrorNote, Select, Switch, TextArea, TextField, toast } from "../../ui/index.ts";
import { type FormProblems, findProblems, type JobForm, startForm, toNewJob, toPatch } from "./job-form.ts";
import { PreviewNote } from "./preview-note.tsx";
import { type Preview, usePreview } from "./use-preview.ts";

interface JobDialogProps {
  isOpen: boolean;
  /** Absent: a new one. */
  job?: CronJobSummary;
  onClose(): void;
  onSaved(): void;
}

export function JobDialog({ isOpen, job, onClose, onSaved }: JobDialogProps) {
  return (
    <Dialog isOpen={isOpen} title={job ? "Change the job" : "New job"} onClose={onClose}>
      <Form {...(job && { job })} onClose={onClose} onSaved={onSaved} />
    </Dialog>
  );
}

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

function Form({ job, onClose, onSaved }: Omit<JobDialogProps, "isOpen">) {
  const [form, setForm] = useState<JobForm>(() => startForm(job, ownZone()));
  const [problems, setProblems] = useState<FormProblems>({});
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const preview = usePreview(form.when.trim() === "" && job ? job.schedule : form.when, form.tz);
  const set = (change: Partial<JobForm>) => {
    setForm({ ...form, ...change });
    setProblems({});
    setFailure(undefined);
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const found = { ...findProblems(form, job === undefined) };
    const isKept = job !== undefined && form.when.trim() === "";
    if (!isKept) found.when ??= whyNotYet(preview);
    setProblems(found);
    if (Object.values(found).some((problem) => problem !== undefined)) return;
    setBusy(true);
    try {
      toast(await save(form, job, preview), "good");
      onSaved();
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="stack" noValidate onSubmit={submit}>
      <TextField
        label="Name"
        required
        maxLength={80}
        placeholder="Morning news"
        value={form.name}
        error={problems.name}
        onInput={(name) => set({ name })}
      />
      <WhenFields form={form} job={job} problems={problems} preview={preview} set={set} />
      <DeedFields form={form} isNew={job === undefined} problems={problems} set={set} />
      {failure !== undefined && <ErrorNote error={new Error(describeError(failure))} />}
      <div class="form-buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isBusy}>
          {job ? "Save" : "Make it"}
        </Button>
      </div>
    </form>
  );
}

/** Nothing is kept that was not shown back. */
function whyNotYet(preview: Preview): string | undefined {
  if (preview.type === "understood") return undefined;
  return preview.type === "asking" ? "One moment: mom still reads this." : "Mom must understand this first.";
}

async function save(form: JobForm, job: CronJobSummary | undefined, preview: Preview): Promise<string> {
  const idempotencyKey = newKey();
  const schedule = preview.type === "understood" ? preview.schedule : undefined;
  if (!job) {
    if (!schedule) throw new Error("Mom must understand this first.");
    await call("cron.add", { ...toNewJob(form, schedule), idempotencyKey });
    return `"${form.name.trim()}" is made.`;
  }
  const patch = toPatch(form, job, form.when.trim() === "" ? undefined : schedule);
  if (Object.keys(patch).length === 0) return "Nothing was changed.";
  await call("cron.update", { id: job.id, patch, idempotencyKey });
  return "It is changed.";
}

interface FieldsProps {
  form: JobForm;
  problems: FormProblems;
  set(change: Partial<JobForm>): void;
}

function WhenFields({
  form,
  job,
  problems,
  preview,
  set,
}: FieldsProps & { job: CronJobSummary | undefined; preview: Preview }) {
  return (
    <>
      <div class="cron-when">
        <TextField
          label="When"
          required={job === undefined}
          autoComplete="off"
          spellcheck={false}
          maxLength={512}
          placeholder={job ? job.when : "every weekday at 9:00"}
          hint={
            job
              ? "Leave it empty to keep it as it is."
              : "In plain words (in 20 minutes, every day at 8:30) or as a cron expression (0 9 * * 1-5)."
          }
          value={form.when}
          error={problems.when}
          onInput={(when) => set({ when })}
        />
        <TextField
          label="Time zone"
          autoComplete="off"
          spellcheck={false}
          maxLength={64}
          list="cron-zones"
          value={form.tz}
          onInput={(tz) => set({ tz })}
        />
        <datalist id="cron-zones">
          {Intl.supportedValuesOf("timeZone").map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
      <PreviewNote preview={preview} zone={ownZone()} />
    </>
  );
}

/** Of a text; mom takes no more. */
const mostChars = 4000;

const kinds = [
  { value: "task", label: "Do a task" },
  { value: "word", label: "Remind me of something" },
] as const;

const answers = [
  { value: "home", label: "Post it in your own chat" },
  { value: "last", label: "Post it where you last spoke" },
  { value: "chat", label: "Post it in another chat" },
  { value: "none", label: "Do not post it, only remember it" },
] as const;

function DeedFields({ form, isNew, problems, set }: FieldsProps & { isNew: boolean }) {
  const agents = useCall("agents.list", can("agents.list") && isNew ? {} : undefined);
  const known = agents.data?.agents ?? [];
  return (
    <>
      <Select label="What" value={form.kind} options={kinds} onChange={(kind) => set({ kind })} />
      <TextArea
        label={form.kind === "task" ? "Task" : "Text"}
        required
        rows={4}
        maxLength={mostChars}
        hint={
          form.kind === "task"
            ? "Done in a conversation of its own, with your rights."
            : "Said in your own chat, as if you had asked for it there."
        }
        placeholder={form.kind === "task" ? "Look what is new at… and tell me in three lines." : "Water the plants."}
        value={form.text}
        error={problems.text}
        onInput={(text) => set({ text })}
      />
      {form.kind === "task" ? (
        <AnswerFields form={form} problems={problems} set={set} />
      ) : (
        <Switch
          label="Wake mom for it"
          hint="Otherwise she reads it with her next heartbeat, or when somebody speaks there."
          isOn={form.isAtOnce}
          onChange={(isAtOnce) => set({ isAtOnce })}
        />
      )}
      {known.length > 1 && (
        <Select
          label="Agent"
          value={form.agentId === "" ? (known[0]?.id ?? "") : form.agentId}
          options={known.map(({ id, name }) => ({ value: id, label: name ?? id }))}
          onChange={(agentId) => set({ agentId })}
        />
      )}
    </>
  );
}

function AnswerFields({ form, problems, set }: FieldsProps) {
  const channels = useCall("channels.status", can("channels.status") && form.answer === "chat" ? {} : undefined);
  const names = (channels.data?.channels ?? []).map(({ name, label }) => ({
    value: name,
    label: `${label} (${name})`,
  }));
  const options = [{ value: "", label: "Choose…" }, ...names];
  // One that has been taken out of the config since is still shown.
  if (form.adapter !== "" && !names.some(({ value }) => value === form.adapter)) {
    options.push({ value: form.adapter, label: form.adapter });
  }
  return (
    <>
      <Select label="The answer" value={form.answer} options={answers} onChange={(answer) => set({ answer })} />
      {form.answer === "chat" && (
        <div class="cron-pair">
          <div class="field">
            <Select label="Platform" value={form.adapter} options={options} onChange={(adapter) => set({ adapter })} />
            {problems.adapter !== undefined && (
              <div class="field-error" role="alert">
                {problems.adapter}
              </div>
            )}
          </div>
          <TextField
            label="Chat"
            hint="Its id on that platform."
            autoComplete="off"
            spellcheck={false}
            maxLength={512}
            value={form.chat}
            error={problems.chat}
            onInput={(chat) => set({ chat })}
          />
        </div>
      )}
      <TextField
        label="Model"
        hint="May be left empty: the agent's own."
        autoComplete="off"
        spellcheck={false}
        maxLength={200}
        value={form.model}
        onInput={(model) => set({ model })}
      />
    </>
  );
}
