/** A question, and what is remembered of it, best first. */
import { useState } from "preact/hooks";
import type { MemoryHitSummary, Params, Result } from "../../../src/gateway/protocol/index.ts";
import { call } from "../../connection.ts";
import { announce, Badge, Button, EmptyState, ErrorNote, Note, Select, TextField } from "../../ui/index.ts";
import { LinesDialog } from "./lines-dialog.tsx";
import { describeMode, describeScore } from "./words.ts";

type Mode = NonNullable<Params<"memory.search">["mode"]>;
type Found = { type: "none" } | { type: "failed"; error: unknown } | ({ type: "found" } & Result<"memory.search">);

const modes: readonly { value: Mode; label: string }[] = [
  { value: "fused", label: "Words + meaning" },
  { value: "text", label: "Words only" },
  { value: "vector", label: "Meaning only" },
];

export function Search({ of }: { of: { agentId?: string } }) {
  const [query, setQuery] = useState("");
  const [mode, setMode] = useState<Mode>("fused");
  const [found, setFound] = useState<Found>({ type: "none" });
  const [isBusy, setBusy] = useState(false);
  const [opened, setOpened] = useState<MemoryHitSummary | undefined>();
  const search = async () => {
    const text = query.trim();
    if (text === "" || isBusy) return;
    setBusy(true);
    try {
      const result = await call("memory.search", { query: text, mode, maxResults: 20, ...of });
      setFound({ type: "found", ...result });
      announce(`${result.hits.length} found`);
    } catch (error) {
      setFound({ type: "failed", error });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <search>
        <form
          class="toolbar memory-search"
          onSubmit={(event) => {
            event.preventDefault();
            void search();
          }}
        >
          <TextField
            label="Search what mom remembers"
            isLabelHidden
            type="search"
            maxLength={2000}
            placeholder="What did we decide about…"
            value={query}
            onInput={setQuery}
          />
          <Select label="Look by" isLabelHidden value={mode} options={modes} onChange={setMode} />
          <Button type="submit" variant="primary" icon="search" isBusy={isBusy} disabled={query.trim() === ""}>
            Search
          </Button>
        </form>
      </search>
      <Answer found={found} onOpen={setOpened} onRetry={() => void search()} />
      <LinesDialog hit={opened} of={of} onClose={() => setOpened(undefined)} />
    </>
  );
}

interface AnswerProps {
  found: Found;
  onOpen(hit: MemoryHitSummary): void;
  onRetry(): void;
}

function Answer({ found, onOpen, onRetry }: AnswerProps) {
  if (found.type === "none") return null;
  if (found.type === "failed") return <ErrorNote error={found.error} onRetry={onRetry} />;
  const { hits, mode, note } = found;
  return (
    <section class="stack" aria-label="Found">
      {note !== undefined && <Note>{note}</Note>}
      {hits.length === 0 ? (
        <EmptyState icon="search" title="Nothing is remembered of that">
          Try other words. Mom remembers what stands in MEMORY.md and in the notes below memory/.
        </EmptyState>
      ) : (
        <>
          <p class="muted small">
            {hits.length} found, {describeMode(mode)}
          </p>
          <ol class="hits">
            {hits.map((hit) => (
              <Hit key={`${hit.citation} ${hit.score}`} hit={hit} onOpen={() => onOpen(hit)} />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function Hit({ hit, onOpen }: { hit: MemoryHitSummary; onOpen(): void }) {
  const { percent, tone } = describeScore(hit.score);
  return (
    <li class="card hit">
      <div class="spread">
        <button type="button" class="hit-open" onClick={onOpen}>
          {hit.citation}
        </button>
        <Badge tone={tone}>
          <span class="visually-hidden">Score </span>
          {percent}
        </Badge>
      </div>
      <p class="hit-snippet">{hit.snippet}</p>
    </li>
  );
}
