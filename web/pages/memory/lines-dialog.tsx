/** The lines around what was found, with their numbers; those found are marked. */
import { useState } from "preact/hooks";
import type { MemoryHitSummary, Result } from "../../../src/gateway/protocol/index.ts";
import { useCall } from "../../connection.ts";
import { Await, Button, CopyButton, Dialog } from "../../ui/index.ts";
import { linesAround, linesBeside } from "./words.ts";

interface LinesDialogProps {
  /** Undefined: closed. */
  hit: MemoryHitSummary | undefined;
  of: { agentId?: string };
  onClose(): void;
}

export function LinesDialog({ hit, of, onClose }: LinesDialogProps) {
  return (
    <Dialog isOpen={hit !== undefined} title={hit?.path ?? ""} size="large" onClose={onClose}>
      {hit && <Lines hit={hit} of={of} />}
    </Dialog>
  );
}

function Lines({ hit, of }: { hit: MemoryHitSummary; of: { agentId?: string } }) {
  const [shown, setShown] = useState(() => linesAround(hit));
  const file = useCall("memory.get", { path: hit.path, ...shown, ...of });
  return (
    <Await of={file}>
      {(text) => {
        const before = linesBeside(text, "before");
        const after = linesBeside(text, "after");
        return (
          <div class="stack">
            <div class="spread">
              <span class="muted small">
                Lines {text.fromLine} to {text.toLine} of {text.totalLines}
              </span>
              <CopyButton text={hit.citation} label="Copy the citation" />
            </div>
            <Numbered text={text} hit={hit} />
            <div class="buttons">
              <Button size="small" icon="up" disabled={!before} onClick={() => before && setShown(before)}>
                Lines before
              </Button>
              <Button size="small" icon="down" disabled={!after} onClick={() => after && setShown(after)}>
                Lines after
              </Button>
            </div>
          </div>
        );
      }}
    </Await>
  );
}

function Numbered({ text, hit }: { text: Result<"memory.get">; hit: MemoryHitSummary }) {
  const isHit = (number: number) => number >= hit.fromLine && number <= hit.toLine;
  return (
    <section class="numbered" aria-label={`Lines of ${text.path}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <ol start={text.fromLine} tabIndex={0}>
        {text.text.split("\n").map((line, n) => (
          <li key={text.fromLine + n} class={isHit(text.fromLine + n) ? "is-hit" : ""}>
            {line === "" ? "\u00a0" : line}
          </li>
        ))}
      </ol>
    </section>
  );
}
