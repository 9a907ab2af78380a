/** What is Anthropic's own: logins against keys, its limits in headers, errors in a stream that began well. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createAnthropicServer } from "../../../../test/fakes/anthropic-server.ts";
import { type ModelReply, type ModelServer, sseFrame } from "../../../../test/fakes/model-server.ts";
import { openProvider, type ProviderStage } from "../../../../test/fakes/provider-stage.ts";

const answer: ModelReply = { type: "answer", text: "ok" };

async function onStage(reply: ModelReply, play: (stage: ProviderStage, server: ModelServer) => Promise<void>) {
  const server = await createAnthropicServer({ respond: () => reply });
  try {
    const config = { providers: { anthropic: { baseUrl: server.url } } };
    await play(await openProvider({ ref: "anthropic/claude-sonnet-5", config }), server);
  } finally {
    await server.close();
  }
}

describe("credentials", () => {
  test("a login goes as one, in the manner of its client", () =>
    onStage(answer, async (stage, server) => {
      await stage.answer({ credential: { type: "oauth", secret: "sk-ant-oat01-abcdef" } });
      const { headers, body } = server.requests[0] ?? {};
      assert.equal(headers?.authorization, "Bearer sk-ant-oat01-abcdef");
      assert.equal(headers?.["x-api-key"], undefined);
      assert.match(headers?.["user-agent"] ?? "", /^claude-cli/);
      assert.match(JSON.stringify(body?.["system"]), /You are Claude Code.*You are a test\./);
    }));

  for (const type of ["api_key", "token"] as const) {
    test(`its token as ${type} is refused before anything is sent`, () =>
      onStage(answer, async (stage, server) => {
        const { failure } = await stage.ask({ credential: { type, secret: "sk-ant-oat01-abcdef" } });
        assert.deepEqual({ reason: failure?.reason, rule: failure?.rule }, { reason: "auth", rule: "rotate" });
        assert.match(failure?.detail ?? "", /subscription token/);
        assert.equal(server.requests.length, 0);
      }));
  }

  test("another token goes as a bearer, and mom stays mom", () =>
    onStage(answer, async (stage, server) => {
      await stage.answer({ credential: { type: "token", secret: "gateway-token-1" } });
      const { headers, body } = server.requests[0] ?? {};
      assert.equal(headers?.authorization, "Bearer gateway-token-1");
      assert.equal(headers?.["x-api-key"], undefined);
      assert.equal(headers?.["user-agent"], "mom");
      assert.doesNotMatch(JSON.stringify(body), /Claude Code/);
    }));

  test("without one none is sent", () =>
    onStage(answer, async (stage, server) => {
      await stage.answer();
      const { headers } = server.requests[0] ?? {};
      assert.deepEqual([headers?.authorization, headers?.["x-api-key"]], [undefined, undefined]);
    }));
});

test("a limit in the headers says when to come back", () =>
  onStage(
    {
      type: "status",
      status: 429,
      headers: {
        "anthropic-ratelimit-output-tokens-remaining": "0",
        "anthropic-ratelimit-output-tokens-reset": new Date(90_000).toISOString(),
        "anthropic-ratelimit-requests-remaining": "10",
        "anthropic-ratelimit-requests-reset": new Date(600_000).toISOString(),
      },
    },
    async (stage) => {
      const expected = 90_000 - stage.clock.now();
      const { failure } = await stage.ask();
      assert.equal(failure?.retryAfterMs, Math.max(0, expected));
    },
  ));

test("an error in a stream that began well", () =>
  onStage(
    {
      type: "garbage",
      body: sseFrame({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "error"),
    },
    async (stage) => {
      const { failure, retryable } = await stage.ask();
      assert.deepEqual({ reason: failure?.reason, retryable }, { reason: "overloaded", retryable: true });
    },
  ));
