/** The inputs of the config form that hold one value. */
import { useState } from "preact/hooks";
import { isHidden } from "./change-set.ts";
import type { Wiring } from "./field-row.tsx";
import type { JsonSchema } from "./json-schema.ts";
import { formatDefault, fromText, parseJson, parseNumber } from "./show-value.ts";

export interface InputProps {
  wiring: Wiring;
  schema: JsonSchema;
  value: unknown;
  isRequired: boolean;
  onChange(value: unknown): void;
}

export function EnumInput({
  wiring,
  schema,
  value,
  isRequired,
  onChange,
  values,
}: InputProps & { values: readonly unknown[] }) {
  const at = values.indexOf(value);
  const isOdd = value !== undefined && at < 0;
  return (
    <select
      {...wiring}
      class="input select"
      value={value === undefined ? "" : isOdd ? "odd" : String(at)}
      onChange={({ currentTarget }) => {
        if (currentTarget.value !== "odd")
          onChange(currentTarget.value === "" ? undefined : values[Number(currentTarget.value)]);
      }}
    >
      {(!isRequired || value === undefined) && <option value="">{nothingChosen(schema)}</option>}
      {isOdd && <option value="odd">{String(value)} (not allowed)</option>}
      {values.map((each, i) => (
        <option key={String(each)} value={String(i)}>
          {String(each)}
        </option>
      ))}
    </select>
  );
}

export function nothingChosen(schema: JsonSchema): string {
  const usual = formatDefault(schema);
  return usual === undefined ? "not set" : `default: ${usual}`;
}

/** A switch where it is clear what nothing means, else a choice with "not set". */
export function BooleanInput({ wiring, schema, value, isRequired, onChange }: InputProps) {
  if (typeof schema.default !== "boolean" && !isRequired) {
    const words = {
      schema: {},
      wiring,
      isRequired,
      value: typeof value === "boolean" ? (value ? "yes" : "no") : value,
    };
    return (
      <EnumInput
        {...words}
        values={["yes", "no"]}
        onChange={(word) => onChange(word === undefined ? word : word === "yes")}
      />
    );
  }
  const isOn = value === undefined ? schema.default === true : value === true;
  return (
    <div class="cfg-switch">
      <input
        {...wiring}
        class="switch"
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span aria-hidden="true">{isOn ? "on" : "off"}</span>
    </div>
  );
}

export function NumberInput({ wiring, schema, value, onChange }: InputProps) {
  // "1." on the way to "1.5" is the number 1: what was typed is kept as long as it still means the value.
  const [typed, setTyped] = useState(String(value ?? ""));
  const shown = parseNumber(typed) === value ? typed : String(value ?? "");
  return (
    <input
      {...wiring}
      class="input cfg-number"
      type="text"
      inputMode="decimal"
      autoComplete="off"
      placeholder={formatDefault(schema) ?? ""}
      value={shown}
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(parseNumber(currentTarget.value));
      }}
    />
  );
}

const manyCharacters = 80;

export function TextInput({ wiring, schema, value, isRequired, onChange }: InputProps) {
  const text = typeof value === "string" ? value : "";
  const shared = {
    ...wiring,
    value: text,
    placeholder: formatDefault(schema) ?? "",
    autoComplete: "off",
    spellcheck: false,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(fromText(currentTarget.value, schema, isRequired)),
  };
  // The kind does not change under the hands of whoever types.
  const [isLong] = useState(text.includes("\n") || text.length > manyCharacters);
  return isLong ? <textarea {...shared} class="input" rows={4} /> : <input {...shared} class="input" type="text" />;
}

/** Never shows what is set; what is typed replaces it, and nothing typed leaves it alone. */
export function SecretInput({ wiring, value, base, onChange }: InputProps & { base: unknown }) {
  const isKept = isHidden(value);
  // A reference to the environment is no secret, only what it points at.
  const isPlain = typeof base === "string" && !isHidden(base);
  const shared = {
    ...wiring,
    class: "input",
    spellcheck: false,
    placeholder: isHidden(base) ? "set, not shown" : "not set",
    value: isKept || typeof value !== "string" ? "" : value,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(currentTarget.value === "" ? base : currentTarget.value),
  };
  return isPlain ? (
    <input {...shared} type="text" autoComplete="off" />
  ) : (
    <input {...shared} type="password" autoComplete="new-password" />
  );
}

/** For whatever no other input draws. Goes into the config as soon as it is JSON. */
export function JsonInput({ wiring, value, onChange, onSlip }: InputProps & { onSlip(isJson: boolean): void }) {
  const written = value === undefined ? "" : JSON.stringify(value, null, 2);
  const [typed, setTyped] = useState(written);
  const parsed = parseJson(typed);
  const isShared =
    parsed === undefined ||
    JSON.stringify(parsed.value, null, 2) === written ||
    (typed.trim() === "" && value === undefined);
  return (
    <textarea
      {...wiring}
      class="input cfg-json"
      rows={Math.min(16, Math.max(3, written.split("\n").length + 1))}
      spellcheck={false}
      value={isShared ? typed : written}
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value);
        const next = parseJson(currentTarget.value);
        const isEmpty = currentTarget.value.trim() === "";
        onSlip(next !== undefined || isEmpty);
        if (isEmpty) onChange(undefined);
        else if (next) onChange(next.value);
      }}
    />
  );
}
