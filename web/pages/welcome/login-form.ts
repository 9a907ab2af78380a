/** The form that adds a chat platform: what was typed, held against what the platform's fields ask for. */
import type { LoginFieldSummary } from "../../../src/gateway/protocol/index.ts";

export type Typed = Readonly<Record<string, string>>;

/** What is wrong with a field, or undefined. An empty field is only said to be missing when all are checked. */
export function checkField(field: LoginFieldSummary, typed: string, { isFinal = false } = {}): string | undefined {
  const text = typed.trim();
  if (text === "") return isFinal ? "This is needed." : undefined;
  const values = field.isList ? splitList(text) : [text];
  const wrong = values.find((value) => !matches(field.pattern, value));
  if (wrong === undefined) return undefined;
  return field.isSecret || values.length === 1 ? "This does not look right." : `${wrong} does not look right.`;
}

export function checkForm(fields: readonly LoginFieldSummary[], typed: Typed): Record<string, string> {
  const wrong = fields.flatMap((field) => {
    const problem = checkField(field, typed[field.key] ?? "", { isFinal: true });
    return problem === undefined ? [] : [[field.key, problem] as const];
  });
  return Object.fromEntries(wrong);
}

/** Several ids in one field, with commas or spaces between. */
const splitList = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean);

/** As `channels.login` takes them: trimmed, lists with commas. */
export function toFields(fields: readonly LoginFieldSummary[], typed: Typed): Record<string, string> {
  return Object.fromEntries(
    fields.map(({ key, isList }) => {
      const text = (typed[key] ?? "").trim();
      return [key, isList ? splitList(text).join(",") : text];
    }),
  );
}

/** A name for the login that is not taken: `telegram`, `telegram-2` … */
export function pickName(type: string, taken: readonly string[]): string {
  const names = new Set(taken);
  let name = type;
  for (let i = 2; names.has(name); i++) name = `${type}-${i}`;
  return name;
}

/** A pattern that this browser cannot read refuses nothing: mom checks it again. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}
