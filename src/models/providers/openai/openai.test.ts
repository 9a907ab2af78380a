/** What is OpenAI's own: its limits in headers, an answer that its filter stopped. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelReply } from "../../../../test/fakes/model-server.ts";
import { createOpenAiServer } from "../../../../test/fakes/openai-server.ts";
import { openProvider } from "../../../../test/fakes/provider-stage.ts";

async function ask(reply: ModelReply) {
  const server = await createOpenAiServer({ respond: [reply] });
  try {
    const config = { providers: { openai: { baseUrl: server.url, apiKey: "k-0001" } } };
    return await (await openProvider({ ref: "openai/gpt-6-sol", config })).ask();
  } finally {
    await server.close();
  }
}

test("a limit in the headers says when to come back; Retry-After comes first", async () => {
  const limits = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s" };
  assert.equal((await ask({ type: "status", status: 429, headers: limits })).failure?.retryAfterMs, 360_000);
  const headers = { ...limits, "retry-after": "2" };
  assert.equal((await ask({ type: "status", status: 429, headers })).failure?.retryAfterMs, 2000);
});

test("an answer that the filter stopped is for nobody else to give", async () => {
  const end = {
    type: "response.incomplete",
    response: { id: "r", status: "incomplete", incomplete_details: { reason: "content_filter" }, output: [] },
  };
  const { failure, end: outcome } = await ask({
    type: "garbage",
    body: `event: response.incomplete\ndata: ${JSON.stringify(end)}\n\n`,
  });
  assert.equal(outcome.type, "failed");
  assert.equal(failure?.rule, "give_up", failure?.detail);
});
