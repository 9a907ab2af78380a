/** A part of the config form that can be folded. What is folded is not drawn. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Badge, Icon } from "../../ui/index.ts";
import { describeChange } from "./change-set.ts";
import { ProblemList } from "./field-row.tsx";
import type { Form } from "./form.ts";
import { formatPath, type Path } from "./path.ts";

interface FoldProps {
  form: Form;
  path: Path;
  label: string;
  description: string;
  /** What is in it, in a few words, while it is folded. */
  summary?: string | undefined;
  actions?: ComponentChildren;
  children: () => ComponentChildren;
}

export function Fold({ form, path, label, description, summary, actions, children }: FoldProps) {
  const id = useId();
  const isOpen = form.isOpen(path);
  const changed = describeChange(form.changes, form.base, path);
  const problems = form.countProblems(path);
  const Heading = (["h2", "h3", "h4", "h5", "h6"] as const)[Math.min(path.length, 5) - 1] ?? "h2";
  return (
    <section class={`cfg-fold ${path.length === 1 ? "is-top" : ""}`} data-path={formatPath(path)} tabIndex={-1}>
      <div class="cfg-fold-head">
        <Heading>
          <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => form.toggle(path, !isOpen)}>
            <span class="cfg-chevron">
              <Icon name="right" size={18} />
            </span>
            <span class="cfg-fold-title">{label}</span>
            {!isOpen && summary !== undefined && <span class="cfg-summary">{summary}</span>}
          </button>
        </Heading>
        <span class="cfg-badges">
          {changed !== undefined && <Badge tone="accent">{changed}</Badge>}
          {problems > 0 && <Badge tone="bad">{problems === 1 ? "1 problem" : `${problems} problems`}</Badge>}
          {actions}
        </span>
      </div>
      {description !== "" && <p class="cfg-help cfg-fold-help">{description}</p>}
      <ProblemList problems={form.problemsAt(path)} />
      <div id={id} class="cfg-fold-body" hidden={!isOpen}>
        {isOpen && children()}
      </div>
    </section>
  );
}
