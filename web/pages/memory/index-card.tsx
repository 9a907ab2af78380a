/** The index of what is remembered: how much, how far, by which embedder; and bringing it up to date. */
import type { MemoryStatusSummary } from "../../../src/gateway/protocol/index.ts";
import { call, newKey, useCall } from "../../connection.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Await, Badge, Card, formatBytes, Note, When } from "../../ui/index.ts";
import { useRefresh } from "../../ui/use-tick.ts";
import { describeIndex, toPercent } from "./words.ts";

const lookEveryMs = 2000;
const restEveryMs = 30_000;

export function IndexCard({ of }: { of: { agentId?: string } }) {
  const status = useCall("memory.status", of, { refreshOn: ["memory", "config.changed"] });
  const isBusy = status.data !== undefined && status.data.state !== "idle";
  useRefresh(isBusy ? lookEveryMs : restEveryMs, status.reload);
  const index = async (force: boolean) => {
    const { isDone } = await call("memory.index", { ...of, force, idempotencyKey: newKey() });
    status.reload();
    return isDone ? "The index is up to date." : "The index is being built; it goes on by itself.";
  };
  return (
    <Card
      title="Index"
      actions={
        <>
          <ActionButton needs="memory.index" size="small" icon="refresh" run={() => index(false)}>
            Bring up to date
          </ActionButton>
          <ActionButton
            needs="memory.index"
            size="small"
            run={() => index(true)}
            ask={{
              title: "Build the index anew?",
              text: "All files are read and embedded again. With an embedder that is paid for, that costs a little.",
              action: "Build it anew",
            }}
          >
            Build anew…
          </ActionButton>
        </>
      }
    >
      <Await of={status}>{(data) => <Status status={data} />}</Await>
    </Card>
  );
}

function Status({ status }: { status: MemoryStatusSummary }) {
  const { text, tone } = describeIndex(status);
  const { progress, skipped, note, chunks, embedded } = status;
  return (
    <div class="stack">
      {progress && (
        <div class="index-progress">
          <label for="index-progress">
            {progress.done} of {progress.total} indexed
          </label>
          <progress id="index-progress" max={100} value={toPercent(progress)} />
        </div>
      )}
      {note !== undefined && <Note tone={status.embedder === undefined ? "warn" : "neutral"}>{note}</Note>}
      <Facts
        of={[
          ["State", <Badge tone={tone}>{text}</Badge>],
          ["Embedder", status.embedder ?? "None: only words are searched"],
          ["Dimensions", status.dimensions],
          ["Files", String(status.files)],
          ["Pieces", chunks === 0 ? "0" : `${chunks}, ${embedded} of them with a vector`],
          ["Size", formatBytes(status.indexBytes)],
          ["Up to date as of", status.lastSyncAt === undefined ? "never" : <When at={status.lastSyncAt} />],
        ]}
      />
      {status.files === 0 && status.state === "idle" && (
        <Note>
          Nothing is remembered yet. Tell mom in the chat to remember something, or write <code>MEMORY.md</code> or a
          daily note below <code>memory/</code> in the workspace.
        </Note>
      )}
      {skipped.length > 0 && (
        <details class="index-skipped">
          <summary>
            {skipped.length} {skipped.length === 1 ? "file was" : "files were"} left out
          </summary>
          <ul>
            {skipped.map(({ path, reason }) => (
              <li key={path}>
                <code>{path}</code> <span class="muted small">{reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
