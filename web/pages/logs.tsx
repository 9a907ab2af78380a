/** The page "logs": what mom writes down, live, with filters. */
import "../styles/logs.css";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button, copyText, EmptyState, ErrorNote, Select, Spinner, toast } from "../ui/index.ts";
import { LineView } from "./logs/line-view.tsx";
import { filterLines, formatLine, type Level, type Line, levels } from "./logs/log-lines.ts";
import { useLog } from "./logs/use-log.ts";

const levelNames: Record<Level, string> = {
  debug: "Everything",
  info: "Info and worse",
  warn: "Warnings and errors",
  error: "Errors only",
};

export function Page() {
  const [level, setLevel] = useState<Level>("info");
  const [text, setText] = useState("");
  const [isPaused, setPaused] = useState(false);
  const log = useLog({ level, isPaused });
  const lines = useMemo(() => filterLines(log.lines, { level, text }), [log.lines, level, text]);
  const copy = async () => {
    const isCopied = await copyText(lines.map(formatLine).join("\n"));
    toast(
      isCopied ? `${lines.length} lines copied` : "The browser did not let the page copy.",
      isCopied ? "good" : "bad",
    );
  };
  return (
    <div class="page-body log-page">
      <div class="log-bar">
        <Select
          label="Level"
          isLabelHidden
          value={level}
          onChange={setLevel}
          options={levels.map((value) => ({ value, label: levelNames[value] }))}
        />
        <input
          class="input log-filter"
          type="search"
          aria-label="Only lines with this text"
          placeholder="Only lines with …"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button icon={isPaused ? "play" : "stop"} aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? (log.waiting > 0 ? `Go on (${log.waiting} new)` : "Go on") : "Pause"}
        </Button>
        <Button icon="copy" disabled={lines.length === 0} onClick={copy}>
          Copy
        </Button>
      </div>
      {log.error !== undefined && <ErrorNote error={log.error} onRetry={log.reload} />}
      {log.isLoading && log.lines.length === 0 ? (
        <div class="loading">
          <Spinner label="Loading…" />
        </div>
      ) : (
        log.error === undefined && lines.length === 0 && <Nothing isFiltered={text !== "" || log.lines.length > 0} />
      )}
      <Lines lines={lines} />
    </div>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState icon="filter" title="No line fits the filter" />
  ) : (
    <EmptyState icon="logs" title="Nothing was written down yet">
      New lines appear here by themselves.
    </EmptyState>
  );
}

/** Pixels from the end that still count as being there. */
const nearEnd = 40;

/** Stays at the newest line while one is there, and stands still when one has scrolled up to read. */
function Lines({ lines }: { lines: readonly Line[] }) {
  const frame = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const drawn = useRef(new WeakMap<Line, VNode>());
  const toEnd = () => frame.current?.scrollTo({ top: frame.current.scrollHeight });
  const newest = lines.at(-1)?.id;
  useLayoutEffect(() => {
    if (isAtEnd) toEnd();
  }, [newest, isAtEnd]);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const onScroll = () => setAtEnd(element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, []);
  // A line never changes, so it is drawn once: of two thousand only the new ones cost anything.
  const draw = (line: Line): VNode => {
    const known = drawn.current.get(line) ?? <LineView key={line.id} line={line} />;
    drawn.current.set(line, known);
    return known;
  };
  return (
    <div class="log-frame" hidden={lines.length === 0}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div ref={frame} class="log-scroll" tabIndex={0} role="log" aria-live="off" aria-label="Log">
        <ol>{lines.map(draw)}</ol>
      </div>
      {!isAtEnd && (
        <Button class="log-jump" size="small" icon="jump" onClick={toEnd}>
          Newest
        </Button>
      )}
    </div>
  );
}
