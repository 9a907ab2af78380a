/** Reset times in the forms that providers give them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readResetMs, readRetryHint } from "./retry-hint.ts";

const nowMs = Date.UTC(2026, 0, 1);
const reset = (headers: Record<string, string>) => readResetMs(new Headers(headers), nowMs);

test("Anthropic's headers: the exhausted limit counts", () => {
  const headers = {
    "anthropic-ratelimit-requests-remaining": "49",
    "anthropic-ratelimit-requests-reset": "2026-01-01T01:00:00Z",
    "anthropic-ratelimit-input-tokens-remaining": "0",
    "anthropic-ratelimit-input-tokens-reset": "2026-01-01T00:00:30Z",
  };
  assert.equal(reset(headers), 30_000);
  assert.equal(reset({ "anthropic-ratelimit-unified-reset": String(nowMs / 1000 + 3600) }), 3_600_000);
});

test("OpenAI's headers, in its own notation", () => {
  assert.equal(reset({ "x-ratelimit-reset-requests": "6m0s" }), 360_000);
  assert.equal(reset({ "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "350ms" }), 1000);
  assert.equal(reset({ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1h2m3.5s" }), 3_723_500);
  assert.equal(reset({ "x-ratelimit-remaining-requests": "12", "x-ratelimit-reset-requests": "6m0s" }), undefined);
  assert.equal(reset({ "x-ratelimit-reset": "20" }), 20_000);
  assert.equal(reset({ "x-ratelimit-reset-tokens": "soon" }), undefined);
  assert.equal(reset({}), undefined);
});

test("words", () => {
  const table: [text: string, waitMs: number | undefined][] = [
    ["Rate limit reached for gpt-x. Please try again in 20s. Visit …", 20_000],
    ["Please try again in 6m0s.", 360_000],
    ["Please try again in 1.5s", 1500],
    ["try again in 350ms", 350],
    ["Please retry in 34.074824224s.", 34_075],
    ['{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay": "34s"}', 34_000],
    ["Please try again in 20 seconds.", 20_000],
    ["try again in 5 minutes", 300_000],
    ["try again in 300 milliseconds", 300],
    ["please retry after 2 hours", 7_200_000],
    ["please try again later", undefined],
    ["retry in a moment", undefined],
  ];
  for (const [text, waitMs] of table) assert.equal(readRetryHint(text), waitMs, text);
});
