/** How this one conversation is answered: model, thinking, name. In force from the next message on. */
import { useState } from "preact/hooks";
import type { Params, SessionSummary } from "../../src/gateway/protocol/index.ts";
import { call, describeError, useCall } from "../connection.ts";
import { href } from "../router.ts";
import { Await, Button, Dialog, formatCost, formatTokens, Select, TextField, toast } from "../ui/index.ts";

interface SettingsProps {
  isOpen: boolean;
  onClose(): void;
  session: SessionSummary;
}

type Thinking = NonNullable<SessionSummary["thinkingLevel"]>;
const levels: readonly Thinking[] = ["off", "low", "medium", "high"];

export function SessionSettings({ isOpen, onClose, session }: SettingsProps) {
  return (
    <Dialog
      isOpen={isOpen}
      title="This conversation"
      onClose={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <Settings session={session} />
    </Dialog>
  );
}

function Settings({ session }: { session: SessionSummary }) {
  const models = useCall("models.list", {});
  const [shown, setShown] = useState(session);
  const [label, setLabel] = useState(session.label ?? "");
  const patch = async (change: Omit<Params<"sessions.patch">, "sessionKey">) => {
    try {
      setShown(await call("sessions.patch", { sessionKey: session.sessionKey, ...change }));
    } catch (error) {
      toast(describeError(error), "bad");
    }
  };
  return (
    <div class="stack">
      <Await of={models}>
        {(known) => (
          <Select
            label="Model"
            value={shown.chosenModel ?? ""}
            options={listModels(
              known.models.map(({ ref }) => ref),
              known.active,
              shown.chosenModel,
            )}
            onChange={(model) => void patch({ model: model === "" ? null : model })}
          />
        )}
      </Await>
      <Select
        label="Thinking"
        value={shown.thinkingLevel ?? ""}
        options={[{ value: "", label: "As in the config" }, ...levels.map((level) => ({ value: level, label: level }))]}
        onChange={(level) => void patch({ thinkingLevel: levels.find((each) => each === level) ?? null })}
      />
      <form
        class="settings-name"
        onSubmit={(event) => {
          event.preventDefault();
          void patch({ label: label.trim() === "" ? null : label.trim() }).then(() => toast("Saved", "good"));
        }}
      >
        <TextField label="Name" maxLength={200} value={label} onInput={setLabel} />
        <Button type="submit" disabled={label.trim() === (shown.label ?? "")}>
          Rename
        </Button>
      </form>
      <dl class="facts small">
        <dt>Tokens</dt>
        <dd>
          {formatTokens(shown.inputTokens)} in, {formatTokens(shown.outputTokens)} out
        </dd>
        <dt>Cost</dt>
        <dd>{formatCost(shown.cost)}</dd>
        <dt>Key</dt>
        <dd class="mono">{shown.sessionKey}</dd>
      </dl>
      <p>
        <a href={href("sessions", shown.sessionKey)}>Transcript and more</a>
      </p>
    </div>
  );
}

/** The default first; a chosen one stays in the list though nobody offers it any more. */
function listModels(refs: readonly string[], active: string, chosen: string | undefined) {
  const all = chosen === undefined || refs.includes(chosen) ? refs : [chosen, ...refs];
  return [{ value: "", label: `Default (${active})` }, ...all.map((ref) => ({ value: ref, label: ref }))];
}
