/** First step: which model answers. Keys that were found, a new key, a local Ollama, or the built-in helper. */
import { useState } from "preact/hooks";
import type { Result } from "../../../src/gateway/protocol/index.ts";
import { call, can, describeError, newKey, useCall } from "../../connection.ts";
import { Button, Icon, Note, Select, TextField, toast } from "../../ui/index.ts";
import { describeFoundKeys, listKeyProviders, listOllamaModels } from "./model-choices.ts";

interface ModelStepProps {
  setup: Result<"setup.status">;
  onReload(): void;
  onNext(): void;
}

export function ModelStep({ setup, onReload, onNext }: ModelStepProps) {
  const models = useCall("models.list", {});
  const { isOffline, active } = setup.model;
  const reload = () => {
    onReload();
    models.reload();
  };
  return (
    <div class="stack">
      {isOffline ? (
        <p>
          Mom needs a language model to think with. Give her a key of a provider, or begin without one and add it later.
        </p>
      ) : (
        <Note tone="good">
          <strong>{active}</strong> answers. {describeFoundKeys(setup.foundKeys)}
        </Note>
      )}
      {isOffline && setup.foundKeys.length > 0 && <Note>{describeFoundKeys(setup.foundKeys)}</Note>}
      <AddKey providers={listKeyProviders(models.data?.providers ?? [])} isExtra={!isOffline} onAdded={reload} />
      {setup.hasOllama && !active.startsWith("ollama/") && (
        <UseOllama models={listOllamaModels(models.data?.models ?? [])} onChosen={reload} />
      )}
      {isOffline && <OfflineNote />}
      <div class="welcome-foot">
        <Button variant={isOffline ? "default" : "primary"} onClick={onNext}>
          {isOffline ? "Go on with the built-in helper" : "Continue"}
        </Button>
      </div>
    </div>
  );
}

function OfflineNote() {
  return (
    <section class="welcome-choice">
      <span class="welcome-icon">
        <Icon name="terminal" />
      </span>
      <div>
        <h3>The built-in helper</h3>
        <p class="muted">
          Works at once, without a key and without a network. To be honest: it is a set of rules, no language model. It
          understands plain requests such as “list the files”, “run ls -la” or “remind me in ten minutes to stretch”,
          and little else.
        </p>
      </div>
    </section>
  );
}

function AddKey({
  providers,
  isExtra,
  onAdded,
}: {
  providers: readonly { value: string; label: string }[];
  isExtra: boolean;
  onAdded(): void;
}) {
  const [provider, setProvider] = useState(providers[0]?.value ?? "anthropic");
  const [key, setKey] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const mayAdd = can("models.add-key");
  const add = async (event: Event) => {
    event.preventDefault();
    if (key.trim().length < 8) return setError("That is too short for a key.");
    setBusy(true);
    setError(undefined);
    try {
      const { active } = await call("models.add-key", { provider, key: key.trim(), idempotencyKey: newKey() });
      toast(`The key is kept. ${active} answers now.`, "good");
      setKey("");
      onAdded();
    } catch (failure) {
      setError(describeError(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="welcome-choice">
      <span class="welcome-icon">
        <Icon name="key" />
      </span>
      <div>
        <h3>{isExtra ? "Add another key" : "Add a key"}</h3>
        <form class="welcome-form" onSubmit={add}>
          <Select label="Provider" value={provider} options={providers} onChange={setProvider} disabled={!mayAdd} />
          <TextField
            label="API key"
            type="password"
            autoComplete="off"
            value={key}
            onInput={setKey}
            error={error}
            disabled={!mayAdd}
            hint={
              mayAdd
                ? "It is kept in auth.json in mom's data folder, readable by her only, and sent to nobody but the provider."
                : undefined
            }
          />
          {!mayAdd && <Note tone="warn">This browser does not have the scope “admin”, so it cannot add keys.</Note>}
          <Button
            type="submit"
            variant={isExtra ? "default" : "primary"}
            isBusy={isBusy}
            disabled={!mayAdd || key === ""}
          >
            Save the key
          </Button>
        </form>
      </div>
    </section>
  );
}

/** Local models are not used by themselves: which one is a person's choice. */
function UseOllama({ models, onChosen }: { models: readonly { value: string; label: string }[]; onChosen(): void }) {
  const [chosen, setChosen] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const model = chosen ?? models[0]?.value;
  const mayChoose = can("config.set");
  const use = async () => {
    if (model === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      const { outcome, reasons } = await call("config.set", {
        path: "models.default",
        value: model,
        idempotencyKey: newKey(),
      });
      if (outcome === "rolled-back") setError(reasons.join("; "));
      else onChosen();
    } catch (failure) {
      setError(describeError(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="welcome-choice">
      <span class="welcome-icon">
        <Icon name="devices" />
      </span>
      <div>
        <h3>Ollama on this machine</h3>
        {model === undefined ? (
          <p class="muted">Ollama answers, but has no models yet. Pull one with `ollama pull`, then look again.</p>
        ) : (
          <div class="welcome-form">
            <Select label="Model" value={model} options={models} onChange={setChosen} disabled={!mayChoose} />
            <Button isBusy={isBusy} disabled={!mayChoose} onClick={use}>
              Use it
            </Button>
          </div>
        )}
        {error !== undefined && <Note tone="bad">{error}</Note>}
      </div>
    </section>
  );
}
