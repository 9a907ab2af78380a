/** Takes a provider's key. It goes to mom and nowhere else, is forgotten here at once, and is never shown again. */
import { useEffect, useState } from "preact/hooks";
import { call, describeError, newKey } from "../../connection.ts";
import { Button, Dialog, Note, Select, TextField, toast } from "../../ui/index.ts";

interface KeyDialogProps {
  /** Whose; empty: to be chosen. Undefined: closed. */
  provider: string | undefined;
  providers: readonly string[];
  onClose(): void;
  onAdded(): void;
}

export function KeyDialog({ provider, providers, onClose, onAdded }: KeyDialogProps) {
  return (
    <Dialog isOpen={provider !== undefined} title="Add a key" size="small" onClose={onClose}>
      <KeyForm provider={provider ?? ""} providers={providers} onClose={onClose} onAdded={onAdded} />
    </Dialog>
  );
}

function KeyForm({ provider, providers, onClose, onAdded }: KeyDialogProps & { provider: string }) {
  const [chosen, setChosen] = useState(provider === "" ? pickFirst(providers) : provider);
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string | undefined>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => () => setTyped(""), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    const key = typed.trim();
    if (key.length < 8) return setProblem("A key has at least 8 characters.");
    setBusy(true);
    setProblem(undefined);
    try {
      const { profile, active } = await call("models.add-key", { provider: chosen, key, idempotencyKey: newKey() });
      setTyped("");
      onAdded();
      onClose();
      toast(`The key is kept as ${profile}. ${active} answers now.`, "good");
    } catch (error) {
      setProblem(describeError(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="stack" noValidate onSubmit={submit}>
      <Select
        label="Provider"
        value={chosen}
        options={providers.map((name) => ({ value: name, label: name }))}
        onChange={setChosen}
      />
      <TextField
        label="Key"
        hint="Kept in auth.json in mom's data directory. It is not shown again."
        type="password"
        autoComplete="new-password"
        spellcheck={false}
        maxLength={4096}
        value={typed}
        error={problem}
        onInput={setTyped}
      />
      {location.protocol === "http:" && !isLoopback(location.hostname) && (
        <Note tone="warn">This page came over plain HTTP: others in the network can read what you send.</Note>
      )}
      <div class="form-buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={chosen === ""}>
          Keep it
        </Button>
      </div>
    </form>
  );
}

/** Whom most people have a key of, where there is a choice. */
const pickFirst = (providers: readonly string[]): string =>
  ["anthropic", "openai", "google", "openrouter"].find((name) => providers.includes(name)) ?? providers[0] ?? "";

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(host);
