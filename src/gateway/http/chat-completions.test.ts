/** `/v1/chat/completions` as the unmodified `openai` client sees it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import OpenAI from "openai";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import type { HouseTurn } from "../../../test/fakes/house-turns.ts";
import { someUsage } from "../../../test/fakes/house-turns.ts";
import { answer, collect, createOpenAiStage } from "../../../test/fakes/openai-stage.ts";
import { goodToken } from "../../../test/fakes/route-server.ts";

const hello = { model: "mom", messages: [{ role: "user" as const, content: "Hello" }] };

type Chunks = AsyncIterable<OpenAI.ChatCompletionChunk>;
async function textOf(chunks: Chunks): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += chunk.choices[0]?.delta.content ?? "";
  return text;
}

describe("a chat completion", () => {
  test("is mom's reply, with what it took", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.turns.next().then((turn) => answer(turn, "Good ", "morning"));
    const completion = await stage.client.chat.completions.create(hello);
    assert.equal(completion.object, "chat.completion");
    assert.equal(completion.model, "mom");
    assert.deepEqual(completion.choices, [
      {
        index: 0,
        message: { role: "assistant", content: "Good morning", refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: "stop",
      },
    ]);
    assert.equal(completion.usage?.prompt_tokens, someUsage.input + someUsage.cacheRead + someUsage.cacheWrite);
    assert.equal(completion.usage?.completion_tokens, someUsage.output);
    assert.equal(completion.usage?.total_tokens, someUsage.totalTokens);
    assert.equal(completion.usage?.prompt_tokens_details?.cached_tokens, someUsage.cacheRead);
    assert.equal(completion._request_id, completion.id);
    assert.deepEqual(stage.stopped, []);
  });

  test("is streamed: role, deltas, reason, usage, end", async (t) => {
    const stage = await createOpenAiStage(t);
    const stream = stage.client.chat.completions.create({
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
    });
    const turn = await stage.turns.next();
    await answer(turn, "Good ", "morning");
    const chunks = await collect(await stream);
    assert.deepEqual(
      chunks.map(({ choices: [choice] }) => choice?.delta),
      [{ role: "assistant", content: "", refusal: null }, { content: "Good" }, { content: " morning" }, {}, undefined],
    );
    assert.deepEqual(
      chunks.map(({ choices: [choice] }) => choice?.finish_reason),
      [null, null, null, "stop", undefined],
    );
    assert.equal(chunks.at(-1)?.usage?.completion_tokens, someUsage.output);
    assert.deepEqual(new Set(chunks.map(({ id }) => id)).size, 1);
    assert.ok(chunks.slice(0, -1).every(({ usage }) => usage === null));
  });

  test("comes while it is written, not after", async (t) => {
    const stage = await createOpenAiStage(t);
    const stream = await stage.client.chat.completions.create({ ...hello, stream: true });
    const turn = await stage.turns.next();
    const read = stream[Symbol.asyncIterator]();
    assert.equal((await read.next()).value?.choices[0]?.delta.role, "assistant");
    turn.event({ type: "message_start" });
    turn.event({ type: "text_delta", delta: "One" });
    assert.equal((await read.next()).value?.choices[0]?.delta.content, "One");
    turn.event({ type: "text_delta", delta: ", two" });
    assert.equal((await read.next()).value?.choices[0]?.delta.content, ", two");
    await turn.end("One, two");
    assert.equal((await read.next()).value?.choices[0]?.finish_reason, "stop");
  });

  test("is there with the post, before the turn's own end", async (t) => {
    const stage = await createOpenAiStage(t);
    const asked = stage.client.chat.completions.create(hello);
    const { turn } = await stage.turns.next();
    const { feed } = stage;
    feed.turnEvent(turn, { type: "message_start" });
    feed.turnEvent(turn, { type: "message_end", text: " Yes. ", hasToolCalls: false, usage: someUsage });
    feed.turnEvent(turn, { type: "agent_end", stopReason: "stop" });
    feed.sent({ id: `${turn.id}.0` as never, turnId: turn.id, body: { type: "text", text: "Yes." } });
    assert.equal((await asked).choices[0]?.message.content, "Yes.");
  });

  test("of a turn with tools has its messages apart, and ends with the reply", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = async (turn) => {
      turn.stream("Let me look.");
      turn.event({ type: "tool_execution_start", toolCallId: "1", toolName: "bash", label: "ls", args: {} });
      turn.event({ type: "tool_execution_update", toolCallId: "1", toolName: "bash", text: "secret output" });
      turn.stream("There are ", "two.");
      await turn.end("There are two.");
    };
    assert.equal(
      await textOf(await stage.client.chat.completions.create({ ...hello, stream: true })),
      "Let me look.\n\nThere are two.",
    );
    const whole = await stage.client.chat.completions.create(hello);
    assert.equal(whole.choices[0]?.message.content, "There are two.");
    assert.equal(whole.usage?.completion_tokens, 2 * someUsage.output);
  });

  const differing: { name: string; script(turn: HouseTurn): Promise<void>; streamed: string; whole?: string }[] = [
    {
      name: "a command's answer was never streamed",
      script: (turn) => turn.end("mom 1.2.3"),
      streamed: "mom 1.2.3",
    },
    {
      name: "silence is nothing, while it is written too",
      async script(turn) {
        turn.stream("[SIL", "ENT]");
        await turn.end("");
      },
      streamed: "",
    },
    {
      name: "a note was added to the reply",
      async script(turn) {
        turn.stream("Done.\n");
        await turn.end("Done.\n\n_Your budget is used up._");
      },
      streamed: "Done.\n\n_Your budget is used up._",
    },
    {
      name: "the reply is another one than was streamed",
      async script(turn) {
        turn.stream("I thi");
        await turn.end("The model stumbled.");
      },
      streamed: "I thi\n\nThe model stumbled.",
      whole: "The model stumbled.",
    },
    {
      name: "a tag for the platform is not shown",
      async script(turn) {
        turn.stream("[[reply_to", "_current]] ", "Yes");
        await turn.end("Yes");
      },
      streamed: "Yes",
    },
    {
      name: "a long reply was cut into posts",
      async script(turn) {
        turn.stream("One\n\n", "two");
        await turn.end("One", { bodies: [{ type: "text", text: "two" }] });
      },
      streamed: "One\n\ntwo",
    },
    {
      name: "what tools posted is not the reply",
      async script(turn) {
        await turn.aside("Working on it");
        turn.stream("Ready");
        await turn.end("Ready");
      },
      streamed: "Ready",
    },
  ];
  for (const { name, script, streamed, whole = streamed } of differing) {
    test(`is what was posted: ${name}`, async (t) => {
      const stage = await createOpenAiStage(t);
      stage.script = script;
      assert.equal(await textOf(await stage.client.chat.completions.create({ ...hello, stream: true })), streamed);
      assert.equal((await stage.client.chat.completions.create(hello)).choices[0]?.message.content, whole);
    });
  }

  test("says when the model ran out of room", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = async (turn) => {
      turn.stream("And then");
      turn.event({ type: "agent_end", stopReason: "length" });
      await turn.end("And then");
    };
    assert.equal((await stage.client.chat.completions.create(hello)).choices[0]?.finish_reason, "length");
    const final = await stage.client.chat.completions.stream(hello).finalChatCompletion();
    assert.equal(final.choices[0]?.finish_reason, "length");
  });

  test("is kept alive while nothing happens", async (t) => {
    const clock = createFakeClock();
    const stage = await createOpenAiStage(t, { clock });
    const response = await fetch(`${stage.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${goodToken}` },
      body: JSON.stringify({ ...hello, stream: true }),
    });
    assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
    const turn = await stage.turns.next();
    await clock.advance(15_000);
    await clock.advance(15_000);
    await answer(turn, "Late");
    const text = await response.text();
    assert.equal(text.split(": keep-alive\n\n").length, 3);
    assert.ok(text.endsWith("data: [DONE]\n\n"));
    await clock.advance(60_000);
    assert.equal(clock.pending, 0, "no timer is left");
  });

  test("of sixteen conversations at once waits for none of the others", async (t) => {
    const stage = await createOpenAiStage(t);
    const turns: HouseTurn[] = [];
    const all = Promise.withResolvers<void>();
    stage.script = async (turn) => {
      turns.push(turn);
      if (turns.length === 16) all.resolve();
      await all.promise;
      await answer(turn, `Hello ${turn.turn.message.text}`);
    };
    const asked = Array.from({ length: 16 }, (_, n) =>
      stage.client.chat.completions.create({
        model: "mom",
        user: `u${n}`,
        messages: [{ role: "user", content: `${n}` }],
      }),
    );
    const texts = (await Promise.all(asked)).map(({ choices }) => choices[0]?.message.content);
    assert.deepEqual(
      texts,
      Array.from({ length: 16 }, (_, n) => `Hello ${n}`),
    );
  });
});

describe("a client that goes away", () => {
  test("ends its turn, streamed", async (t) => {
    const stage = await createOpenAiStage(t);
    const stream = await stage.client.chat.completions.create({ ...hello, stream: true });
    const turn = await stage.turns.next();
    turn.event({ type: "message_start" });
    turn.event({ type: "text_delta", delta: "One" });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === "One") break;
    await stage.house.whenOver(turn.turn.id);
    assert.ok(turn.signal.aborted);
    assert.deepEqual(stage.stopped, [turn.turn.route.sessionKey]);
  });

  test("ends its turn, whole", async (t) => {
    const stage = await createOpenAiStage(t);
    const abort = new AbortController();
    const asked = stage.client.chat.completions.create(hello, { signal: abort.signal });
    const turn = await stage.turns.next();
    abort.abort();
    await assert.rejects(asked, OpenAI.APIUserAbortError);
    await stage.house.whenOver(turn.turn.id);
    assert.ok(turn.signal.aborted);
  });

  test("finds its turn again where it has named its request", async (t) => {
    const stage = await createOpenAiStage(t);
    const headers = { "Idempotency-Key": "order-7" };
    const abort = new AbortController();
    const first = stage.client.chat.completions.create(hello, { signal: abort.signal, headers });
    const turn = await stage.turns.next();
    const isLeft = stage.nextHandled();
    abort.abort();
    await assert.rejects(first, OpenAI.APIUserAbortError);
    await isLeft;
    const second = stage.client.chat.completions.create(hello, { headers });
    await answer(turn, "Here you are");
    assert.equal((await second).choices[0]?.message.content, "Here you are");
    const third = await stage.client.chat.completions.create(hello, { headers });
    assert.equal(third.choices[0]?.message.content, "Here you are");
    assert.deepEqual([third.id, stage.stopped], [(await second).id, []]);
  });
});
