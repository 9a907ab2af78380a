/** What can be done with a job: run it now, pause it, change it, take it away. */
import type { CronJobSummary } from "../../../src/gateway/protocol/index.ts";
import { call, newKey } from "../../connection.ts";
import { ActionButton } from "../../ui/action-button.tsx";

interface JobButtonProps {
  job: CronJobSummary;
  size?: "small" | "medium";
}

export function RunButton({ job, size = "medium" }: JobButtonProps) {
  const run = async () => {
    const { ran, reason } = await call("cron.run", { id: job.id, mode: "force", idempotencyKey: newKey() });
    if (!ran) throw new Error(reason ?? "It was not run.");
    return `"${job.name}" runs.`;
  };
  return (
    <ActionButton needs="cron.run" size={size} icon="play" about={job.name} run={run}>
      Run now
    </ActionButton>
  );
}

export function PauseButton({ job, size = "medium" }: JobButtonProps) {
  const { id, enabled, name } = job;
  const toggle = async () => {
    await call("cron.update", { id, patch: { enabled: !enabled }, idempotencyKey: newKey() });
    return enabled ? `"${name}" is paused.` : `"${name}" is on again.`;
  };
  return (
    <ActionButton needs="cron.update" size={size} about={name} run={toggle}>
      {enabled ? "Pause" : "Resume"}
    </ActionButton>
  );
}

export function RemoveButton({ job, onRemoved }: JobButtonProps & { onRemoved(): void }) {
  const remove = async () => {
    await call("cron.remove", { id: job.id, idempotencyKey: newKey() });
    onRemoved();
    return `"${job.name}" is gone.`;
  };
  return (
    <ActionButton
      needs="cron.remove"
      variant="danger"
      icon="trash"
      run={remove}
      ask={{
        title: "Delete the job?",
        text: `"${job.name}" will not run again. Its history goes with it.`,
        action: "Delete it",
        isDangerous: true,
      }}
    >
      Delete…
    </ActionButton>
  );
}
