/** One line of the config form: label, help, the input, what is wrong with it, and the ways back. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Badge, Button } from "../../ui/index.ts";
import { isInNew } from "./change-set.ts";
import { type FieldProps, type Form, type Problem, withoutPlace } from "./form.ts";
import { isSame, type JsonSchema } from "./json-schema.ts";
import { formatPath, type Path, valueAt } from "./path.ts";
import { formatDefault } from "./show-value.ts";

/** For the input, so that label, help and problems are read out with it. */
export interface Wiring {
  id: string;
  disabled: boolean;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

interface FieldRowProps extends FieldProps {
  /** One of a list of simple values, drawn on one line: what the list is called. */
  list?: string | undefined;
  /** With references followed: its default counts. */
  resolved: JsonSchema;
  description: string;
  /** The input says the default itself, as long as nothing is set. */
  saysDefault?: boolean;
  /** Says more than the description, about what is there now. */
  note?: string | undefined;
  /** Beside the label: for entries that can be renamed, moved or removed. */
  actions?: ComponentChildren;
  children: (wiring: Wiring) => ComponentChildren;
}

export function FieldRow(props: FieldRowProps) {
  const { form, path, label, description, note, actions, children } = props;
  const id = useId();
  const problems = form.problemsAt(path);
  const pathText = formatPath(path);
  const isChanged = isEdited(form, path);
  const described = [
    description !== "" && props.list === undefined && `${id}-help`,
    note !== undefined && `${id}-note`,
    problems.length > 0 && `${id}-problems`,
  ];
  const wiring: Wiring = {
    id,
    disabled: form.isReadOnly,
    "aria-describedby": described.filter(Boolean).join(" ") || undefined,
    "aria-invalid": problems.length > 0 || undefined,
  };
  if (props.list !== undefined) {
    return (
      <div class="cfg-item" data-path={pathText} tabIndex={-1}>
        <label for={id}>
          <span class="visually-hidden">{props.list} </span>
          {label}
        </label>
        {children(wiring)}
        {actions}
        <ProblemList id={`${id}-problems`} problems={problems} />
      </div>
    );
  }
  return (
    <div class={`cfg-row ${isChanged ? "is-changed" : ""}`} data-path={pathText} tabIndex={-1}>
      <div class="cfg-row-text">
        <div class="cfg-row-label">
          <label for={id}>{label}</label>
          {props.isRequired && <span class="cfg-needed">needed</span>}
          {isChanged && <Badge tone="accent">changed</Badge>}
          {actions}
        </div>
        <code class="cfg-path">{pathText}</code>
        {description !== "" && (
          <p id={`${id}-help`} class="cfg-help">
            {description}
          </p>
        )}
      </div>
      <div class="cfg-row-input">
        {children(wiring)}
        {note !== undefined && (
          <p id={`${id}-note`} class="cfg-help">
            {note}
          </p>
        )}
        <ProblemList id={`${id}-problems`} problems={problems} />
        <WaysBack {...props} isChanged={isChanged} />
      </div>
    </div>
  );
}

export function ProblemList({ id, problems }: { id?: string; problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul id={id} class="cfg-problems">
      {problems.map((problem) => (
        <li key={problem.message}>
          {withoutPlace(problem)}
          {problem.hint !== "" && <span class="cfg-hint"> {problem.hint}</span>}
        </li>
      ))}
    </ul>
  );
}

/** What is new as a whole is not said to be changed part by part, and cannot be taken back so. */
export function isEdited(form: Form, path: Path): boolean {
  return !isInNew(form.changes, form.base, path) && !isSame(valueAt(form.base, path), valueAt(form.draft, path));
}

/** To the default, and to what it was before it was edited. */
export function WaysBack({
  form,
  path,
  label,
  resolved,
  isRequired,
  isChanged,
  saysDefault,
}: FieldProps & { resolved: JsonSchema; isChanged: boolean; saysDefault?: boolean }) {
  const value = valueAt(form.draft, path);
  const usual = saysDefault && value === undefined ? undefined : formatDefault(resolved);
  const mayGo = value !== undefined && !isRequired && !form.isReadOnly && !isInList(form, path);
  const isShown = usual !== undefined || mayGo || isChanged;
  if (!isShown) return null;
  return (
    <div class="cfg-ways">
      {usual !== undefined && <span class="cfg-default">default: {usual}</span>}
      {mayGo && (
        <Button variant="ghost" size="small" onClick={() => form.set(path, undefined)}>
          {resolved.default === undefined ? "Remove" : "Use default"}
          <span class="visually-hidden"> ({label})</span>
        </Button>
      )}
      {isChanged && !form.isReadOnly && (
        <Button variant="ghost" size="small" onClick={() => form.takeBack(path)}>
          Undo
          <span class="visually-hidden"> ({label})</span>
        </Button>
      )}
    </div>
  );
}

/** Items of lists have their own button to be removed with. */
const isInList = (form: FieldProps["form"], path: FieldProps["path"]) =>
  Array.isArray(valueAt(form.draft, path.slice(0, -1)));
