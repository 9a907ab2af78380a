/** One line of the log. Opened, it shows everything that was written down with it. */
import { Badge, CopyButton, type Tone } from "../../ui/index.ts";
import { formatClock, formatFields, formatLine, type Line } from "./log-lines.ts";

const tones: Record<Line["level"], Tone> = { debug: "neutral", info: "neutral", warn: "warn", error: "bad" };

export function LineView({ line }: { line: Line }) {
  const { at, level, text, fields } = line;
  const hasFields = Object.keys(fields).length > 0;
  return (
    <li class={`log-line log-${level}`}>
      <details>
        <summary>
          <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
            {formatClock(at)}
          </time>
          <Badge tone={tones[level]}>{level}</Badge>
          <span class="log-text">
            {text} {hasFields && <span class="log-fields">{formatFields(fields)}</span>}
          </span>
        </summary>
        <div class="log-more">
          <dl class="facts">
            <dt>at</dt>
            <dd>{new Date(at).toLocaleString()}</dd>
            {Object.entries(fields).map(([key, value]) => (
              <>
                <dt>{key}</dt>
                <dd class="mono">{typeof value === "string" ? value : JSON.stringify(value, null, 2)}</dd>
              </>
            ))}
          </dl>
          <CopyButton text={formatLine(line)} label="Copy this line" />
        </div>
      </details>
    </li>
  );
}
