/** Subagents: what each was given to do, how it stands, and ending it. Nothing where there are none. */
import type { SubagentSummary } from "../../../src/gateway/protocol/index.ts";
import { call, newKey, useCall } from "../../connection.ts";
import { href } from "../../router.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Badge, type Column, ErrorNote, formatCost, formatTokens, Table, type Tone, When } from "../../ui/index.ts";
import { LongList } from "../../ui/long-list.tsx";
import { useRefresh } from "../../ui/use-tick.ts";

const tones: Record<SubagentSummary["state"], Tone> = {
  waiting: "neutral",
  running: "accent",
  done: "good",
  failed: "bad",
  "timed-out": "bad",
  stopped: "neutral",
  interrupted: "warn",
};

export function Subagents() {
  const found = useCall("subagents.list", { limit: 200 }, { refreshOn: ["session.changed"] });
  const runs = found.data?.runs ?? [];
  useRefresh(10_000, found.reload);
  if (found.error !== undefined) return <ErrorNote error={found.error} onRetry={found.reload} />;
  if (runs.length === 0) return null;
  return (
    <section class="stack" aria-labelledby="subagents">
      <h2 id="subagents">Subagents</h2>
      <LongList rows={runs} atOnce={20}>
        {(shown) => <Table caption="Subagents" columns={columns} rows={shown} keyOf={({ runId }) => runId} />}
      </LongList>
    </section>
  );
}

const columns: readonly Column<SubagentSummary>[] = [
  { key: "task", label: "Task", isWide: true, render: (run) => <Task run={run} /> },
  { key: "state", label: "State", render: ({ state }) => <Badge tone={tones[state]}>{state}</Badge> },
  { key: "begun", label: "Begun", render: ({ startedAt, createdAt }) => <When at={startedAt ?? createdAt} /> },
  {
    key: "tokens",
    label: "Tokens",
    isNumber: true,
    render: ({ tokens }) => (tokens === undefined ? "–" : formatTokens(tokens)),
  },
  { key: "cost", label: "Cost", isNumber: true, render: ({ cost }) => (cost === undefined ? "–" : formatCost(cost)) },
  { key: "actions", label: "Actions", render: (run) => <Stop run={run} /> },
];

function Task({ run: { label, task, sessionKey, requester } }: { run: SubagentSummary }) {
  return (
    <span class="session-name">
      <a href={href("sessions", sessionKey)}>{label ?? task.split("\n", 1)[0]}</a>
      <span class="session-place">
        for <a href={href("sessions", requester)}>{requester}</a>
      </span>
    </span>
  );
}

function Stop({ run: { runId, state, label, task } }: { run: SubagentSummary }) {
  if (state !== "running" && state !== "waiting") return <>–</>;
  const stop = async () => {
    const { stopped } = await call("subagents.stop", { runId, idempotencyKey: newKey() });
    return stopped ? "It is stopped." : "It was over already.";
  };
  return (
    <ActionButton needs="subagents.stop" size="small" icon="stop" about={label ?? task} run={stop}>
      Stop
    </ActionButton>
  );
}
