/** One of several, with the browser's own list: works with keyboard, screen reader and thumb. */
import { useId } from "preact/hooks";

export interface Option<Value extends string> {
  value: Value;
  label: string;
}

interface SelectProps<Value extends string> {
  label: string;
  isLabelHidden?: boolean;
  value: NoInfer<Value>;
  options: readonly Option<Value>[];
  onChange(value: NoInfer<Value>): void;
  disabled?: boolean;
  size?: "small" | "medium";
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, isLabelHidden, value, options, onChange, disabled, size = "medium" } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? "visually-hidden" : "field-label"}>
        {label}
      </label>
      <select
        id={id}
        class={`input select input-${size}`}
        value={value}
        disabled={disabled}
        // The values of a select are those of its options.
        onChange={(event) => onChange(event.currentTarget.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}
