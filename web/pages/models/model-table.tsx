/** All models, searched; one of them can be made the default. */
import { useState } from "preact/hooks";
import type { ModelSummary, Result } from "../../../src/gateway/protocol/index.ts";
import { call, newKey } from "../../connection.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Badge, type Column, EmptyState, formatTokens, Select, Switch, Table, TextField } from "../../ui/index.ts";
import { LongList } from "../../ui/long-list.tsx";
import { arrangeModels, formatPrice, type ModelView } from "./arrange-models.ts";

interface ModelTableProps {
  data: Result<"models.list">;
  standard: string | undefined;
  onChanged(): void;
}

export function ModelTable({ data, standard, onChanged }: ModelTableProps) {
  const [view, setView] = useState<ModelView>({ search: "", provider: "", isUsableOnly: true });
  const set = (change: Partial<ModelView>) => setView({ ...view, ...change });
  const found = arrangeModels(data.models, data.providers, view);
  const names = [...new Set(data.models.map(({ provider }) => provider))].sort();
  const chosen = standard === undefined ? undefined : (data.aliases[standard] ?? standard);
  return (
    <>
      <search class="toolbar">
        <TextField
          label="Search models"
          isLabelHidden
          type="search"
          placeholder="Search models…"
          value={view.search}
          onInput={(search) => set({ search })}
        />
        <Select
          label="Provider"
          isLabelHidden
          value={view.provider}
          options={[{ value: "", label: "All providers" }, ...names.map((name) => ({ value: name, label: name }))]}
          onChange={(provider) => set({ provider })}
        />
        <Switch label="With a key only" isOn={view.isUsableOnly} onChange={(isUsableOnly) => set({ isUsableOnly })} />
      </search>
      {found.length === 0 ? (
        <EmptyState icon="search" title="No model matches">
          {view.isUsableOnly && "Models of providers without a key are left out."}
        </EmptyState>
      ) : (
        <LongList rows={found} atOnce={50}>
          {(rows) => (
            <Table
              caption="Models"
              columns={buildColumns(data.active, chosen, onChanged)}
              rows={rows}
              keyOf={({ ref }) => ref}
            />
          )}
        </LongList>
      )}
    </>
  );
}

function buildColumns(active: string, chosen: string | undefined, onChanged: () => void): Column<ModelSummary>[] {
  return [
    {
      key: "name",
      label: "Model",
      isWide: true,
      render: ({ ref, id, provider }) => (
        <span class="model-name">
          <span>
            <span class="muted">{provider}/</span>
            {id}
          </span>
          {ref === active && <Badge tone="good">active</Badge>}
          {ref === chosen && <Badge tone="accent">default</Badge>}
        </span>
      ),
    },
    { key: "context", label: "Context", isNumber: true, render: ({ contextWindow }) => formatTokens(contextWindow) },
    { key: "output", label: "Output", isNumber: true, render: ({ maxOutputTokens }) => formatTokens(maxOutputTokens) },
    { key: "price", label: "$ per M in / out", isNumber: true, render: ({ price }) => formatPrice(price) },
    {
      key: "takes",
      label: "Takes",
      render: ({ input, reasoning }) => (
        <span class="keep">{[...input, ...(reasoning ? ["thinks"] : [])].join(", ")}</span>
      ),
    },
    {
      key: "default",
      label: "Default",
      render: ({ ref }) => (ref === chosen ? "chosen" : <MakeDefault modelRef={ref} onChanged={onChanged} />),
    },
  ];
}

function MakeDefault({ modelRef, onChanged }: { modelRef: string; onChanged(): void }) {
  const set = async () => {
    const { outcome, reasons, problems } = await call("config.patch", {
      changes: [{ path: "models.default", value: modelRef }],
      idempotencyKey: newKey(),
    });
    onChanged();
    if (outcome === "applied" || outcome === "unchanged") return `${modelRef} is the default now.`;
    const why = [...reasons, ...problems.map(({ message }) => message)].join(" ");
    throw new Error(why === "" ? `Not done: ${outcome}.` : why);
  };
  return (
    <ActionButton
      needs="config.patch"
      size="small"
      about={modelRef}
      run={set}
      ask={{
        title: "Change the default model?",
        text: `${modelRef} answers from now on, wherever no other model was chosen.`,
        action: "Make it the default",
      }}
    >
      Make default
    </ActionButton>
  );
}
