/** Facts of failed calls and what they mean. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ModelFailureReason } from "../contracts/model.ts";
import { buildSilenceFacts, classifyFailure } from "./failure.ts";
import type { FailureFacts } from "./provider.ts";
import { pickRetryDelay } from "./retry-policy.ts";

const context = { ref: "acme/large", secrets: ["hunter2-hunter2"] };

describe("classifyFailure", () => {
  const table: [facts: FailureFacts, reason: ModelFailureReason, retryable: boolean][] = [
    [{ status: 401, text: "no" }, "auth", false],
    [{ status: 403, text: "forbidden" }, "auth", false],
    [{ status: 402, text: "pay" }, "billing", false],
    [{ status: 400, text: "Your credit balance is too low" }, "billing", false],
    [{ status: 429, text: "insufficient_quota" }, "billing", false],
    [{ status: 429, text: "slow down" }, "rate_limit", true],
    [{ status: 404, text: "model not found" }, "format", false],
    [{ status: 400, text: "bad" }, "format", false],
    [{ status: 400, text: "prompt too long", overflow: true }, "context_overflow", false],
    [{ status: 408, text: "" }, "timeout", true],
    [{ status: 500, text: "" }, "overloaded", true],
    [{ status: 500, text: "billing service is down" }, "overloaded", true],
    [{ status: 529, text: "" }, "overloaded", true],
    [{ status: 200, text: '{"type":"error","error":{"type":"overloaded_error"}}' }, "overloaded", true],
    [{ status: 200, text: '{"type":"error","error":{"type":"rate_limit_error"}}' }, "rate_limit", true],
    [{ status: 200, text: '{"type":"error","error":{"type":"invalid_request_error"}}' }, "format", false],
    [{ status: 200, text: "Provider finish_reason: content_filter" }, "unknown", false],
    [{ status: 200, text: "The model refused to complete the request" }, "unknown", false],
    [{ status: 200, text: "terminated" }, "timeout", true],
    [{ status: 200, text: "Stream ended without finish_reason" }, "format", true],
    [{ status: 200, contentType: "text/html", text: "anything" }, "format", true],
    [{ networkCode: "ECONNREFUSED", text: "Connection error." }, "timeout", true],
    [buildSilenceFacts(5000), "timeout", true],
    [{ text: "something else entirely" }, "unknown", false],
  ];
  for (const [facts, reason, retryable] of table) {
    test(`${JSON.stringify(facts)} is ${reason}${retryable ? ", retried" : ""}`, () => {
      const result = classifyFailure(facts, context);
      assert.deepEqual({ reason: result.failure.reason, retryable: result.retryable }, { reason, retryable });
      assert.ok(result.failure.message.includes("acme/large"));
    });
  }

  test("keys are in neither text, known ones and those that look like one", () => {
    const text = "Bad key hunter2-hunter2, Bearer abc.def-ghi, sk-ant-api03-AbC_dEf***xyz";
    const { failure } = classifyFailure({ status: 401, text }, context);
    for (const key of ["hunter2", "abc.def", "AbC_dEf"]) assert.ok(!JSON.stringify(failure).includes(key), key);
    assert.match(failure.detail, /HTTP 401.*Bad key \[key removed\]/);
  });

  test("long bodies are cut, and the person never gets the provider's words", () => {
    const { failure } = classifyFailure({ status: 500, text: `<html>\n${"boom ".repeat(1000)}` }, context);
    assert.ok(failure.detail.length < 700);
    assert.doesNotMatch(failure.message, /boom/);
  });

  test("the wait is told in words", () => {
    const message = (retryAfterMs: number) =>
      classifyFailure({ status: 429, text: "", retryAfterMs }, context).failure.message;
    assert.match(message(90_000), /in 90 seconds/);
    assert.match(message(3_600_000), /in 60 minutes/);
  });
});

describe("pickRetryDelay", () => {
  test("obeys the provider up to a minute", () => {
    assert.equal(pickRetryDelay(1, 60_000), 60_000);
    assert.equal(pickRetryDelay(1, 0), 0);
    assert.equal(pickRetryDelay(1, 60_001), undefined);
  });
  test("else doubles, up to a limit, with jitter on both sides", () => {
    assert.deepEqual(
      [1, 2, 3].map((retry) => pickRetryDelay(retry, undefined, () => 0.5)),
      [1000, 2000, 4000],
    );
    assert.equal(
      pickRetryDelay(9, undefined, () => 0.5),
      30_000,
    );
    assert.equal(
      pickRetryDelay(1, undefined, () => 0),
      800,
    );
    assert.equal(
      pickRetryDelay(1, undefined, () => 0.999999),
      1200,
    );
  });
});
