/** Second step: a chat platform to talk through, and who the owner is there. */
import { useState } from "preact/hooks";
import { GatewayFault, type Result } from "../../../src/gateway/protocol/index.ts";
import { call, can, describeError, newKey, useCall } from "../../connection.ts";
import { Await, Button, Icon, Note, TextField } from "../../ui/index.ts";
import { checkField, checkForm, pickName, type Typed, toFields } from "./login-form.ts";

type Kind = Result<"channels.types">["types"][number];
type Added = Result<"channels.login"> & { label: string };

interface ChannelStepProps {
  channels: number;
  onReload(): void;
  onBack(): void;
  onNext(): void;
}

export function ChannelStep({ channels, onReload, onBack, onNext }: ChannelStepProps) {
  const mayAdd = can("channels.types") && can("channels.login");
  const [added, setAdded] = useState<Added>();
  const isReady = added !== undefined || channels > 0;
  return (
    <div class="stack">
      <p>Mom can answer where you already chat. The browser is enough, too: a platform can be added at any time.</p>
      {added && <AddedNote added={added} />}
      {!added && channels > 0 && (
        <Note tone="good">{channels === 1 ? "One platform is" : `${channels} platforms are`} set up already.</Note>
      )}
      {!mayAdd && <Note tone="warn">This browser does not have the scope “admin”, so it cannot add a platform.</Note>}
      {mayAdd && !added && (
        <Platforms
          onAdded={(result) => {
            setAdded(result);
            onReload();
          }}
        />
      )}
      <div class="welcome-foot">
        <Button variant="ghost" icon="left" onClick={onBack}>
          Back
        </Button>
        <Button variant={isReady ? "primary" : "default"} onClick={onNext}>
          {isReady ? "Continue" : "Later, the browser is enough"}
        </Button>
      </div>
    </div>
  );
}

function AddedNote({ added: { account, label, warnings } }: { added: Added }) {
  return (
    <>
      <Note tone="good">
        {label} is connected as <strong>{account}</strong>.
      </Note>
      {warnings.map(({ message, fix }) => (
        <Note key={message} tone="warn">
          {message} {fix}
        </Note>
      ))}
    </>
  );
}

function Platforms({ onAdded }: { onAdded(added: Added): void }) {
  const kinds = useCall("channels.types", {});
  const taken = useCall("channels.status", {});
  const [chosen, setChosen] = useState<string>();
  return (
    <Await of={kinds}>
      {({ types }) => {
        const kind = types.find(({ type }) => type === chosen);
        if (types.length === 0) return <Note>There is no platform that could be added here.</Note>;
        return (
          <>
            <fieldset class="welcome-platforms">
              <legend class="visually-hidden">Chat platform</legend>
              {types.map(({ type, label }) => (
                <label key={type} class="welcome-platform">
                  <input
                    type="radio"
                    name="platform"
                    value={type}
                    checked={type === chosen}
                    onChange={() => setChosen(type)}
                  />
                  <Icon name="channels" />
                  {label}
                </label>
              ))}
            </fieldset>
            {kind && (
              <LoginForm
                key={kind.type}
                kind={kind}
                taken={taken.data?.channels.map(({ name }) => name) ?? []}
                onAdded={onAdded}
              />
            )}
          </>
        );
      }}
    </Await>
  );
}

/** Longer than the platform is given to answer. */
const patienceMs = 60_000;

function LoginForm({ kind, taken, onAdded }: { kind: Kind; taken: readonly string[]; onAdded(added: Added): void }) {
  const [typed, setTyped] = useState<Typed>({});
  const [isFinal, setFinal] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    setFinal(true);
    if (Object.keys(checkForm(kind.fields, typed)).length > 0) {
      // What is wrong is marked when it has been drawn.
      setTimeout(() => focusFirstWrong(form), 50);
      return;
    }
    setBusy(true);
    setError(undefined);
    try {
      const login = { type: kind.type, name: pickName(kind.type, taken), fields: toFields(kind.fields, typed) };
      const result = await call("channels.login", { ...login, idempotencyKey: newKey() }, { timeoutMs: patienceMs });
      onAdded({ ...result, label: kind.label });
    } catch (failure) {
      setError([describeError(failure), fixOf(failure)].filter(Boolean).join(" "));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="welcome-form welcome-login" onSubmit={add} aria-label={kind.label}>
      {kind.fields.map((field) => (
        <TextField
          key={field.key}
          label={field.label}
          type={field.isSecret ? "password" : "text"}
          autoComplete="off"
          spellcheck={false}
          value={typed[field.key] ?? ""}
          onInput={(value) => setTyped((before) => ({ ...before, [field.key]: value }))}
          hint={field.key === "admins" ? `${field.hint} That makes you the owner there.` : field.hint}
          error={checkField(field, typed[field.key] ?? "", { isFinal })}
        />
      ))}
      {error !== undefined && <Note tone="bad">{error}</Note>}
      <Button type="submit" variant="primary" isBusy={isBusy}>
        {isBusy ? `Asking ${kind.label}…` : "Check and add"}
      </Button>
    </form>
  );
}

/** What the platform's own words do not say: how to mend it. */
function fixOf(error: unknown): string {
  const details = error instanceof GatewayFault ? error.details : undefined;
  if (typeof details !== "object" || details === null || !("fix" in details)) return "";
  return typeof details.fix === "string" ? details.fix : "";
}

function focusFirstWrong(form: EventTarget | null): void {
  if (form instanceof HTMLElement) form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
}
