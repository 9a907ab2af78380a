/** Reads fields of a skill's frontmatter one by one and collects what is wrong with them, each in a sentence of its own. */
import { isRecord } from "./parse-frontmatter.ts";

export interface FieldProblem {
  /** An error: the file is no usable skill. A warning: the field is passed over. */
  level: "warning" | "error";
  message: string;
}

type Fields = Readonly<Record<string, unknown>>;

export interface FieldReader {
  readonly problems: FieldProblem[];
  /** `inside`: what the message names it under (`metadata.mom`). */
  read(fields: Fields, inside?: string): FieldSet;
}

/** Each gives undefined for a field that is absent or not as it should be; the latter is noted. */
export interface FieldSet {
  /** Is it there, whatever it is? */
  has(key: string): boolean;
  text(key: string, level: FieldProblem["level"]): string | undefined;
  flag(key: string): boolean | undefined;
  /** A list of texts, or one text. `fits` and what it wants are for each of them. */
  texts(key: string, level: FieldProblem["level"], fits?: { test: RegExp; wanted: string }): string[] | undefined;
  map(key: string): FieldSet | undefined;
  maps(key: string): FieldSet[] | undefined;
  note(level: FieldProblem["level"], key: string, message: string): void;
}

const maxItems = 50;

export function createFieldReader(): FieldReader {
  const problems: FieldProblem[] = [];

  const read = (fields: Fields, inside?: string): FieldSet => {
    const nameOf = (key: string) => (inside === undefined ? key : `${inside}.${key}`);
    const note = (level: FieldProblem["level"], key: string, message: string): undefined => {
      problems.push({ level, message: `${nameOf(key)} ${message}` });
    };
    const pick = (key: string) => (Object.hasOwn(fields, key) ? (fields[key] ?? undefined) : undefined);
    return {
      note,
      has: (key) => pick(key) !== undefined,
      text(key, level) {
        const value = pick(key);
        if (value === undefined || typeof value === "string") return value;
        return note(level, key, `must be text${typeof value === "object" ? "" : `: put ${String(value)} in quotes`}`);
      },
      flag(key) {
        const value = pick(key);
        if (value === undefined || typeof value === "boolean") return value;
        return note("error", key, "must be true or false");
      },
      texts(key, level, fits) {
        const value = pick(key);
        if (value === undefined) return undefined;
        const items: unknown[] = Array.isArray(value) ? value : [value];
        const texts = items.filter((item) => typeof item === "string");
        if (texts.length < items.length || texts.length > maxItems) {
          return note(level, key, `must be a list of texts, at most ${maxItems}`);
        }
        const bad = fits && texts.find((text) => !fits.test.test(text));
        return bad === undefined ? texts : note(level, key, `has "${bad}", which is not ${fits?.wanted}`);
      },
      map(key) {
        const value = pick(key);
        if (value === undefined) return undefined;
        return isRecord(value) ? read(value, nameOf(key)) : note("error", key, "must be a map");
      },
      maps(key) {
        const value = pick(key);
        if (value === undefined) return undefined;
        if (!Array.isArray(value) || !value.every(isRecord) || value.length > maxItems) {
          return note("warning", key, `must be a list of maps, at most ${maxItems}`);
        }
        return value.map((item, at) => read(item, `${nameOf(key)}[${at}]`));
      },
    };
  };
  return { problems, read };
}
