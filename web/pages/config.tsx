/** The page "config": a form made from the schema. Edits are collected, shown as a diff, and applied at once. */
import "../styles/config.css";
import { useEffect, useMemo, useState } from "preact/hooks";
import { can, useCall } from "../connection.ts";
import { route } from "../router.ts";
import { Await, announce, Button, confirm, EmptyState, Icon, Note } from "../ui/index.ts";
import { describeField, listKeys } from "./config/field.ts";
import { FieldView } from "./config/field-view.tsx";
import type { Form, Problem } from "./config/form.ts";
import type { JsonSchema } from "./config/json-schema.ts";
import { formatPath, humanise } from "./config/path.ts";
import { ProblemLinks, ReviewDialog } from "./config/review-dialog.tsx";
import { type FormState, useForm } from "./config/use-form.ts";

export function Page() {
  const schema = useCall("config.schema", {});
  const config = useCall("config.get", {}, { refreshOn: ["config.changed"] });
  return (
    <div class="page-body cfg">
      <Await of={schema}>
        {(known) => (
          <Await of={config}>
            {({ value, hash, warnings }) => (
              // The gateway's schema is JSON Schema; whatever this page does not know of it goes to the JSON editor.
              <Editor
                schema={known.schema as JsonSchema}
                base={value}
                hash={hash}
                warnings={warnings}
                onReload={config.reload}
              />
            )}
          </Await>
        )}
      </Await>
    </div>
  );
}

interface EditorProps {
  schema: JsonSchema;
  base: unknown;
  hash: string;
  warnings: readonly Problem[];
  onReload(): void;
}

function Editor({ schema, base, hash, warnings, onReload }: EditorProps) {
  const isReadOnly = !can("config.patch");
  const state = useForm({ root: schema, base: base ?? empty, isReadOnly });
  const { form, reveal } = state;
  const [isReviewing, setReviewing] = useState(false);
  useLeaveWarning(form.changes.length > 0);
  useStart(reveal);
  const show = (path: string) => {
    setReviewing(false);
    reveal(path);
    // The fields around it are drawn first.
    setTimeout(() => focusOn(path), 50);
  };
  return (
    <>
      <Intro isReadOnly={isReadOnly} warnings={warnings} onShow={show} />
      <SearchBox state={state} />
      <Sections form={form} />
      <Bar state={state} onReview={() => setReviewing(true)} onShow={show} />
      {isReviewing && (
        <ReviewDialog
          changes={form.changes}
          hash={hash}
          onClose={() => setReviewing(false)}
          onShow={show}
          onProblems={state.setServerProblems}
          onApplied={() => {
            state.discard();
            onReload();
          }}
          onReload={() => {
            setReviewing(false);
            onReload();
          }}
        />
      )}
    </>
  );
}

/** The same object each time, so that nothing is worked out anew. */
const empty = {};

function Intro({
  isReadOnly,
  warnings,
  onShow,
}: {
  isReadOnly: boolean;
  warnings: readonly Problem[];
  onShow(path: string): void;
}) {
  return (
    <>
      <p class="page-intro">
        How mom behaves. Edits are collected and shown before they count; comments in config.json stay. Secrets are
        never shown.
      </p>
      {isReadOnly && (
        <Note tone="warn">You can look, but not change anything: this browser does not have the scope “admin”.</Note>
      )}
      {warnings.length > 0 && (
        <Note tone="warn">
          The file that is in use:
          <ProblemLinks problems={warnings} onShow={onShow} />
        </Note>
      )}
    </>
  );
}

function SearchBox({ state: { query, setQuery, form } }: { state: FormState }) {
  const count = form.matches?.count;
  useEffect(() => {
    if (count !== undefined) announce(count === 1 ? "1 setting found" : `${count} settings found`);
  }, [count]);
  return (
    <search class="cfg-search">
      <Icon name="search" size={18} />
      <input
        class="input"
        type="search"
        aria-label="Search the settings"
        placeholder="Search: model, token, sandbox …"
        value={query}
        onInput={({ currentTarget }) => setQuery(currentTarget.value)}
      />
    </search>
  );
}

function Sections({ form }: { form: Form }) {
  const { root } = form;
  const { shape } = useMemo(() => describeField(root, root), [root]);
  if (shape.type !== "section") return <Note tone="bad">The schema that mom sent cannot be drawn.</Note>;
  const shown = listKeys(shape, form.draft).filter(({ key }) => form.matches?.isShown(formatPath([key])) ?? true);
  if (shown.length === 0) {
    return (
      <EmptyState icon="search" title="No setting fits">
        Try another word, or part of one.
      </EmptyState>
    );
  }
  return (
    <div class="cfg-sections">
      {shown.map(({ key, schema, isRequired }) => (
        <FieldView key={key} form={form} schema={schema} path={[key]} label={humanise(key)} isRequired={isRequired} />
      ))}
    </div>
  );
}

/** Stays in sight while there is something to apply. */
function Bar({ state, onReview, onShow }: { state: FormState; onReview(): void; onShow(path: string): void }) {
  const { form, problems } = state;
  const count = form.changes.length;
  const first = problems[0];
  if (count === 0) return null;
  const discard = async () => {
    const question = {
      title: "Discard the edits?",
      text: "All that was changed here and not applied is lost.",
      action: "Discard",
      isDangerous: true,
    };
    if (await confirm(question)) state.discard();
  };
  return (
    <section class="cfg-bar" aria-label="Edits that are not applied">
      <div class="cfg-bar-text">
        <strong>{count === 1 ? "1 change" : `${count} changes`}</strong>
        {first ? (
          <button type="button" class="cfg-link" onClick={() => onShow(first.path)}>
            {problems.length === 1 ? "1 field needs a look" : `${problems.length} fields need a look`}
          </button>
        ) : (
          <span class="muted">not applied yet</span>
        )}
      </div>
      <Button onClick={discard}>Discard</Button>
      <Button variant="primary" onClick={onReview}>
        Review
      </Button>
    </section>
  );
}

function focusOn(path: string): void {
  const place = document.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`);
  place?.scrollIntoView({ block: "center" });
  const input = place?.querySelector<HTMLElement>(
    ":scope > :is(input, select, textarea), :scope > .cfg-row-input :is(input, select, textarea)",
  );
  (input ?? place)?.focus({ preventScroll: true });
}

/** `#/config/models.default` opens there. */
function useStart(reveal: (path: string) => void): void {
  const wanted = route.value.arg;
  // Only a new address opens something.
  useEffect(() => {
    if (wanted === undefined) return;
    reveal(wanted);
    const timer = setTimeout(() => focusOn(wanted), 50);
    return () => clearTimeout(timer);
  }, [wanted]);
}

/** Closing the window would lose the edits. */
function useLeaveWarning(hasEdits: boolean): void {
  useEffect(() => {
    if (!hasEdits) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [hasEdits]);
}
