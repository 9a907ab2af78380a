/** The commands that fit what is typed. The message field keeps the focus and says which one is active. */
import type { SlashCommand } from "../../src/gateway/protocol/index.ts";
import { Badge } from "../ui/index.ts";

interface SlashListProps {
  id: string;
  offered: readonly SlashCommand[];
  at: number;
  onPick(index: number): void;
}

export function SlashList({ id, offered, at, onPick }: SlashListProps) {
  return (
    <div id={id} class="slash-list" role="listbox" aria-label="Commands" tabIndex={-1}>
      {offered.map(({ name, summary, kind }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are taken by the message field.
        <div
          key={name}
          id={`${id}-${index}`}
          class="slash-choice"
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          // The field must not lose the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onPick(index)}
        >
          <span class="mono">/{name}</span>
          <span class="slash-summary truncate">{summary}</span>
          {kind !== "command" && <Badge>{kind}</Badge>}
        </div>
      ))}
    </div>
  );
}
