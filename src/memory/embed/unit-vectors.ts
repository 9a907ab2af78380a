/** From what an embedder gave to vectors that can be trusted: as many as texts, all of one length, finite, of unit length. */
import { EmbedError } from "./embed-error.ts";

export interface Expected {
  /** For messages. */
  label: string;
  count: number;
  /** Undefined: not known yet; then they only have to agree with each other. */
  dimensions: number | undefined;
}

/** Throws `EMBED_ANSWER_INVALID` or `EMBED_DIMENSION`. */
export function toUnitVectors(lists: readonly unknown[] | undefined, expected: Expected): Float32Array[] {
  const { label, count } = expected;
  if (lists === undefined) throw invalid(label, "is not a list of vectors");
  if (lists.length !== count) throw invalid(label, `has ${lists.length} vectors for ${count} texts`);
  let { dimensions } = expected;
  return Array.from(lists, (list) => {
    const numbers = toNumbers(list, label);
    dimensions ??= numbers.length;
    if (numbers.length !== dimensions) {
      const message = `${label} gave a vector of ${numbers.length} dimensions, not ${dimensions}`;
      throw new EmbedError("EMBED_DIMENSION", message, {
        hint: "Another model answers under the same name, or it cannot give the `dimensions` that are configured.",
      });
    }
    return toUnit(numbers, label);
  });
}

function toNumbers(list: unknown, label: string): ArrayLike<number> {
  if (list instanceof Float32Array) return list;
  const isList = Array.isArray(list) && list.length > 0 && list.every((each) => typeof each === "number");
  if (!isList) throw invalid(label, "has something other than numbers where a vector should be");
  return list;
}

function toUnit(numbers: ArrayLike<number>, label: string): Float32Array {
  const vector = Float32Array.from(numbers);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(length) || length === 0) throw invalid(label, "has a vector without a direction");
  return vector.map((value) => value / length);
}

const invalid = (label: string, what: string) =>
  new EmbedError("EMBED_ANSWER_INVALID", `The answer of ${label} ${what}`, {
    hint: "Check `baseUrl` and `model`: what answers there does not embed, or not as expected.",
  });
