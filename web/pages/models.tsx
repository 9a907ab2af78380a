/** Models: which one answers, how the providers stand with keys, and all that there are. */
import { useState } from "preact/hooks";
import type { Result } from "../../src/gateway/protocol/index.ts";
import { can, useCall } from "../connection.ts";
import "../styles/page-parts.css";
import "../styles/models.css";
import { ActionButton } from "../ui/action-button.tsx";
import { Await, Badge, Card, EmptyState, Note } from "../ui/index.ts";
import { useRefresh } from "../ui/use-tick.ts";
import { KeyDialog } from "./models/key-dialog.tsx";
import { ModelTable } from "./models/model-table.tsx";
import { Providers } from "./models/providers.tsx";

export function Page() {
  const models = useCall("models.list", {}, { refreshOn: ["config.changed"] });
  const chosen = useCall("config.get", can("config.get") ? { path: "models.default" } : undefined, {
    refreshOn: ["config.changed"],
  });
  // Keys cool down and warm up without an event.
  useRefresh(15_000, models.reload);
  const standard = typeof chosen.data?.value === "string" ? chosen.data.value : undefined;
  const reload = () => {
    models.reload();
    chosen.reload();
  };
  return (
    <div class="page-body">
      <Await of={models}>{(data) => <Models data={data} standard={standard} onChanged={reload} />}</Await>
    </div>
  );
}

interface ModelsProps {
  data: Result<"models.list">;
  /** `models.default` of the config; undefined: chosen by the keys. */
  standard: string | undefined;
  onChanged(): void;
}

function Models({ data, standard, onChanged }: ModelsProps) {
  const [provider, setProvider] = useState<string | undefined>();
  return (
    <>
      <Active data={data} standard={standard} />
      <Card
        title="Providers and keys"
        actions={
          <ActionButton
            needs="models.add-key"
            icon="key"
            run={() => {
              setProvider("");
              return undefined;
            }}
          >
            Add a key
          </ActionButton>
        }
      >
        <Providers providers={data.providers} onAddKey={setProvider} />
      </Card>
      <KeyDialog
        provider={provider}
        providers={data.providers.map(({ name }) => name)}
        onClose={() => setProvider(undefined)}
        onAdded={onChanged}
      />
      <Aliases aliases={data.aliases} />
      <section class="stack" aria-labelledby="all-models">
        <h2 id="all-models">Models</h2>
        {data.models.length === 0 ? (
          <EmptyState icon="models" title="No models">
            Add a key of a provider, and its models appear here.
          </EmptyState>
        ) : (
          <ModelTable data={data} standard={standard} onChanged={onChanged} />
        )}
      </section>
    </>
  );
}

function Active({ data: { active, isOffline }, standard }: Pick<ModelsProps, "data" | "standard">) {
  return (
    <Card title="Answers now">
      <div class="stack">
        <p class="active-model">
          <code>{active}</code>
          {isOffline && <Badge tone="warn">built-in helper</Badge>}
        </p>
        {isOffline && (
          <Note tone="warn">
            Only the small built-in helper answers: it needs no key and knows little. Add a key to have a real model.
          </Note>
        )}
        <p class="muted">
          {standard === undefined ? (
            "No default is set: mom chooses by the keys that are there."
          ) : (
            <>
              The default of the config is <code>{standard}</code>.
            </>
          )}
        </p>
      </div>
    </Card>
  );
}

function Aliases({ aliases }: { aliases: Readonly<Record<string, string>> }) {
  const all = Object.entries(aliases).sort(([one], [other]) => one.localeCompare(other));
  if (all.length === 0) return null;
  return (
    <Card title="Aliases">
      <dl class="alias-list">
        {all.map(([name, ref]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{ref}</code>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
