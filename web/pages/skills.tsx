/** What mom has learnt to do: where each skill comes from, whether it can be used, and what a scan finds in it. */
import { useState } from "preact/hooks";
import type { SkillSummary } from "../../src/gateway/protocol/index.ts";
import { can, useCall } from "../connection.ts";
import "../styles/page-parts.css";
import "../styles/skills.css";
import { Await, Badge, EmptyState, formatBytes, Note, Select, TextField } from "../ui/index.ts";
import { arrangeSkills, type SkillsShown } from "./skills/arrange-skills.ts";

export function Page() {
  const [agentId, setAgentId] = useState("");
  const agents = useCall("agents.list", can("agents.list") ? {} : undefined);
  const skills = useCall("skills.status", agentId === "" ? {} : { agentId }, { refreshOn: ["config.changed"] });
  const known = agents.data?.agents ?? [];
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
      <Await of={skills}>{({ skills: all }) => <Skills all={all} />}</Await>
    </div>
  );
}

function Skills({ all }: { all: readonly SkillSummary[] }) {
  const [search, setSearch] = useState("");
  const [shown, setShown] = useState<SkillsShown>("all");
  if (all.length === 0) {
    return (
      <EmptyState icon="skills" title="No skills">
        A skill is a folder with a SKILL.md. Put one below skills/ in the workspace, and mom knows it.
      </EmptyState>
    );
  }
  const found = arrangeSkills(all, search, shown);
  const usable = all.filter(({ unusable }) => unusable === undefined).length;
  const suspicious = all.filter(({ warnings }) => warnings.length > 0).length;
  const options = [
    { value: "all", label: `All (${all.length})` },
    { value: "usable", label: `Usable (${usable})` },
    { value: "unusable", label: `Not usable (${all.length - usable})` },
    { value: "warnings", label: `With warnings (${suspicious})` },
  ] as const;
  return (
    <>
      <search class="toolbar">
        <TextField
          label="Filter skills"
          isLabelHidden
          type="search"
          placeholder="Filter by name, source, text…"
          value={search}
          onInput={setSearch}
        />
        <Select label="Show" isLabelHidden value={shown} options={options} onChange={setShown} />
      </search>
      {found.length === 0 ? (
        <EmptyState icon="search" title="No skill matches" />
      ) : (
        <ul class="skill-list">
          {found.map((skill) => (
            <Skill key={skill.path} skill={skill} />
          ))}
        </ul>
      )}
    </>
  );
}

function Skill({ skill: { name, description, source, path, unusable, warnings, bytes } }: { skill: SkillSummary }) {
  return (
    <li class="card skill">
      <div class="spread">
        <h2>{name}</h2>
        <span class="row">
          <Badge>{source}</Badge>
          {unusable === undefined ? <Badge tone="good">Usable</Badge> : <Badge tone="warn">Not usable</Badge>}
        </span>
      </div>
      {description !== "" && <p>{description}</p>}
      {unusable !== undefined && <Note tone="warn">{unusable}</Note>}
      {warnings.length > 0 && (
        <Note tone="bad">
          <p>A scan of its text found:</p>
          <ul class="skill-warnings">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Note>
      )}
      <p class="skill-path">
        <code>{path}</code> <span class="muted small">{formatBytes(bytes)}</span>
      </p>
    </li>
  );
}
