/** One job: what it does and how it went, due time by due time. */
import { useState } from "preact/hooks";
import type { CronJobSummary, CronRunSummary } from "../../../src/gateway/protocol/index.ts";
import { useCall } from "../../connection.ts";
import { go, href } from "../../router.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import {
  Await,
  Badge,
  Card,
  type Column,
  EmptyState,
  formatDuration,
  formatMoment,
  Icon,
  Note,
  Table,
  When,
} from "../../ui/index.ts";
import { LongList } from "../../ui/long-list.tsx";
import { useTime } from "../../ui/use-tick.ts";
import { PauseButton, RemoveButton, RunButton } from "./job-actions.tsx";
import { JobDialog } from "./job-dialog.tsx";
import { State } from "./job-list.tsx";
import { describeDeed, describeDelivery, describePlace, describeReason, describeRun } from "./words.ts";

export function JobDetail({ id }: { id: string }) {
  const jobs = useCall("cron.list", { includeDisabled: true, limit: 1000 }, { refreshOn: ["cron"] });
  useTime(30_000);
  return (
    <div class="page-body">
      <a class="back-link" href={href("cron")}>
        <Icon name="left" size={16} />
        All jobs
      </a>
      <Await of={jobs}>
        {({ jobs: all }) => {
          const job = all.find((each) => each.id === id);
          return job ? (
            <Present job={job} onChanged={jobs.reload} />
          ) : (
            <EmptyState icon="search" title="There is no such job (any more)">
              A job that comes once is gone when it has run.
            </EmptyState>
          );
        }}
      </Await>
    </div>
  );
}

function Present({ job, onChanged }: { job: CronJobSummary; onChanged(): void }) {
  const [isEditing, setEditing] = useState(false);
  const edit = () => {
    setEditing(true);
    return undefined;
  };
  return (
    <>
      <header class="cron-head">
        <h2>
          {job.name} <State job={job} />
        </h2>
        <div class="buttons">
          <RunButton job={job} />
          <PauseButton job={job} />
          <ActionButton needs="cron.update" icon="edit" run={edit}>
            Change…
          </ActionButton>
          <RemoveButton job={job} onRemoved={() => go("cron")} />
        </div>
      </header>
      {job.state.lastStatus === "error" && (
        <Note tone="bad">
          {job.state.lastError ?? "The last run failed."}
          {(job.state.failures ?? 0) > 1 &&
            ` It has failed ${job.state.failures} times in a row, and is tried less often.`}
        </Note>
      )}
      <About job={job} />
      <History job={job} />
      <JobDialog isOpen={isEditing} job={job} onClose={() => setEditing(false)} onSaved={onChanged} />
    </>
  );
}

function About({ job }: { job: CronJobSummary }) {
  const { state, payload } = job;
  return (
    <Card title="About">
      <Facts
        of={[
          ["When", job.when],
          ["Next run", toMoment(state.nextRunAtMs)],
          ["Last run", toMoment(state.lastRunAtMs)],
          [payload.kind === "agentTurn" ? "Task" : "Text", <span class="cron-text">{describeDeed(job)}</span>],
          ["Note", job.description],
          ["Answer", describeDelivery(job)],
          ["Model", payload.kind === "agentTurn" ? payload.model : undefined],
          ["Agent", job.agentId],
          ["Made by", `${job.home.askedBy.username}, in ${describePlace(job.home.channel)}`],
          ["From outside", job.home.outside],
        ]}
      />
    </Card>
  );
}

const toMoment = (at: number | undefined) =>
  at === undefined ? undefined : (
    <>
      {formatMoment(at)}{" "}
      <span class="muted">
        (<When at={at} />)
      </span>
    </>
  );

function History({ job }: { job: CronJobSummary }) {
  const history = useCall("cron.runs", { id: job.id, limit: 200 }, { refreshOn: ["cron"] });
  return (
    <section class="stack" aria-labelledby="history">
      <h2 id="history">History</h2>
      <Await of={history}>
        {({ runs }) =>
          runs.length === 0 ? (
            <EmptyState icon="clock" title="Nothing yet">
              Every due time will stand here, with what came of it.
            </EmptyState>
          ) : (
            <LongList rows={runs} atOnce={50}>
              {(shown) => (
                <Table caption="History" columns={columns} rows={shown} keyOf={({ dueAt }) => String(dueAt)} />
              )}
            </LongList>
          )
        }
      </Await>
    </section>
  );
}

const columns: readonly Column<CronRunSummary>[] = [
  {
    key: "due",
    label: "Due",
    render: ({ dueAt }) => <time dateTime={new Date(dueAt).toISOString()}>{formatMoment(dueAt)}</time>,
  },
  {
    key: "outcome",
    label: "Outcome",
    render: (run) => {
      const { text, tone } = describeRun(run);
      return <Badge tone={tone}>{text}</Badge>;
    },
  },
  { key: "what", label: "What came of it", isWide: true, render: (run) => <Outcome run={run} /> },
  {
    key: "took",
    label: "Took",
    isNumber: true,
    render: ({ durationMs }) => (durationMs === undefined ? "–" : formatDuration(durationMs)),
  },
];

function Outcome({ run: { reason, error, summary } }: { run: CronRunSummary }) {
  if (reason === undefined && error === undefined && summary === undefined) return <>–</>;
  return (
    <span class="cron-outcome">
      {error !== undefined && <span class="cron-error">{error}</span>}
      {summary !== undefined && <span>{summary}</span>}
      {reason !== undefined && <span class="muted small">{describeReason(reason)}</span>}
    </span>
  );
}
