/**
 * An embedder behind an HTTP address. Splits what it gets into requests of a size the service takes, one at a time, and never
 * asks again by itself: whoever calls knows whether a search waits or an index has all night.
 */
import type { Clock } from "../../contracts/clock.ts";
import type { Embedder } from "../../contracts/memory.ts";
import { checkTexts } from "./check-texts.ts";
import { type FetchFunction, postJson } from "./post-json.ts";
import { toUnitVectors } from "./unit-vectors.ts";
import type { Wire } from "./wire.ts";

/** A question has somebody waiting for it. */
const timeoutMs = { query: 15_000, document: 60_000 } as const;
/** Characters of one request. */
const maxBatchChars = 100_000;

export function createRemoteEmbedder(deps: { fetch: FetchFunction; clock: Clock }, wire: Wire): Embedder {
  let { dimensions } = wire;
  return {
    id: wire.id,
    batchSize: wire.batchSize,
    async embed(texts, purpose, signal) {
      const vectors: Float32Array[] = [];
      for (const batch of splitBatches(checkTexts(texts), wire.batchSize)) {
        const { label, url, headers, secrets } = wire;
        const body = wire.buildBody(batch, purpose);
        const limit = { timeoutMs: timeoutMs[purpose], signal };
        const answer = await postJson(deps, { label, url, headers, secrets, body, ...limit });
        const given = toUnitVectors(wire.readLists(answer), { label, count: batch.length, dimensions });
        dimensions ??= given[0]?.length;
        vectors.push(...given);
      }
      return vectors;
    },
    close: async () => {},
  };
}

function splitBatches(texts: readonly string[], batchSize: number): string[][] {
  const batches: string[][] = [];
  let chars = 0;
  for (const text of texts) {
    const last = batches.at(-1);
    if (last === undefined || last.length >= batchSize || chars + text.length > maxBatchChars) {
      batches.push([text]);
      chars = text.length;
    } else {
      last.push(text);
      chars += text.length;
    }
  }
  return batches;
}
