/** What a session may use, and for everything else the layer and the rule that took it away. */
import { useState } from "preact/hooks";
import type { Result, ToolSummary } from "../../src/gateway/protocol/index.ts";
import { can, snapshot, useCall } from "../connection.ts";
import { nameOfSession } from "../names.ts";
import { replaceRoute, route } from "../router.ts";
import "../styles/page-parts.css";
import "../styles/tools.css";
import { Await, Badge, EmptyState, Note, Select, TextField } from "../ui/index.ts";
import { countLayers, groupTools, type Shown, type ToolGroup } from "./tools/group-tools.ts";

export function Page() {
  const sessionKey = route.value.arg ?? snapshot.value?.mainSessionKey;
  const tools = useCall("tools.list", sessionKey === undefined ? {} : { sessionKey }, {
    refreshOn: ["config.changed"],
  });
  return (
    <div class="page-body">
      <SessionPicker sessionKey={sessionKey ?? ""} />
      <Await of={tools}>{(data) => <Tools data={data} />}</Await>
    </div>
  );
}

function SessionPicker({ sessionKey }: { sessionKey: string }) {
  const sessions = useCall("sessions.list", can("sessions.list") ? { limit: 1000 } : undefined, {
    refreshOn: ["session.changed"],
  });
  const known = (sessions.data?.sessions ?? []).map((session) => ({
    value: session.sessionKey,
    label: nameOfSession(session),
  }));
  const isKnown = known.some(({ value }) => value === sessionKey);
  const own = sessionKey === snapshot.value?.mainSessionKey ? "Your own conversation" : sessionKey;
  return (
    <div class="picker">
      <Select
        label="Session"
        value={sessionKey}
        options={isKnown ? known : [{ value: sessionKey, label: own }, ...known]}
        onChange={(key) => replaceRoute("tools", key)}
      />
    </div>
  );
}

const shownOptions: readonly { value: Shown; label: string }[] = [
  { value: "all", label: "All" },
  { value: "allowed", label: "Allowed" },
  { value: "removed", label: "Removed" },
];

function Tools({ data: { tools, warnings, model } }: { data: Result<"tools.list"> }) {
  const [search, setSearch] = useState("");
  const [shown, setShown] = useState<Shown>("all");
  const allowed = tools.filter((tool) => tool.allowed).length;
  const groups = groupTools(tools, search, shown);
  return (
    <>
      <p class="tools-sum">
        <strong>{allowed}</strong> of {tools.length} tools allowed
        {model !== undefined && (
          <>
            {" "}
            with <code>{model}</code>
          </>
        )}
        {countLayers(tools).map(({ layer, count }) => (
          <Badge key={layer}>
            {layer}: {count} removed
          </Badge>
        ))}
      </p>
      {warnings.map((warning) => (
        <Note key={warning} tone="warn">
          {warning}
        </Note>
      ))}
      <search class="toolbar">
        <TextField
          label="Filter tools"
          isLabelHidden
          type="search"
          placeholder="Filter by name, group, rule…"
          value={search}
          onInput={setSearch}
        />
        <Select label="Show" isLabelHidden value={shown} options={shownOptions} onChange={setShown} />
      </search>
      {groups.length === 0 && <EmptyState icon="tools" title={tools.length === 0 ? "No tools" : "No tool matches"} />}
      {groups.map((group) => (
        <Group key={group.name} group={group} />
      ))}
    </>
  );
}

function Group({ group: { name, tools, allowed } }: { group: ToolGroup }) {
  return (
    <section class="tool-group">
      <h2>
        {name}{" "}
        <span class="muted small">
          {allowed} of {tools.length} allowed
        </span>
      </h2>
      <ul class="rows">
        {tools.map((tool) => (
          <ToolRow key={tool.name} tool={tool} />
        ))}
      </ul>
    </section>
  );
}

function ToolRow({ tool: { name, allowed, removedBy } }: { tool: ToolSummary }) {
  return (
    <li class="tool-row">
      <div class="spread">
        <code class="tool-name">{name}</code>
        {allowed ? (
          <Badge tone="good">Allowed</Badge>
        ) : (
          <Badge tone="warn">Removed by {removedBy?.layer ?? "policy"}</Badge>
        )}
      </div>
      {removedBy && <p class="tool-rule">{removedBy.rule}</p>}
    </li>
  );
}
