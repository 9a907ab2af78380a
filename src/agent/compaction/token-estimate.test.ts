import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  buildAssistant,
  buildCall,
  buildPicture,
  buildResult,
  buildText,
  buildUser,
} from "../../../test/fakes/random-history.ts";
import type { ModelMessage } from "../../contracts/model.ts";
import { createTokenEstimator, estimateTokens, estimateTokensOfText } from "./token-estimate.ts";

describe("estimateTokens", () => {
  const rows: [name: string, message: ModelMessage, tokens: number][] = [
    ["text of 8 characters", buildUser("12345678"), 2],
    ["a rest counts as a whole token", buildUser("123456789"), 3],
    ["nothing", buildUser(""), 0],
    ["blocks are added up before they are rounded", buildUser([buildText("123"), buildText("45678")]), 2],
    ["a picture costs 1,500, whatever its bytes", buildUser([buildText("1234"), buildPicture()]), 1501],
    ["two pictures in a result", buildResult("a", [buildPicture(), buildPicture()]), 3000],
    // "read" is 4, {"path":"a.md"} is 15.
    ["a call: name and arguments as JSON", buildAssistant(buildCall("a")), 5],
    [
      "thinking counts, its signature does not",
      buildAssistant({ type: "thinking", thinking: "12345678", thinkingSignature: "s".repeat(400) }),
      2,
    ],
    ["details of a result never count", { ...buildResult("a", "12345678"), details: "d".repeat(4000) }, 2],
  ];
  for (const [name, message, tokens] of rows) {
    test(name, () => assert.equal(estimateTokens(message), tokens));
  }

  test("of a text: four characters a token", () => {
    assert.deepEqual(["", "1", "1234", "12345"].map(estimateTokensOfText), [0, 1, 1, 2]);
  });

  test("an estimator with a memory gives the same numbers, and looks at a message once", () => {
    const estimate = createTokenEstimator();
    const message = buildUser("12345678");
    assert.equal(estimate(message), 2);
    message.content = "changed, though messages never are";
    assert.equal(estimate(message), 2);
    assert.equal(estimate({ ...message }), estimateTokens(message));
  });
});
