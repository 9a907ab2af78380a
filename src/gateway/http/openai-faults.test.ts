/** What goes wrong in a request to the API, as the unmodified `openai` client raises it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import OpenAI from "openai";
import { answer, collect, createOpenAiStage } from "../../../test/fakes/openai-stage.ts";
import { goodToken, readToken } from "../../../test/fakes/route-server.ts";
import { AgentError } from "../../base/errors.ts";
import type { OpenAiError } from "./openai-error.ts";

const hello = { model: "mom", messages: [{ role: "user" as const, content: "Hello" }] };

describe("what goes wrong", () => {
  test("is said as a turn would say it, and not tried again", async (t) => {
    const stage = await createOpenAiStage(t);
    let asked = 0;
    stage.script = async (turn) => {
      asked++;
      turn.stream("Well");
      turn.event({ type: "agent_end", stopReason: "error" });
      await turn.end("The model is overloaded. Your message is kept.", { outcome: "failed", error: "529 at host x" });
    };
    const client = stage.client.withOptions({ maxRetries: 2 });
    await assert.rejects(client.chat.completions.create(hello), (error) => {
      assert.ok(error instanceof OpenAI.InternalServerError);
      assert.deepEqual([error.status, error.type, error.code, error.param], [500, "server_error", "turn_failed", null]);
      assert.match(error.message, /The model is overloaded\. Your message is kept\./);
      assert.doesNotMatch(error.message, /529/);
      return true;
    });
    assert.equal(asked, 1);
    const stream = await client.chat.completions.create({ ...hello, stream: true });
    await assert.rejects(collect(stream), (error) => {
      assert.ok(error instanceof OpenAI.APIError);
      assert.deepEqual([error.type, error.code], ["server_error", "turn_failed"]);
      assert.match(error.message, /The model is overloaded/);
      return true;
    });
  });

  test("a turn that was stopped gives no answer", async (t) => {
    const stage = await createOpenAiStage(t);
    const asked = stage.client.chat.completions.create(hello);
    const { turn } = await stage.turns.next();
    await stage.house.stop(turn.route.sessionKey);
    await assert.rejects(asked, { status: 500, code: "turn_stopped" });
  });

  test("what the house does not take is 503", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.sayInstead = { type: "refused", reason: "Mom is stopping" };
    await assert.rejects(stage.client.chat.completions.create(hello), { status: 503, type: "server_error" });
  });

  test("a house that is stopping is 503, and the client may try again", async (t) => {
    const stage = await createOpenAiStage(t);
    const { say } = stage.house;
    let asked = 0;
    stage.house.say = (said) => {
      if (++asked > 1) return say(said);
      throw new AgentError("STOPPING", "The lock of /home/owner is gone", { retryable: true });
    };
    stage.script = (turn) => answer(turn, "Back");
    await assert.rejects(stage.client.chat.completions.create(hello), {
      status: 503,
      message: /^503 mom cannot answer/,
    });
    asked = 0;
    const second = await stage.client.chat.completions.create(hello, { maxRetries: 1 });
    assert.deepEqual([second.choices[0]?.message.content, asked], ["Back", 2]);
    assert.deepEqual(stage.log.lines, []);
  });

  test("a surprise says nothing of itself, and is logged", async (t) => {
    const stage = await createOpenAiStage(t);
    const secret = new Error("/home/owner/secret");
    stage.house.agents = () => Promise.reject(secret);
    await assert.rejects(stage.client.chat.completions.create(hello), (error) => {
      assert.ok(error instanceof OpenAI.InternalServerError);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
    assert.equal(stage.log.lines[0]?.fields["error"], secret);
  });

  test("no or too weak a token: errors that the client knows", async (t) => {
    const { client } = await createOpenAiStage(t);
    const stranger = client.withOptions({ apiKey: "wrong" });
    await assert.rejects(stranger.chat.completions.create(hello), (error) => {
      assert.ok(error instanceof OpenAI.AuthenticationError);
      assert.deepEqual([error.status, error.code], [401, "invalid_api_key"]);
      return true;
    });
    await assert.rejects(
      client.withOptions({ apiKey: readToken }).chat.completions.create(hello),
      OpenAI.PermissionDeniedError,
    );
  });

  const refused: { name: string; body: object; param: string | undefined; status?: number; code?: string }[] = [
    { name: "several answers", body: { ...hello, n: 2 }, param: "n" },
    { name: "probabilities", body: { ...hello, logprobs: true }, param: "logprobs" },
    { name: "a format", body: { ...hello, response_format: { type: "json_object" } }, param: "response_format" },
    { name: "speech", body: { ...hello, modalities: ["text", "audio"] }, param: "modalities" },
    { name: "a forced tool", body: { ...hello, tools: [], tool_choice: "required" }, param: "tool_choice" },
    {
      name: "a tool forced by name",
      body: { ...hello, tool_choice: { type: "function", function: { name: "f" } } },
      param: "tool_choice",
    },
    { name: "another model", body: { ...hello, model: "gpt-5" }, param: "model", status: 404, code: "model_not_found" },
    { name: "an agent that is not there", body: { ...hello, model: "mom/x" }, param: "model", status: 404 },
    { name: "no model", body: { messages: hello.messages }, param: "model" },
    { name: "no messages", body: { model: "mom", messages: [] }, param: "messages" },
    { name: "messages that are none", body: { model: "mom", messages: "Hello" }, param: "messages" },
    {
      name: "a strange role",
      body: { model: "mom", messages: [{ role: "__proto__", content: "" }] },
      param: "messages[0].role",
    },
    {
      name: "nothing new",
      body: { model: "mom", messages: [{ role: "assistant", content: "Hi" }] },
      param: "messages",
    },
    { name: "a long user", body: { ...hello, user: "u".repeat(257) }, param: "user" },
    { name: "half a character as user", body: { ...hello, user: "\ud800" }, param: "user" },
    { name: "a user that is no text", body: { ...hello, user: { a: 1 } }, param: "user" },
    {
      name: "a picture by address",
      body: {
        model: "mom",
        messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "http://10.0.0.1/" } }] }],
      },
      param: "messages[0].content[0].image_url.url",
    },
    {
      name: "a picture that is none",
      body: {
        model: "mom",
        messages: [
          { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,PHN2Zz4=" } }] },
        ],
      },
      param: "messages[0].content[0].image_url.url",
      code: "invalid_image_format",
    },
    {
      name: "sound",
      body: { model: "mom", messages: [{ role: "user", content: [{ type: "input_audio", input_audio: {} }] }] },
      param: "messages[0].content[0].type",
    },
  ];
  test("what cannot be honoured is refused by name", async (t) => {
    const stage = await createOpenAiStage(t);
    for (const { name, body, param, status = 400, code } of refused) {
      const asked = stage.client.post("/chat/completions", { body });
      await assert.rejects(
        asked,
        (error) => {
          assert.ok(error instanceof OpenAI.APIError, name);
          assert.deepEqual([error.status, error.type, error.param], [status, "invalid_request_error", param], name);
          if (code !== undefined) assert.equal(error.code, code, name);
          return true;
        },
        name,
      );
    }
    assert.equal(stage.said.length, 0);
  });

  test("a body that is no JSON, or too large", async (t) => {
    const stage = await createOpenAiStage(t);
    const post = (body: string) =>
      fetch(`${stage.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${goodToken}` },
        body,
      });
    for (const body of ["{", "[]", "null", ""]) {
      const response = await post(body);
      assert.equal(response.status, 400, body);
      const { error } = (await response.json()) as OpenAiError;
      assert.equal(error.type, "invalid_request_error");
    }
    assert.equal((await post(`"${"x".repeat(20 * 1024 * 1024)}"`)).status, 413);
  });

  test("what does no harm is ignored", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = (turn) => answer(turn, "Yes");
    const tool = { type: "function" as const, function: { name: "f", parameters: {} } };
    const completion = await stage.client.chat.completions.create({
      ...hello,
      n: 1,
      temperature: 0.2,
      top_p: 1,
      max_tokens: 5,
      max_completion_tokens: 5,
      stop: ["x"],
      seed: 7,
      presence_penalty: 1,
      frequency_penalty: 1,
      logit_bias: { 5: 1 },
      logprobs: false,
      metadata: { a: "b" },
      response_format: { type: "text" },
      tools: [tool],
      tool_choice: "auto",
      parallel_tool_calls: true,
      store: true,
      reasoning_effort: "low",
      service_tier: "auto",
    });
    assert.equal(completion.choices[0]?.message.content, "Yes");
  });
});
