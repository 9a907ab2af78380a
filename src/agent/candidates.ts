/** Which models a turn may ask, in order: the session's or the agent's, then its fallbacks, each once. */
import type { ModelInfo, ModelProvider } from "../contracts/model.ts";

export type Candidate = { type: "model"; model: ModelInfo } | { type: "unavailable"; ref: string; message: string };

export interface Candidates {
  /** Undefined: there is none left. */
  next(): Promise<Candidate | undefined>;
  /** From now on nothing but this one. */
  only(ref: string): void;
}

/** A ref that is undefined stands for the default. */
export function createCandidates(
  { models }: { models: Pick<ModelProvider, "resolve"> },
  refs: readonly (string | undefined)[],
): Candidates {
  let waiting = [...refs];
  const tried = new Set<string>();
  return {
    async next(): Promise<Candidate | undefined> {
      while (waiting.length > 0) {
        const ref = waiting.shift();
        const resolved = await models.resolve(ref);
        if (resolved.type === "unavailable") return { ...resolved, ref: ref ?? "the default model" };
        if (tried.has(resolved.model.ref)) continue;
        tried.add(resolved.model.ref);
        return resolved;
      }
      return undefined;
    },
    only(ref: string) {
      waiting = [ref];
    },
  };
}
