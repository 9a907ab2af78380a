/** A moment in words; the exact one on hover. */
import { formatMoment, relativeTime } from "./format.ts";

export function When({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatMoment(at)}>
      {relativeTime(at)}
    </time>
  );
}
