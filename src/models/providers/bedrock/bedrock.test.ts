/** What is Bedrock's own: signed requests, regions, exceptions in a stream that began well. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildBrokenStream, createBedrockServer } from "../../../../test/fakes/bedrock-server.ts";
import type { ModelReply } from "../../../../test/fakes/model-server.ts";
import { openProvider } from "../../../../test/fakes/provider-stage.ts";

const ref = "bedrock/global.anthropic.claude-sonnet-5";

async function ask(
  reply: ModelReply,
  settings: object = {},
  env: Record<string, string> = { AWS_BEARER_TOKEN_BEDROCK: "b-1" },
) {
  const server = await createBedrockServer({ respond: [reply] });
  try {
    const stage = await openProvider({
      ref,
      config: { providers: { bedrock: { baseUrl: server.url, ...settings } } },
      env,
    });
    return { ...(await stage.ask()), seen: server.requests[0] };
  } finally {
    await server.close();
  }
}

test("without a key the request is signed for the region with what the environment has", async () => {
  const env = {
    AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
    AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG",
    AWS_SESSION_TOKEN: "session-token",
    AWS_REGION: "us-west-2",
  };
  const { end, seen } = await ask({ type: "answer", text: "ok" }, { region: "eu-central-1" }, env);
  assert.equal(end.type, "done");
  const signed = /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d+\/eu-central-1\/bedrock\/aws4_request/;
  assert.match(seen?.headers.authorization ?? "", signed);
  assert.equal(seen?.headers["x-amz-security-token"], "session-token");
});

test("a header of one's own is sent", async () => {
  const { seen } = await ask({ type: "answer", text: "ok" }, { headers: { "X-Team": "blue", "User-Agent": "ours" } });
  assert.deepEqual([seen?.headers["x-team"], seen?.headers["user-agent"]], ["blue", "ours"]);
});

describe("failures", () => {
  const inStream = (type: string): ModelReply => ({
    type: "garbage",
    body: buildBrokenStream(type, "it did not work"),
  });
  const status = (code: number, type: string): ModelReply => ({
    type: "status",
    status: code,
    headers: { "x-amzn-errortype": type },
    body: '{"message":"it did not work"}',
  });
  const table: [what: string, reply: ModelReply, reason: string, rule: string][] = [
    ["throttling in the stream", inStream("throttlingException"), "rate_limit", "rotate"],
    ["a fault in the stream", inStream("internalServerException"), "overloaded", "fall_back"],
    ["the model's fault in the stream", inStream("modelStreamErrorException"), "overloaded", "fall_back"],
    ["no service in the stream", inStream("serviceUnavailableException"), "overloaded", "fall_back"],
    ["a bad request in the stream", inStream("validationException"), "format", "fall_back"],
    ["a model that takes too long", status(408, "ModelTimeoutException"), "timeout", "fall_back"],
    ["a model with a fault", status(424, "ModelErrorException"), "overloaded", "fall_back"],
    ["a model that is being started", status(429, "ModelNotReadyException"), "overloaded", "fall_back"],
    ["a quota", status(400, "ServiceQuotaExceededException"), "rate_limit", "rotate"],
    ["a model that is not there", status(404, "ResourceNotFoundException"), "format", "fall_back"],
    ["a key that has run out", status(403, "ExpiredTokenException"), "auth", "rotate"],
  ];
  for (const [what, reply, reason, rule] of table) {
    test(what, async () => {
      const { failure } = await ask(reply);
      assert.deepEqual([failure?.reason, failure?.rule], [reason, rule], failure?.detail);
    });
  }
});
