/** Boxes to tick: what a device may do. Those that the chooser does not hold cannot be ticked. */
import { useId } from "preact/hooks";
import type { Scope } from "../../../src/gateway/protocol/index.ts";
import { identity } from "../../connection.ts";
import { grantable, scopeOrder, scopeWords } from "./scope-words.ts";

interface ScopeChoiceProps {
  label: string;
  value: readonly Scope[];
  onChange(value: Scope[]): void;
}

export function ScopeChoice({ label, value, onChange }: ScopeChoiceProps) {
  const base = useId();
  const mine = grantable(identity.value);
  const hasAdmin = value.includes("admin");
  const toggle = (scope: Scope) =>
    onChange(value.includes(scope) ? value.filter((each) => each !== scope) : [...value, scope]);
  return (
    <fieldset class="scope-choice">
      <legend class="field-label">{label}</legend>
      {scopeOrder.map((scope) => {
        const isHeld = mine.includes(scope);
        const isCovered = hasAdmin && scope !== "admin";
        return (
          <div key={scope}>
            <input
              id={`${base}-${scope}`}
              type="checkbox"
              checked={value.includes(scope) || isCovered}
              disabled={!isHeld || isCovered}
              onChange={() => toggle(scope)}
            />
            <label for={`${base}-${scope}`}>
              <strong>{scope}</strong>{" "}
              <span class="muted">
                {scopeWords[scope]}
                {!isHeld && " (you do not hold it)"}
              </span>
            </label>
          </div>
        );
      })}
    </fieldset>
  );
}
