/** The page "usage": what the models have cost, in all, per day, and by model, session, agent and person. */
import "../styles/usage.css";
import { useState } from "preact/hooks";
import type { Params } from "../../src/gateway/protocol/index.ts";
import { useCall } from "../connection.ts";
import { Await, EmptyState, formatCost, formatTokens, Stat, Table, Tabs } from "../ui/index.ts";
import { ChartView } from "./usage/chart-view.tsx";
import {
  type Day,
  fillDays,
  firstDay,
  type Range,
  type Ranked,
  ranges,
  rankTotals,
  sumFigures,
  tokensOf,
} from "./usage/usage-figures.ts";

const rangeNames: Record<Range, string> = { 1: "Today", 7: "7 days", 30: "30 days", 90: "90 days" };

export function Page() {
  const [range, setRange] = useState<Range>(30);
  const tabs = ranges.map((each) => ({ id: String(each), label: rangeNames[each] }));
  return (
    <div class="page-body usage">
      <Tabs
        label="Time"
        tabs={tabs}
        value={String(range)}
        onChange={(id) => setRange(ranges.find((each) => String(each) === id) ?? 30)}
      >
        <RangeView key={range} range={range} />
      </Tabs>
    </div>
  );
}

function RangeView({ range }: { range: Range }) {
  const [now] = useState(() => new Date());
  const since = firstDay(range, now);
  const days = useCall("sessions.usage", { by: "day", since });
  return (
    <Await of={days}>
      {({ totals }) =>
        totals.length === 0 ? (
          <EmptyState icon="usage" title={range === 1 ? "No model was asked today" : "No model was asked in this time"}>
            As soon as mom answers, tokens and cost are counted here.
          </EmptyState>
        ) : (
          <div class="stack">
            <Totals days={fillDays(totals, range, now)} />
            {range > 1 && <Charts days={fillDays(totals, range, now)} />}
            <Breakdown since={since} />
          </div>
        )
      }
    </Await>
  );
}

function Totals({ days }: { days: readonly Day[] }) {
  const sum = sumFigures(days);
  const read = sum.input + sum.cacheRead + sum.cacheWrite;
  const cached = read > 0 ? Math.round((sum.cacheRead / read) * 100) : 0;
  return (
    <div class="grid-small">
      <Stat label="Cost" value={formatCost(sum.cost)} />
      <Stat label="Tokens" value={formatTokens(tokensOf(sum))} />
      <Stat label="Read" value={formatTokens(read)} hint={`${cached} % from the cache`} />
      <Stat label="Written" value={formatTokens(sum.output)} />
      <Stat label="Model calls" value={sum.calls.toLocaleString()} />
    </div>
  );
}

function Charts({ days }: { days: readonly Day[] }) {
  const names = days.map(({ day }) => day);
  const cost = [{ label: "Cost", colour: "--accent", values: days.map((day) => day.cost) }];
  const tokens = [
    { label: "From the cache", colour: "--usage-cached", values: days.map((day) => day.cacheRead) },
    { label: "Read", colour: "--accent", values: days.map((day) => day.input + day.cacheWrite) },
    { label: "Written", colour: "--warn", values: days.map((day) => day.output) },
  ];
  return (
    <div class="usage-charts">
      <ChartView title="Cost per day" data={{ days: names, series: cost, format: formatCost }} />
      <ChartView title="Tokens per day" data={{ days: names, series: tokens, format: formatTokens }} />
    </div>
  );
}

type By = Exclude<Params<"sessions.usage">["by"], "day">;
const kinds: readonly { id: By; label: string }[] = [
  { id: "model", label: "By model" },
  { id: "session", label: "By session" },
  { id: "agent", label: "By agent" },
  { id: "sender", label: "By person" },
];

function Breakdown({ since }: { since: string }) {
  const [by, setBy] = useState<By>("model");
  const totals = useCall("sessions.usage", { by, since });
  const label = kinds.find(({ id }) => id === by)?.label ?? "";
  return (
    <Tabs<By> label="Who or what used it" tabs={kinds} value={by} onChange={setBy}>
      <Await of={totals}>
        {(data) => <RankedTable key={by} caption={label} by={by} rows={rankTotals(data.totals)} />}
      </Await>
    </Tabs>
  );
}

const columnNames: Record<By, string> = { model: "Model", session: "Session", agent: "Agent", sender: "Person" };
const firstRows = 20;

function RankedTable({ caption, by, rows }: { caption: string; by: By; rows: readonly Ranked[] }) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? rows : rows.slice(0, firstRows);
  return (
    <div class="stack">
      <Table
        caption={caption}
        rows={shown}
        keyOf={({ key }) => key}
        columns={[
          {
            key: "name",
            label: columnNames[by],
            isWide: true,
            render: (row) => <Named row={row} by={by} />,
          },
          { key: "calls", label: "Calls", isNumber: true, render: ({ calls }) => calls.toLocaleString() },
          { key: "tokens", label: "Tokens", isNumber: true, render: ({ tokens }) => formatTokens(tokens) },
          { key: "cost", label: "Cost", isNumber: true, render: ({ cost }) => formatCost(cost) },
        ]}
      />
      {rows.length > shown.length && (
        <button type="button" class="button button-default button-small usage-more" onClick={() => setAll(true)}>
          Show all {rows.length}
        </button>
      )}
    </div>
  );
}

function Named({ row: { key, share }, by }: { row: Ranked; by: By }) {
  return (
    <div class="usage-named">
      <span class="usage-key">{key === "" ? (by === "sender" ? "mom herself" : "none") : key}</span>
      <span class="usage-bar" aria-hidden="true">
        <span style={{ width: `${Math.max(share * 100, 0.5)}%` }} />
      </span>
    </div>
  );
}
