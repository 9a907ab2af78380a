/** The list of all sessions: searched, narrowed and sorted in the browser. */
import { useEffect, useState } from "preact/hooks";
import type { SessionSummary } from "../../../src/gateway/protocol/index.ts";
import { can, useCall } from "../../connection.ts";
import { nameOfSession } from "../../names.ts";
import { href } from "../../router.ts";
import {
  Await,
  Badge,
  type Column,
  EmptyState,
  formatCost,
  formatTokens,
  IconButton,
  Note,
  Select,
  Table,
  TextField,
  When,
} from "../../ui/index.ts";
import { LongList } from "../../ui/long-list.tsx";
import { useRefresh } from "../../ui/use-tick.ts";
import { arrangeSessions, describeSession, type SessionView, type SortKey } from "./arrange-sessions.ts";
import { Subagents } from "./subagents.tsx";

const most = 1000;
const sorts: readonly { value: SortKey; label: string }[] = [
  { value: "activity", label: "Last activity" },
  { value: "created", label: "Created" },
  { value: "name", label: "Name" },
  { value: "tokens", label: "Tokens" },
  { value: "cost", label: "Cost" },
];
const startView: SessionView = { search: "", type: "", agentId: "", sort: "activity", isAscending: false };

export function SessionList() {
  const [view, setView] = useState(startView);
  const [asked, setAsked] = useState("");
  const sessions = useCall(
    "sessions.list",
    { limit: most, ...(asked !== "" && { search: asked }) },
    { refreshOn: ["session.changed"] },
  );
  // Tokens and running turns change without an event that everybody is told.
  useRefresh(10_000, sessions.reload);
  const isCut = (sessions.data?.total ?? 0) > (sessions.data?.sessions.length ?? 0);
  useEffect(() => {
    // All are here: the browser searches. They are not: mom has to.
    if (!isCut && asked === "") return;
    const timer = setTimeout(() => setAsked(view.search.trim().slice(0, 200)), 300);
    return () => clearTimeout(timer);
  }, [view.search, isCut, asked]);
  return (
    <div class="page-body">
      <Await of={sessions}>
        {({ sessions: all, total }) =>
          total === 0 && asked === "" ? (
            <EmptyState icon="sessions" title="No sessions yet">
              One begins with the first message, in a chat or here.
            </EmptyState>
          ) : (
            <>
              <Filters view={view} all={all} onChange={setView} />
              {isCut && (
                <Note>
                  The newest {all.length} of {total} are shown. A search looks at all of them.
                </Note>
              )}
              <Found rows={arrangeSessions(all, view)} />
            </>
          )
        }
      </Await>
      {can("subagents.list") && <Subagents />}
    </div>
  );
}

interface FiltersProps {
  view: SessionView;
  all: readonly SessionSummary[];
  onChange(view: SessionView): void;
}

function Filters({ view, all, onChange }: FiltersProps) {
  const set = (change: Partial<SessionView>) => onChange({ ...view, ...change });
  const optionsOf = (values: readonly string[], everything: string) => [
    { value: "", label: everything },
    ...[...new Set(values)].sort().map((value) => ({ value, label: value })),
  ];
  const agents = optionsOf(
    all.map(({ agentId }) => agentId),
    "All agents",
  );
  return (
    <search class="toolbar">
      <TextField
        label="Search sessions"
        isLabelHidden
        type="search"
        placeholder="Search name, place, model…"
        value={view.search}
        onInput={(search) => set({ search })}
      />
      <Select
        label="Type"
        isLabelHidden
        value={view.type}
        options={optionsOf(
          all.map(({ type }) => type),
          "All types",
        )}
        onChange={(type) => set({ type })}
      />
      {agents.length > 2 && (
        <Select
          label="Agent"
          isLabelHidden
          value={view.agentId}
          options={agents}
          onChange={(agentId) => set({ agentId })}
        />
      )}
      <div class="session-sort">
        <Select label="Sort by" isLabelHidden value={view.sort} options={sorts} onChange={(sort) => set({ sort })} />
        <IconButton
          icon={view.isAscending ? "up" : "down"}
          label={view.isAscending ? "Smallest or oldest first" : "Largest or newest first"}
          onClick={() => set({ isAscending: !view.isAscending })}
        />
      </div>
    </search>
  );
}

function Found({ rows }: { rows: readonly SessionSummary[] }) {
  if (rows.length === 0) return <EmptyState icon="search" title="No session matches" />;
  return (
    <LongList rows={rows}>
      {(shown) => <Table caption="Sessions" columns={columns} rows={shown} keyOf={({ sessionKey }) => sessionKey} />}
    </LongList>
  );
}

const columns: readonly Column<SessionSummary>[] = [
  { key: "name", label: "Session", isWide: true, render: (session) => <Name session={session} /> },
  { key: "agent", label: "Agent", render: ({ agentId }) => agentId },
  { key: "model", label: "Model", render: ({ model }) => <span class="session-model">{model ?? "–"}</span> },
  {
    key: "tokens",
    label: "Tokens in / out",
    isNumber: true,
    render: ({ inputTokens, outputTokens }) => `${formatTokens(inputTokens)} / ${formatTokens(outputTokens)}`,
  },
  { key: "cost", label: "Cost", isNumber: true, render: ({ cost }) => formatCost(cost) },
  { key: "activity", label: "Last activity", render: ({ updatedAt }) => <When at={updatedAt} /> },
];

function Name({ session }: { session: SessionSummary }) {
  const name = nameOfSession(session);
  return (
    <span class="session-name">
      <span>
        <a href={href("sessions", session.sessionKey)}>{name}</a>{" "}
        {session.isRunning && <Badge tone="accent">running</Badge>}
      </span>
      <span class="session-place">{describeSession(session)}</span>
    </span>
  );
}
