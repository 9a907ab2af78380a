/** What is Google's own: tokens beside keys, errors in a stream that began well, why an answer was stopped. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGoogleServer, googleErrors } from "../../../../test/fakes/google-server.ts";
import { type ModelReply, sseFrame } from "../../../../test/fakes/model-server.ts";
import { openProvider, type ProviderStage } from "../../../../test/fakes/provider-stage.ts";

async function onStage<T>(reply: ModelReply, play: (stage: ProviderStage) => Promise<T>) {
  const server = await createGoogleServer({ respond: [reply] });
  try {
    const config = { providers: { google: { baseUrl: server.url } } };
    const outcome = await play(await openProvider({ ref: "google/gemini-3.8-flash", config }));
    return { outcome, headers: server.requests[0]?.headers };
  } finally {
    await server.close();
  }
}

test("a token goes as a bearer and leaves no key behind", async () => {
  const credential = { type: "token", secret: "ya29.token" } as const;
  const { headers } = await onStage({ type: "answer", text: "ok" }, (stage) => stage.answer({ credential }));
  assert.equal(headers?.authorization, "Bearer ya29.token");
  assert.equal(headers?.["x-goog-api-key"], "");
});

test("why an answer was stopped", async () => {
  const stop = (finishReason: string): ModelReply => ({
    type: "garbage",
    body: sseFrame({ candidates: [{ content: { role: "model", parts: [] }, finishReason }] }),
  });
  const ask = async (reason: string) => (await onStage(stop(reason), (stage) => stage.ask())).outcome;
  const safety = await ask("SAFETY");
  assert.deepEqual([safety.failure?.reason, safety.failure?.rule], ["unknown", "give_up"]);
  const malformed = await ask("MALFORMED_FUNCTION_CALL");
  assert.deepEqual([malformed.failure?.reason, malformed.retryable], ["format", true]);
});

test("an error in a stream that began well", async () => {
  assert.ok(googleErrors.overloaded.type === "status");
  const { outcome } = await onStage({ type: "garbage", body: googleErrors.overloaded.body ?? "" }, (stage) =>
    stage.ask(),
  );
  assert.deepEqual([outcome.failure?.reason, outcome.failure?.status], ["overloaded", 503]);
});

test("what cannot be asked in text is not offered", async () => {
  const { provider } = await openProvider({ ref: "google/gemini-3.8-flash" });
  const ids = (await provider.list()).map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id) => /deep-research|live|image/.test(id)),
    [],
  );
});
