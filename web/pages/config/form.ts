/** What every field of the config form is given: the values, what is wrong with them, and the ways to change them. */
import type { ChangeSet } from "./change-set.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Path } from "./path.ts";
import type { Matches } from "./search.ts";

export interface Problem {
  /** Formatted. */
  path: string;
  message: string;
  hint: string;
}

export interface Form {
  root: JsonSchema;
  /** As it is in the file, secrets left out. */
  base: unknown;
  /** With all edits. */
  draft: unknown;
  changes: ChangeSet;
  isReadOnly: boolean;
  /** Undefined: there is no search. */
  matches: Matches | undefined;
  /** `value` undefined removes the key: its default counts again. */
  set(path: Path, value: unknown): void;
  takeBack(path: Path): void;
  rename(record: Path, from: string, to: string): void;
  problemsAt(path: Path): readonly Problem[];
  countProblems(path: Path): number;
  isOpen(path: Path): boolean;
  toggle(path: Path, isOpen: boolean): void;
}

/** What a field is drawn from. */
export interface FieldProps {
  form: Form;
  schema: JsonSchema;
  path: Path;
  label: string;
  isRequired?: boolean;
}

/** `found "x", expected y` of `logging.level: found "x", expected y`: the place is clear where it is shown. */
export function withoutPlace({ path, message }: Problem): string {
  const rest = message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}
