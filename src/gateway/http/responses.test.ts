/** `/v1/responses` as the unmodified `openai` client sees it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import OpenAI from "openai";
import { someUsage } from "../../../test/fakes/house-turns.ts";
import { answer, collect, createOpenAiStage } from "../../../test/fakes/openai-stage.ts";
import { serveRoutes } from "../../../test/fakes/route-server.ts";
import { createOpenAiRoutes } from "./openai-routes.ts";

const hello = { model: "mom", input: "Hello" };

describe("a response", () => {
  test("is mom's reply, with what it took", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = (turn) => answer(turn, "Good ", "morning");
    const response = await stage.client.responses.create({ ...hello, instructions: "Be kind.", metadata: { a: "b" } });
    assert.equal(response.output_text, "Good morning");
    assert.deepEqual(
      [response.object, response.status, response.instructions, response.metadata, response.error],
      ["response", "completed", "Be kind.", { a: "b" }, null],
    );
    assert.equal(response.usage?.input_tokens, someUsage.input + someUsage.cacheRead + someUsage.cacheWrite);
    assert.equal(response.usage?.input_tokens_details.cached_tokens, someUsage.cacheRead);
    assert.equal(response.usage?.total_tokens, someUsage.totalTokens);
    assert.equal(stage.said[0]?.text, "Instructions for this conversation:\nBe kind.\n\nAnswer this now:\nHello");
  });

  test("is streamed as numbered events", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = async (turn) => {
      turn.stream("Let me look.");
      await answer(turn, "Good ", "morning");
    };
    const events = await collect(await stage.client.responses.create({ ...hello, stream: true }));
    assert.deepEqual(
      events.map(({ type }) => type),
      [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
      ],
    );
    assert.deepEqual(
      events.map((event) => event.sequence_number),
      events.map((_, n) => n),
    );
    const deltas = events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");
    const last = events.at(-1);
    assert.equal(deltas, "Let me look.\n\nGood morning");
    assert.ok(last?.type === "response.completed");
    const [item] = last.response.output;
    assert.deepEqual(item?.type === "message" && item.content, [
      { type: "output_text", text: deltas, annotations: [], logprobs: [] },
    ]);
  });

  test("is put together by the client's own stream", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = (turn) => answer(turn, "Good ", "morning");
    const final = await stage.client.responses.stream(hello).finalResponse();
    assert.deepEqual([final.output_text, final.status], ["Good morning", "completed"]);
    stage.script = (turn) => turn.end("");
    const silent = await stage.client.responses.stream(hello).finalResponse();
    assert.deepEqual([silent.output_text, silent.status], ["", "completed"]);
  });

  test("that was cut is incomplete", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = async (turn) => {
      turn.stream("And then");
      turn.event({ type: "agent_end", stopReason: "length" });
      await turn.end("And then");
    };
    const whole = await stage.client.responses.create(hello);
    const streamed = await stage.client.responses.stream(hello).finalResponse();
    for (const { status, incomplete_details: details, output_text: text } of [whole, streamed]) {
      assert.deepEqual([status, details?.reason, text], ["incomplete", "max_output_tokens", "And then"]);
    }
  });

  test("takes items: messages, pictures, what was called", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = (turn) => answer(turn, "A dot");
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    await stage.client.responses.create({
      model: "mom",
      store: false,
      input: [
        { role: "developer", content: "Be short." },
        { role: "user", content: "What time is it?" },
        { type: "function_call", call_id: "1", name: "clock", arguments: "{}" },
        { type: "function_call_output", call_id: "1", output: "12:00" },
        {
          id: "msg_1",
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Noon.", annotations: [] }],
        },
        {
          role: "user",
          content: [
            { type: "input_text", text: "And this?" },
            { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${png.toString("base64")}` },
          ],
        },
      ],
    });
    const [said] = stage.said;
    assert.equal(
      said?.text,
      "Instructions for this conversation:\nBe short.\n\nThe conversation so far:\n\nUser: What time is it?\n\n" +
        "You: (called clock with {})\n\nTool: 12:00\n\nYou: Noon.\n\nAnswer this now:\nAnd this?",
    );
    assert.deepEqual(
      said?.attachments.map(({ filename }) => filename),
      ["image.png"],
    );
    assert.equal(said?.to.type === "named" && said.to.isPassing, true);
  });
});

describe("a response's conversation", () => {
  test("goes on from any response of it, also after a restart", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = (turn) => answer(turn, "Yes");
    const first = await stage.client.responses.create(hello);
    const { house, clock, log, feed } = stage;
    const url = await serveRoutes(t, createOpenAiRoutes({ house, clock, log, feed: feed.feed }));
    const restarted = stage.client.withOptions({ baseURL: `${url}/v1` });
    const second = await restarted.responses.create({ ...hello, input: "More", previous_response_id: first.id });
    const names = stage.said.map(({ to }) => (to.type === "named" ? to.name : ""));
    assert.match(names[0] ?? "", /^kept-/);
    assert.equal(names[0], names[1]);
    assert.equal(stage.said[1]?.text, "More");
    assert.equal(second.previous_response_id, first.id);
    assert.equal((await stage.store.kv.list("gateway-responses")).size, 2);
    await stage.client.responses.create(hello);
    assert.notDeepEqual(stage.said.at(-1)?.to, stage.said[0]?.to);
  });

  test("is the user's where one is named, and none where nothing is stored", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = (turn) => answer(turn, "Yes");
    await stage.client.responses.create({ ...hello, user: "alice" });
    const gone = await stage.client.responses.create({ ...hello, store: false });
    assert.deepEqual(
      stage.said.map(({ to }) => to.type === "named" && [to.name.slice(0, 5), to.isPassing]),
      [
        ["user-", undefined],
        ["once-", true],
      ],
    );
    const next = stage.client.responses.create({ ...hello, previous_response_id: gone.id });
    await assert.rejects(next, { status: 400, code: "previous_response_not_found", param: "previous_response_id" });
  });

  test("belongs to its agent", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = (turn) => answer(turn, "Yes");
    const first = await stage.client.responses.create(hello);
    const next = stage.client.responses.create({ ...hello, model: "mom/helper", previous_response_id: first.id });
    await assert.rejects(next, { status: 400, param: "model" });
  });
});

describe("a response that goes wrong", () => {
  const failing = "The model is overloaded. Your message is kept.";

  test("is an error, and in a stream an event that the client raises", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = (turn) => turn.end(failing, { outcome: "failed", error: "529 at host x" });
    await assert.rejects(stage.client.responses.create(hello), {
      status: 500,
      type: "server_error",
      code: "turn_failed",
    });
    const seen: string[] = [];
    const read = async () => {
      for await (const event of await stage.client.responses.create({ ...hello, stream: true })) {
        seen.push(event.type);
        if (event.type === "response.failed") assert.equal(event.response.error?.message, failing);
      }
    };
    await assert.rejects(read, (error) => {
      assert.ok(error instanceof OpenAI.APIError);
      assert.deepEqual([error.code, error.type], ["turn_failed", "server_error"]);
      assert.match(error.message, /overloaded/);
      return true;
    });
    assert.equal(seen.at(-1), "response.failed");
    await assert.rejects(stage.client.responses.stream(hello).finalResponse(), /overloaded/);
  });

  test("ends when its client goes away", async (t) => {
    const stage = await createOpenAiStage(t);
    const stream = stage.client.responses.stream(hello);
    const turn = await stage.turns.next();
    const done = assert.rejects(stream.finalResponse(), OpenAI.APIUserAbortError);
    stream.abort();
    await done;
    await stage.house.whenOver(turn.turn.id);
    assert.ok(turn.signal.aborted);
  });

  test("what cannot be honoured is refused by name", async (t) => {
    const stage = await createOpenAiStage(t);
    const refused: [object, string][] = [
      [{ ...hello, text: { format: { type: "json_object" } } }, "text.format"],
      [{ ...hello, background: true }, "background"],
      [{ ...hello, conversation: "conv_1" }, "conversation"],
      [{ ...hello, prompt: { id: "pmpt_1" } }, "prompt"],
      [{ ...hello, tool_choice: { type: "allowed_tools", mode: "required", tools: [] } }, "tool_choice"],
      [{ ...hello, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, ""])) }, "metadata"],
      [{ ...hello, metadata: { a: "x".repeat(513) } }, "metadata"],
      [{ ...hello, previous_response_id: "resp_1" }, "previous_response_id"],
      [{ model: "mom" }, "input"],
      [{ model: "mom", input: [] }, "input"],
      [{ model: "mom", input: [{ type: "item_reference", id: "1" }] }, "input[0].type"],
      [
        { model: "mom", input: [{ role: "user", content: [{ type: "input_image", file_id: "f" }] }] },
        "input[0].content[0].image_url",
      ],
    ];
    for (const [body, param] of refused) {
      await assert.rejects(stage.client.post("/responses", { body }), { status: 400, param }, param);
    }
    assert.equal(stage.said.length, 0);
  });
});
