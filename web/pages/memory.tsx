/** What mom remembers: searched as its owner, with the lines that were found, and the index behind it. */
import { useState } from "preact/hooks";
import { can, useCall } from "../connection.ts";
import "../styles/page-parts.css";
import "../styles/automation.css";
import { Select } from "../ui/index.ts";
import { IndexCard } from "./memory/index-card.tsx";
import { Search } from "./memory/search.tsx";

export function Page() {
  const [agentId, setAgentId] = useState("");
  const agents = useCall("agents.list", can("agents.list") ? {} : undefined);
  const known = agents.data?.agents ?? [];
  const of = agentId === "" ? {} : { agentId };
  return (
    <div class="page-body">
      {known.length > 1 && (
        <div class="picker">
          <Select
            label="Agent"
            value={agentId === "" ? (known[0]?.id ?? "") : agentId}
            options={known.map(({ id, name }) => ({ value: id, label: name ?? id }))}
            onChange={setAgentId}
          />
        </div>
      )}
      <Search key={agentId} of={of} />
      <IndexCard of={of} />
    </div>
  );
}
