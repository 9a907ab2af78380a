/** What a session is called and how it is answered. */
import { useId, useState } from "preact/hooks";
import type { SessionSummary } from "../../../src/gateway/protocol/index.ts";
import { call, can, newKey, useCall } from "../../connection.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Button, Card, Note, Select, Switch, TextField } from "../../ui/index.ts";
import { whyNot } from "../../ui/why-not.ts";
import { buildPatch, type SessionForm, toForm } from "./build-patch.ts";

const thinking = [
  { value: "", label: "As the agent does" },
  { value: "off", label: "Off" },
  { value: "low", label: "Low" },
  { value: "medium", label: "Medium" },
  { value: "high", label: "High" },
] as const;
const queueModes = [
  { value: "", label: "As the channel does" },
  { value: "steer", label: "Steer: shown to mom as she works" },
  { value: "followup", label: "Follow up: a turn of its own" },
  { value: "collect", label: "Collect: one turn of all that wait" },
  { value: "interrupt", label: "Interrupt: ends the turn first" },
] as const;

export function SessionSettings({ session, onChanged }: { session: SessionSummary; onChanged(): void }) {
  const [edits, setEdits] = useState<Partial<SessionForm>>({});
  const form = { ...toForm(session), ...edits };
  const set = (change: Partial<SessionForm>) => setEdits({ ...edits, ...change });
  const patch = buildPatch(session, form);
  const refusal = whyNot("sessions.patch");
  const isFixed = refusal !== undefined;
  const save = async () => {
    if (!patch) return undefined;
    await call("sessions.patch", { ...patch, idempotencyKey: newKey() });
    setEdits({});
    onChanged();
    return "Saved.";
  };
  return (
    <Card title="Settings">
      <form class="stack" onSubmit={(event) => event.preventDefault()}>
        {refusal !== undefined && <Note>{refusal}</Note>}
        <TextField
          label="Name"
          maxLength={200}
          disabled={isFixed}
          value={form.label}
          onInput={(label) => set({ label })}
        />
        <ModelField value={form.model} disabled={isFixed} onInput={(model) => set({ model })} />
        <Select
          label="Thinking"
          value={form.thinkingLevel}
          options={thinking}
          disabled={isFixed}
          onChange={(thinkingLevel) => set({ thinkingLevel })}
        />
        <Select
          label="A message while mom works"
          value={form.queueMode}
          options={queueModes}
          disabled={isFixed}
          onChange={(queueMode) => set({ queueMode })}
        />
        <Switch
          label="Quiet"
          hint="Tool calls are not shown in the chat while a turn runs."
          isOn={form.isQuiet}
          disabled={isFixed}
          onChange={(isQuiet) => set({ isQuiet })}
        />
        <div class="form-buttons">
          {patch && <Button onClick={() => setEdits({})}>Discard</Button>}
          <ActionButton
            needs="sessions.patch"
            variant="primary"
            reason={patch ? undefined : "Nothing has been changed."}
            run={save}
          >
            Save
          </ActionButton>
        </div>
      </form>
    </Card>
  );
}

function ModelField(props: { value: string; disabled: boolean; onInput(model: string): void }) {
  const id = useId();
  const models = useCall("models.list", can("models.list") ? {} : undefined);
  const names = [...Object.keys(models.data?.aliases ?? {}), ...(models.data?.models ?? []).map(({ ref }) => ref)];
  return (
    <>
      <TextField
        {...props}
        label="Model"
        hint="provider/model or an alias. Empty: the agent's."
        maxLength={512}
        list={id}
        autoComplete="off"
        spellcheck={false}
      />
      <datalist id={id}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
