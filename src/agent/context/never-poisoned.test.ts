/** Whatever stands in a transcript, what is sent obeys the rules of every provider. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertAcceptable } from "../../../test/fakes/provider-rules.ts";
import { createChance, makeTranscript } from "../../../test/fakes/transcript-maker.ts";
import type { TranscriptEntry } from "../../contracts/transcript.ts";
import { buildItems } from "./build-items.ts";
import type { ModelFit } from "./clean-message.ts";
import { createContextCache } from "./context-cache.ts";
import { planExpiry } from "./plan-expiry.ts";
import { repairMessages } from "./repair-messages.ts";

const models: ModelFit[] = [
  { provider: "anthropic", id: "a-1", input: ["text", "image"], contextWindow: 200_000 },
  { provider: "openai", id: "o-1", input: ["text", "image"], contextWindow: 128_000 },
  { provider: "local", id: "l-1", input: ["text"], contextWindow: 8000 },
];
const seeds = Array.from({ length: 400 }, (_, n) => n + 1);
const check = (entries: TranscriptEntry[], seed: number) => {
  for (const model of models) {
    try {
      assertAcceptable(repairMessages(buildItems(entries), model), model);
    } catch (error) {
      throw new Error(`seed ${seed}, ${model.id}, ${entries.length} entries`, { cause: error });
    }
  }
};

describe("no transcript is refused by a provider", () => {
  test("random transcripts, whole and cut off anywhere", () => {
    for (const seed of seeds) {
      const chance = createChance(seed);
      const entries = makeTranscript(chance, 3 + chance.below(30));
      check(entries, seed);
      // A crash ends it at any line, and the store may begin it at any line.
      check(entries.slice(0, chance.below(entries.length + 1)), seed);
      check(entries.slice(chance.below(entries.length + 1)), seed);
    }
  });
  test("what has expired can still be sent", () => {
    for (const seed of seeds.slice(0, 100)) {
      const chance = createChance(seed);
      const scope = { kind: "tool_result" as const, name: "read", reload: "Call read again." };
      const entries = makeTranscript(chance, 20).map((entry) => (chance.is(0.5) ? { ...entry, scope } : entry));
      const edits = planExpiry(entries, { afterTurns: 1, nowMs: 0 });
      check([...entries, ...edits.map((edit) => ({ ...edit, parentId: null }))], seed);
    }
  });
  test("the memory of earlier turns changes nothing, and nothing that was read is changed", () => {
    const cache = createContextCache();
    for (const seed of seeds.slice(0, 100)) {
      const entries = makeTranscript(createChance(seed), 20);
      const before = JSON.stringify(entries);
      for (const model of models) {
        const fresh = repairMessages(buildItems(entries), model);
        assert.deepEqual(repairMessages(buildItems(entries, cache), model, cache), fresh);
        assert.deepEqual(repairMessages(buildItems(entries, cache), model, cache), fresh);
      }
      assert.equal(JSON.stringify(entries), before);
    }
  });
});
