/** What words were taken for, with the next times; or why they were not. */
import { formatMoment, Note, relativeTime, Spinner } from "../../ui/index.ts";
import type { Preview } from "./use-preview.ts";

/** `zone`: the browser's; times are shown in it. */
export function PreviewNote({ preview, zone }: { preview: Preview; zone: string }) {
  return (
    <div class="cron-preview" aria-live="polite">
      <Inside preview={preview} zone={zone} />
    </div>
  );
}

function Inside({ preview, zone }: { preview: Preview; zone: string }) {
  if (preview.type === "none") return null;
  if (preview.type === "asking") return <Spinner label="Reading it…" size={16} />;
  if (preview.type === "refused") {
    return (
      <Note tone="warn">
        <p>{preview.problem}</p>
        {preview.hint !== undefined && <p class="small">{preview.hint}</p>}
      </Note>
    );
  }
  const { schedule, text, next } = preview;
  const isElsewhere = schedule.kind === "cron" && schedule.tz !== undefined && schedule.tz !== zone;
  return (
    <Note tone={next.length > 0 ? "good" : "warn"}>
      <p>
        <strong>{text}</strong>
      </p>
      {next.length === 0 ? (
        <p>It never comes due.</p>
      ) : (
        <ol class="cron-times" aria-label="Next runs">
          {next.map((at) => (
            <li key={at}>
              <time dateTime={new Date(at).toISOString()}>{formatDay(at)}</time>{" "}
              <span class="muted">{relativeTime(at)}</span>
            </li>
          ))}
        </ol>
      )}
      {isElsewhere && next.length > 0 && <p class="muted small">As your clock shows it ({zone}).</p>}
    </Note>
  );
}

const formatDay = (at: number): string =>
  `${new Date(at).toLocaleDateString(undefined, { weekday: "short" })} ${formatMoment(at)}`;
