/** Facts of failed calls and what they mean. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { FailureRule, ModelFailureReason } from "../contracts/model.ts";
import { buildAbortedFailure, buildSilenceFacts, classifyFailure } from "./failure.ts";
import type { FailureFacts } from "./provider.ts";

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
    [{ status: 400, text: "API key not valid. Please pass a valid API key." }, "auth", false],
    [{ status: 400, text: "API key expired. Please renew the API key." }, "auth", false],
    [{ status: 429, text: '"RESOURCE_EXHAUSTED" You exceeded your current quota, check billing' }, "rate_limit", true],
    [{ status: 429, text: '"RESOURCE_EXHAUSTED" Your prepayment credits are depleted.' }, "billing", false],
    [{ status: 403, text: "BILLING_DISABLED" }, "billing", false],
    [{ status: 402, text: "Insufficient Balance" }, "billing", false],
    [{ text: "Could not load credentials from any providers" }, "auth", false],
    [{ text: "fetch failed" }, "timeout", true],
    [{ status: 200, text: "aborted" }, "timeout", true],
    [{ status: 200, text: "Provider stopped with: guardrail_intervened" }, "unknown", false],
    [{ status: 200, text: "Provider stopped with: PROHIBITED_CONTENT" }, "unknown", false],
    [
      { status: 200, contentType: "application/vnd.amazon.eventstream", text: "Throttling error: wait" },
      "rate_limit",
      true,
    ],
  ];
  for (const [facts, reason, retryable] of table) {
    test(`${JSON.stringify(facts)} is ${reason}${retryable ? ", retried" : ""}`, () => {
      const result = classifyFailure(facts, context);
      assert.deepEqual({ reason: result.failure.reason, retryable: result.retryable }, { reason, retryable });
      assert.ok(result.failure.message.includes("acme/large"));
    });
  }

  test("each verdict has its rule", () => {
    const rules: [facts: FailureFacts, rule: FailureRule][] = [
      [{ status: 401, text: "" }, "rotate"],
      [{ status: 402, text: "" }, "rotate"],
      [{ status: 429, text: "" }, "rotate"],
      [{ status: 503, text: "" }, "fall_back"],
      [buildSilenceFacts(1), "fall_back"],
      [{ status: 200, text: "not valid JSON" }, "fall_back"],
      [{ status: 404, text: "" }, "fall_back"],
      [{ status: 400, text: "" }, "fall_back"],
      [{ text: "what?" }, "fall_back"],
      [{ status: 400, text: "", overflow: true }, "compact"],
      [{ status: 200, text: "content_filter" }, "give_up"],
    ];
    for (const [facts, rule] of rules) assert.equal(classifyFailure(facts, context).failure.rule, rule, facts.text);
    assert.equal(buildAbortedFailure("acme/large").rule, "give_up");
  });

  test("keys are in neither text, known ones and those that look like one", () => {
    const text =
      "Bad key hunter2-hunter2, Bearer abc.def-ghi, sk-ant-api03-AbC_dEf***xyz, AIzaSyD-1234567890abc, AKIAIOSFODNN7EXAMPLE";
    const { failure } = classifyFailure({ status: 401, text }, context);
    for (const key of ["hunter2", "abc.def", "AbC_dEf", "SyD-12345", "IOSFODNN7"])
      assert.ok(!JSON.stringify(failure).includes(key), key);
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
