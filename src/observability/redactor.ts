/**
 * Takes secrets out of text. Stands before every sink of the log, and is meant for whatever else leaves the house
 * (diagnostics, `config.get`, crash notes).
 */
import { buildSecretForms, shortestSecret } from "./secret-forms.ts";
import { redactedMark, redactShapes } from "./secret-shapes.ts";

export interface Redactor {
  /** From now on these never appear. Values under 6 characters are ignored: they would blot out ordinary words. */
  addSecrets(values: Iterable<string>): void;
  redact(text: string): string;
  /** At most `maxLength` characters of `text`, redacted; a secret that lies across the cut does not survive in part. */
  redactStart(text: string, maxLength: number): string;
}

export function createRedactor(): Redactor {
  const forms = new Set<string>();
  let known: RegExp | undefined;
  let longestForm = 0;

  const redact = (text: string): string => redactShapes(known ? text.replace(known, redactedMark) : text);
  return {
    addSecrets(values) {
      for (const value of values) {
        for (const secret of [value, value.trim()]) {
          if (secret.length < shortestSecret) continue;
          for (const form of buildSecretForms(secret)) forms.add(form);
        }
      }
      if (forms.size === 0) return;
      // Longest first: where one secret contains another, the whole of it must go.
      const longestFirst = [...forms].sort((a, b) => b.length - a.length);
      longestForm = longestFirst[0]?.length ?? 0;
      known = new RegExp(longestFirst.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");
    },
    redact,
    redactStart(text, maxLength) {
      if (text.length <= maxLength) return redact(text);
      if (text.length <= maxLength + longestForm) return redact(text).slice(0, maxLength);
      const clean = redact(text.slice(0, maxLength + longestForm));
      // What the slice itself cut in two stands, unrecognised, in the last characters.
      return clean.slice(0, Math.max(0, Math.min(maxLength, clean.length - longestForm)));
    },
  };
}
