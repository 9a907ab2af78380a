/** Sessions that the coding-agent wrote (three releases) give the same context here as there. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import { buildItems } from "../../src/agent/context/build-items.ts";
import { repairMessages } from "../../src/agent/context/repair-messages.ts";
import { assertAcceptable } from "../fakes/provider-rules.ts";
import { pathOf, readAsCodingAgent, readAsMom } from "./compare-context.ts";
import { buildMomTranscript } from "./mom-transcript.ts";

const folder = join(import.meta.dirname, "../fixtures/transcripts");
const files = globSync(join(folder, "*.jsonl")).sort();
const model = { provider: "anthropic", id: "model-1", input: ["text" as const], contextWindow: 200_000 };

describe("transcripts of the coding-agent", () => {
  test("every release has its sessions", () => assert.equal(files.length, 9));
  for (const file of files) {
    test(`${basename(file)} reads as it does there`, () => {
      const written = readFileSync(file, "utf8");
      const { messages } = JSON.parse(readFileSync(file.replace(/jsonl$/, "expected.json"), "utf8"));
      assert.deepEqual(readAsMom(written), readAsCodingAgent(messages));
      assertAcceptable(repairMessages(buildItems(pathOf(written)), model), model);
    });
  }
  test("mom's own transcript of every entry type can be sent", () => {
    assertAcceptable(repairMessages(buildItems(pathOf(buildMomTranscript())), model), model);
  });
});
