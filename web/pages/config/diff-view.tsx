/** A unified diff, coloured by line. The signs at the front say the same without colours. */
import { diffLines } from "./diff-lines.ts";

export function DiffView({ diff }: { diff: string }) {
  const lines = diffLines(diff);
  if (lines.length === 0) return <p class="cfg-help">The file would stay as it is.</p>;
  return (
    <section class="cfg-diff" aria-label="Changes to config.json">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>
        {lines.map(({ type, text }, i) => (
          <span key={i} class={`cfg-diff-${type}`}>
            {text}
            {"\n"}
          </span>
        ))}
      </pre>
    </section>
  );
}
