/** Labelled inputs with a hint and an error, tied together for screen readers. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FieldText {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  /** The label is read out and not shown. */
  isLabelHidden?: boolean | undefined;
}

interface FieldWiring {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

/** For an input of one's own: `<Field label="Name">{(wiring) => <input {...wiring} />}</Field>`. */
export function Field({
  label,
  hint,
  error,
  isLabelHidden,
  children,
}: FieldText & { children: (wiring: FieldWiring) => ComponentChildren }) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? "visually-hidden" : "field-label"}>
        {label}
      </label>
      {children({
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <div id={`${id}-hint`} class="field-hint">
          {hint}
        </div>
      )}
      {error !== undefined && (
        <div id={`${id}-error`} class="field-error" role="alert">
          {error}
        </div>
      )}
    </div>
  );
}

/** What may be said of a text field; enough for every page. */
interface TextProps extends FieldText {
  value: string;
  onInput(value: string): void;
  onBlur?(): void;
  onKeyDown?(event: KeyboardEvent): void;
  placeholder?: string;
  disabled?: boolean;
  required?: boolean;
  maxLength?: number;
  spellcheck?: boolean;
  autoComplete?: "off" | "on" | "username" | "current-password" | "new-password";
  class?: string;
}

interface TextFieldProps extends TextProps {
  type?: "text" | "password" | "search" | "number" | "url" | "email" | "date";
  inputMode?: "text" | "numeric" | "decimal" | "search" | "url";
  min?: number;
  max?: number;
  step?: number | "any";
  /** Id of a `<datalist>`. */
  list?: string;
}

export function TextField({ label, hint, error, isLabelHidden, onInput, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden}>
      {(wiring) => (
        <input
          // The types know which attributes go with which type only where the type is written out.
          {...({ type: "text", ...rest } as { type: "text" })}
          {...wiring}
          class={`input ${rest.class ?? ""}`}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export function TextArea({ label, hint, error, isLabelHidden, onInput, ...rest }: TextProps & { rows?: number }) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden}>
      {(wiring) => (
        <textarea
          rows={3}
          {...rest}
          {...wiring}
          class={`input ${rest.class ?? ""}`}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface SwitchProps {
  label: string;
  hint?: ComponentChildren;
  isOn: boolean;
  disabled?: boolean;
  onChange(isOn: boolean): void;
}

/** On or off, at once. */
export function Switch({ label, hint, isOn, disabled, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div class="switch-field">
      <input
        id={id}
        class="switch"
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        checked={isOn}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <div>
        <label for={id}>{label}</label>
        {hint !== undefined && (
          <div id={`${id}-hint`} class="field-hint">
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}
