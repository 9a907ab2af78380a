/** Adds a login: choose the platform, fill in what it asks for, and hear what the platform says to it. */
import { useState } from "preact/hooks";
import type { LoginFieldSummary, Result } from "../../../src/gateway/protocol/index.ts";
import { call, can, describeError, newKey, useCall } from "../../connection.ts";
import { Await, Button, Dialog, EmptyState, Note, Select, TextField } from "../../ui/index.ts";
import { pickName, type Typed, toFields } from "../welcome/login-form.ts";
import { checkFields, checkName, readFix } from "./check-login.ts";

interface LoginDialogProps {
  isOpen: boolean;
  taken: readonly string[];
  onClose(): void;
  onAdded(): void;
}

type LoginType = Result<"channels.types">["types"][number];

export function LoginDialog({ isOpen, ...rest }: LoginDialogProps) {
  return (
    <Dialog isOpen={isOpen} title="Add a login" onClose={rest.onClose}>
      <Types {...rest} />
    </Dialog>
  );
}

function Types(props: Omit<LoginDialogProps, "isOpen">) {
  const types = useCall("channels.types", can("channels.types") ? {} : undefined);
  const [chosen, setChosen] = useState<string | undefined>();
  return (
    <Await of={types}>
      {({ types: all }) => {
        const type = all.find((each) => each.type === chosen) ?? all[0];
        if (!type) return <EmptyState icon="channels" title="No platform can be added" />;
        return (
          <div class="stack">
            <Select
              label="Platform"
              value={type.type}
              options={all.map((each) => ({ value: each.type, label: each.label }))}
              onChange={setChosen}
            />
            <LoginForm key={type.type} type={type} {...props} />
          </div>
        );
      }}
    </Await>
  );
}

type Outcome =
  | { type: "added"; result: Result<"channels.login"> }
  | { type: "failed"; message: string; fix: string | undefined };

function LoginForm({ type, taken, onClose, onAdded }: { type: LoginType } & Omit<LoginDialogProps, "isOpen">) {
  const [name, setName] = useState(() => pickName(type.type, taken));
  const [typed, setTyped] = useState<Typed>({});
  const [isChecked, setChecked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | undefined>();
  const wrong = checkFields(type.fields, typed);
  const wrongName = checkName(name, taken);
  const submit = async (event: Event) => {
    event.preventDefault();
    setChecked(true);
    setOutcome(undefined);
    if (wrongName !== undefined || Object.keys(wrong).length > 0) return;
    setBusy(true);
    try {
      const fields = toFields(type.fields, typed);
      const result = await call("channels.login", { type: type.type, name, fields, idempotencyKey: newKey() });
      setTyped({});
      setOutcome({ type: "added", result });
      onAdded();
    } catch (error) {
      setOutcome({ type: "failed", message: describeError(error), fix: readFix(error) });
    } finally {
      setBusy(false);
    }
  };
  if (outcome?.type === "added") return <Added label={type.label} result={outcome.result} onClose={onClose} />;
  return (
    <form class="stack" noValidate onSubmit={submit}>
      <TextField
        label="Name"
        hint="What the config calls it."
        autoComplete="off"
        spellcheck={false}
        value={name}
        error={isChecked ? wrongName : undefined}
        onInput={setName}
      />
      {type.fields.map((field) => (
        <LoginInput
          key={field.key}
          field={field}
          value={typed[field.key] ?? ""}
          error={isChecked ? wrong[field.key] : undefined}
          onInput={(value) => setTyped({ ...typed, [field.key]: value })}
        />
      ))}
      <div role="status">
        {outcome && (
          <Note tone="bad">
            <p>{outcome.message}</p>
            {outcome.fix !== undefined && <p class="channel-fix">{outcome.fix}</p>}
          </Note>
        )}
      </div>
      <div class="form-buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isBusy}>
          {isBusy ? `Asking ${type.label}…` : "Check and add"}
        </Button>
      </div>
    </form>
  );
}

interface LoginInputProps {
  field: LoginFieldSummary;
  value: string;
  error: string | undefined;
  onInput(value: string): void;
}

function LoginInput({ field, value, error, onInput }: LoginInputProps) {
  return (
    <TextField
      label={field.label}
      hint={field.isList ? `${field.hint} Several with commas between; may be left empty.` : field.hint}
      type={field.isSecret ? "password" : "text"}
      autoComplete={field.isSecret ? "new-password" : "off"}
      spellcheck={false}
      maxLength={4096}
      value={value}
      error={error}
      onInput={onInput}
    />
  );
}

function Added({ label, result, onClose }: { label: string; result: Result<"channels.login">; onClose(): void }) {
  return (
    <div class="stack">
      <div role="status">
        <Note tone="good">
          {label} answers: logged in as <strong>{result.account}</strong>.
        </Note>
      </div>
      {result.warnings.map(({ message, fix }) => (
        <Note key={message} tone="warn">
          <p>{message}</p>
          <p class="channel-fix">{fix}</p>
        </Note>
      ))}
      <div class="form-buttons">
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
