/** A unified diff, coloured; a sign before each line says the same as its colour. */
import { useState } from "preact/hooks";
import { Button } from "../ui/index.ts";
import { toDiffLines } from "./describe-tool.ts";

const firstLines = 60;

export function DiffView({ path, diff }: { path: string | undefined; diff: string }) {
  const [isWhole, setWhole] = useState(false);
  const lines = toDiffLines(diff);
  const shown = isWhole ? lines : lines.slice(0, firstLines);
  return (
    <figure class="diff">
      {path !== undefined && <figcaption class="mono small">{path}</figcaption>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>
        {shown.map(({ kind, text }, n) => (
          <span key={n} class={`diff-line diff-${kind}`}>
            {text === "" ? " " : text}
            {"\n"}
          </span>
        ))}
      </pre>
      {shown.length < lines.length && (
        <Button size="small" variant="ghost" onClick={() => setWhole(true)}>
          Show all {lines.length} lines
        </Button>
      )}
    </figure>
  );
}
