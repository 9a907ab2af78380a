/** What was said and waits for its turn. */
import { Button } from "../ui/index.ts";
import type { Turn } from "./timeline.ts";

export function Queue({ turns, onStop }: { turns: readonly Turn[]; onStop: (() => void) | undefined }) {
  const waiting = turns.filter(({ state }) => state === "waiting");
  if (waiting.length === 0) return null;
  const title = waiting.length === 1 ? "1 message waits" : `${waiting.length} messages wait`;
  return (
    <section class="queue" aria-label="Waiting messages">
      <div class="spread">
        <strong class="small">{title}</strong>
        {onStop && (
          <Button size="small" variant="ghost" icon="stop" onClick={onStop}>
            Stop all
          </Button>
        )}
      </div>
      <ul>
        {waiting.map(({ turnId, text, sender }) => (
          <li key={turnId} class="truncate small">
            {sender !== "" && sender !== "owner" && <span class="muted">{sender}: </span>}
            {text}
          </li>
        ))}
      </ul>
    </section>
  );
}
