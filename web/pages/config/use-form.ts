/** The state of the config form: edits, what is open, what the gateway said. Edits outlive a visit to another page. */
import { signal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { applyChanges, type ChangeSet, change, rebase, rename, takeBack } from "./change-set.ts";
import { checkValue } from "./check-value.ts";
import type { Form, Problem } from "./form.ts";
import { findHalfHidden } from "./half-hidden.ts";
import type { JsonSchema } from "./json-schema.ts";
import { formatPath, isTextWithin, type Path } from "./path.ts";
import { search } from "./search.ts";

const edits = signal<ChangeSet>([]);

interface Given {
  root: JsonSchema;
  base: unknown;
  isReadOnly: boolean;
}

export interface FormState {
  form: Form;
  /** Of the browser's own check and, until the next edit of that place, of the gateway's. */
  problems: readonly Problem[];
  query: string;
  setQuery(query: string): void;
  setServerProblems(problems: readonly Problem[]): void;
  discard(): void;
  /** Unfolds everything around the place. */
  reveal(pathText: string): void;
}

export function useForm({ root, base, isReadOnly }: Given): FormState {
  const [query, setQuery] = useState("");
  const [open, setOpen] = useState<Readonly<Record<string, boolean>>>({});
  const [said, setServerProblems] = useState<readonly Problem[]>([]);
  const written = edits.value;
  const changes = useMemo(() => rebase(written, base), [written, base]);
  const draft = useMemo(() => applyChanges(base, changes), [base, changes]);
  const slips = useMemo(() => listSlips(root, draft, changes), [root, draft, changes]);
  const matches = useMemo(() => search(root, draft, query), [root, draft, query]);
  const problems = [...slips, ...said.filter(({ path }) => !slips.some((slip) => slip.path === path))];

  const update = (path: Path, next: ChangeSet) => {
    const text = formatPath(path);
    edits.value = next;
    setServerProblems((before) =>
      before.filter((each) => !isTextWithin(each.path, text) && !isTextWithin(text, each.path)),
    );
  };
  const form: Form = {
    root,
    base,
    draft,
    changes,
    isReadOnly,
    matches,
    set: (path, value) => update(path, change(changes, base, path, value)),
    takeBack: (path) => update(path, takeBack(changes, base, path)),
    rename: (record, from, to) => update(record, rename(changes, base, record, from, to)),
    problemsAt: (path) => problems.filter((each) => each.path === formatPath(path)),
    countProblems: (path) => problems.filter((each) => isTextWithin(each.path, formatPath(path))).length,
    isOpen: (path) => open[formatPath(path)] ?? matches?.isOpen(formatPath(path)) ?? false,
    toggle: (path, isOpen) => setOpen((before) => ({ ...before, [formatPath(path)]: isOpen })),
  };
  return {
    form,
    problems,
    query,
    // What was folded by hand during one search must not stay folded in the next.
    setQuery: (next) => {
      setQuery(next);
      setOpen({});
    },
    setServerProblems,
    discard: () => {
      edits.value = [];
      setServerProblems([]);
    },
    reveal: (pathText) => setOpen((before) => ({ ...before, ...openAround(pathText) })),
  };
}

function listSlips(root: JsonSchema, draft: unknown, changes: ChangeSet): Problem[] {
  return [...checkValue(root, draft, root), ...findHalfHidden(changes)].map(({ path, message }) => ({
    path: formatPath(path),
    message,
    hint: "",
  }));
}

/** Every place around it; a dot inside a quoted key only adds names that nothing has. */
function openAround(pathText: string): Record<string, boolean> {
  const parts = pathText.split(".");
  return Object.fromEntries(parts.map((_, i) => [parts.slice(0, i + 1).join("."), true]));
}
