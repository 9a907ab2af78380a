/** All jobs: when each is due next, how it stands, and a form for another one. */
import { useState } from "preact/hooks";
import type { CronJobSummary } from "../../../src/gateway/protocol/index.ts";
import { can, useCall } from "../../connection.ts";
import { href } from "../../router.ts";
import { useActions } from "../../shell/actions.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Await, Badge, type Column, EmptyState, Note, Table, When } from "../../ui/index.ts";
import { LongList } from "../../ui/long-list.tsx";
import { useTime } from "../../ui/use-tick.ts";
import { HeartbeatCard } from "./heartbeat-card.tsx";
import { PauseButton, RunButton } from "./job-actions.tsx";
import { JobDialog } from "./job-dialog.tsx";
import { describeDeed, describeState } from "./words.ts";

export function JobList() {
  const jobs = useCall("cron.list", { includeDisabled: true, limit: 1000 }, { refreshOn: ["cron"] });
  const status = useCall("cron.status", {}, { refreshOn: ["config.changed"] });
  const [isAdding, setAdding] = useState(false);
  const open = () => {
    setAdding(true);
    return undefined;
  };
  useActions(can("cron.add") ? [{ id: "cron-add", title: "New job", icon: "plus", run: open }] : []);
  // "In 5 min" must not stay for an hour.
  useTime(30_000);
  const add = (
    <ActionButton needs="cron.add" variant="primary" icon="plus" run={open}>
      New job
    </ActionButton>
  );
  return (
    <div class="page-body">
      {status.data?.enabled === false && (
        <Note tone="warn">
          Jobs are switched off in the config (<code>cron.enabled</code>): none of these runs.
        </Note>
      )}
      <Await of={jobs}>
        {({ jobs: all, total }) => (
          <section class="stack" aria-labelledby="jobs">
            <div class="spread">
              <h2 id="jobs">Jobs</h2>
              {all.length > 0 && add}
            </div>
            {all.length === 0 ? (
              <EmptyState icon="clock" title="No jobs yet" action={add}>
                Ask mom in the chat (“every weekday at nine, tell me the news”), or make one here.
              </EmptyState>
            ) : (
              <>
                {total > all.length && (
                  <Note>
                    The first {all.length} of {total} are shown.
                  </Note>
                )}
                <LongList rows={all}>
                  {(shown) => <Table caption="Jobs" columns={columns} rows={shown} keyOf={({ id }) => id} />}
                </LongList>
              </>
            )}
          </section>
        )}
      </Await>
      {can("heartbeat.status") && <HeartbeatCard />}
      <JobDialog isOpen={isAdding} onClose={() => setAdding(false)} onSaved={jobs.reload} />
    </div>
  );
}

const columns: readonly Column<CronJobSummary>[] = [
  { key: "name", label: "Job", isWide: true, render: (job) => <Name job={job} /> },
  { key: "when", label: "When", render: ({ when }) => <span class="cron-words">{when}</span> },
  {
    key: "next",
    label: "Next run",
    render: ({ state: { nextRunAtMs } }) => (nextRunAtMs === undefined ? "–" : <When at={nextRunAtMs} />),
  },
  { key: "state", label: "State", render: (job) => <State job={job} /> },
  {
    key: "actions",
    label: "Actions",
    render: (job) => (
      <div class="buttons">
        <RunButton job={job} size="small" />
        <PauseButton job={job} size="small" />
      </div>
    ),
  },
];

function Name({ job }: { job: CronJobSummary }) {
  return (
    <span class="cron-name">
      <a href={href("cron", job.id)}>{job.name}</a>
      <span class="muted small clamp">{describeDeed(job)}</span>
    </span>
  );
}

export function State({ job }: { job: CronJobSummary }) {
  const { text, tone } = describeState(job);
  return <Badge tone={tone}>{text}</Badge>;
}
