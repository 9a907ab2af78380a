/**
 * The suite that every model provider passes, over the wire: against a fake endpoint on loopback, with the unmodified
 * client, faults included. A new provider adds a line to `model-provider.test.ts`.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Log } from "../../src/contracts/log.ts";
import type { ModelEvent, ModelFailure, ModelProvider, ModelRequest } from "../../src/contracts/model.ts";
import { createModels, modelsConfig } from "../../src/models/index.ts";
import { createFakeClock } from "../fakes/clock.ts";
import type { ModelReply, ModelServer, Script } from "../fakes/model-server.ts";

export interface ProviderUnderTest {
  /** `provider/model` to ask. */
  ref: string;
  /** The API key that the configuration or the environment carries. */
  key: string;
  startServer(script: Script): Promise<ModelServer>;
  /** Configuration and environment that lead to the server. */
  setUp(url: string): { config: object; env?: Record<string, string> };
}

interface Stage {
  models: ModelProvider;
  server: ModelServer;
  clock: ReturnType<typeof createFakeClock>;
  log: string[];
  /** Waits that were announced; each is over as soon as it is announced. */
  retries: { attempt: number; maxAttempts: number; delayMs: number; failure: ModelFailure }[];
  request(overrides?: Partial<ModelRequest>): Promise<ModelRequest>;
}

const timeoutMs = 5000;
const calculator = {
  name: "add",
  description: "Adds two numbers.",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
};

export function testModelProvider(name: string, subject: ProviderUnderTest): void {
  const onStage = (script: Script, play: (stage: Stage) => Promise<void>) => async () => {
    const server = await subject.startServer(script);
    try {
      await play(buildStage(subject, server));
    } finally {
      await server.close();
    }
  };
  const failing = (reply: ModelReply) => onStageFailing(onStage, reply);

  describe(`${name}: answers`, () => {
    test(
      "streams text in order and ends with done",
      onStage([{ type: "answer", text: ["Hel", "lo ", "you"] }], async (stage) => {
        const stream = stage.models.stream(await stage.request());
        const events = await collect(stream);
        const { message, failure } = await stream.result();
        assert.equal(failure, undefined);
        assert.equal(events[0]?.type, "start");
        assert.equal(events.at(-1)?.type, "done");
        assert.equal(events.map((event) => (event.type === "text_delta" ? event.delta : "")).join(""), "Hello you");
        assert.equal(textOf(message.content), "Hello you");
        assert.equal(message.stopReason, "stop");
        assert.equal(`${message.provider}/${message.model}`, subject.ref);
        const partials = new Set(events.map((event) => (event.type === "done" ? event.message : event.partial)));
        assert.equal(partials.size, 1, "the partial message is one object, not a copy per event");
      }),
    );

    test(
      "sends the key, the prompt, the history and the tools",
      onStage([{ type: "answer", text: "ok" }], async (stage) => {
        await stage.models.stream(await stage.request({ tools: [calculator] })).result();
        const [seen] = stage.server.requests;
        assert.ok(JSON.stringify(seen?.headers).includes(subject.key));
        const body = JSON.stringify(seen?.body);
        for (const part of ["You are a test.", "what is 2 and 3?", "Adds two numbers."])
          assert.ok(body.includes(part), part);
      }),
    );

    test(
      "reads a tool call and carries its result back",
      onStage(
        [
          {
            type: "answer",
            text: "Let me see.",
            toolCalls: [{ id: "call_a", name: "add", arguments: { a: 2, b: 3 } }],
          },
          { type: "answer", text: "5" },
        ],
        async (stage) => {
          const request = await stage.request({ tools: [calculator] });
          const { message } = await stage.models.stream(request).result();
          const call = message.content.find((block) => block.type === "toolCall");
          assert.equal(message.stopReason, "toolUse");
          assert.deepEqual(
            { name: call?.name, arguments: call?.arguments },
            { name: "add", arguments: { a: 2, b: 3 } },
          );
          const result = {
            role: "toolResult" as const,
            toolCallId: call?.id ?? "",
            toolName: "add",
            content: [{ type: "text" as const, text: "the sum is 5" }],
            isError: false,
            timestamp: 2,
          };
          const second = await stage.models
            .stream({ ...request, messages: [...request.messages, message, result] })
            .result();
          assert.equal(textOf(second.message.content), "5");
          assert.ok(JSON.stringify(stage.server.requests[1]?.body).includes("the sum is 5"));
        },
      ),
    );

    test(
      "reads parallel tool calls",
      onStage(
        [
          {
            type: "answer",
            toolCalls: [
              { name: "add", arguments: { a: 1, b: 2 } },
              { name: "add", arguments: { a: 3, b: 4 } },
            ],
          },
        ],
        async (stage) => {
          const stream = stage.models.stream(await stage.request({ tools: [calculator] }));
          const events = await collect(stream);
          const { message } = await stream.result();
          const calls = message.content.filter((block) => block.type === "toolCall");
          assert.deepEqual(
            calls.map((call) => call.arguments),
            [
              { a: 1, b: 2 },
              { a: 3, b: 4 },
            ],
          );
          assert.equal(new Set(calls.map((call) => call.id)).size, 2);
          assert.ok(events.some((event) => event.type === "toolcall_delta"));
          const extra = calls
            .flatMap((call) => Object.keys(call))
            .filter((key) => !["type", "id", "name", "arguments"].includes(key));
          assert.deepEqual(extra, [], "no scratch fields in the transcript");
        },
      ),
    );

    test(
      "reports usage and cost",
      onStage([{ type: "answer", text: "ok", usage: { input: 1000, output: 200, cacheRead: 50 } }], async (stage) => {
        const request = await stage.request();
        const { message } = await stage.models.stream(request).result();
        const { input, output, cacheRead, totalTokens, cost } = message.usage;
        assert.deepEqual(
          { input, output, cacheRead, totalTokens },
          { input: 1000, output: 200, cacheRead: 50, totalTokens: 1250 },
        );
        const { price } = request.model;
        const expected = (1000 * price.input + 200 * price.output + 50 * price.cacheRead) / 1e6;
        assert.ok(Math.abs(cost.total - expected) < 1e-9, `${cost.total} is not ${expected}`);
      }),
    );

    test(
      "an answer that ran into its limit says so",
      onStage([{ type: "answer", text: "and so on", length: true }], async (stage) => {
        const { message, failure } = await stage.models.stream(await stage.request()).result();
        assert.equal(failure, undefined);
        assert.equal(message.stopReason, "length");
      }),
    );

    test(
      "the result comes without anyone reading the events",
      onStage([{ type: "answer", text: "ok" }], async (stage) => {
        const { message } = await stage.models.stream(await stage.request()).result();
        assert.equal(textOf(message.content), "ok");
      }),
    );
  });

  describe(`${name}: failures`, () => {
    test(
      "401 is auth, at once, and the key is told to nobody",
      failing({
        type: "status",
        status: 401,
        body: JSON.stringify({
          error: { type: "authentication_error", message: `Incorrect API key provided: ${subject.key}` },
        }),
      }).becomes("auth", { requests: 1 }, subject.key),
    );
    test("403 is auth", failing({ type: "status", status: 403 }).becomes("auth", { requests: 1 }));
    test("402 is billing", failing({ type: "status", status: 402 }).becomes("billing", { requests: 1 }));
    test(
      "429 for lack of credit is billing",
      failing({
        type: "status",
        status: 429,
        body: '{"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"You exceeded your current quota"}}',
      }).becomes("billing", { requests: 1 }),
    );
    test(
      "400 is not tried again",
      failing({
        type: "status",
        status: 400,
        body: '{"error":{"type":"invalid_request_error","message":"bad field"}}',
      }).becomes("format", { requests: 1 }),
    );
    test(
      "an overflow is told as one",
      failing({
        type: "status",
        status: 400,
        body: '{"error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum; the input exceeds the context window"}}',
      }).becomes("context_overflow", { requests: 1 }),
    );
    test(
      "429 is given up after the last try",
      failing({ type: "status", status: 429 }).becomes("rate_limit", { requests: 3 }),
    );
    test(
      "500 is given up after the last try",
      failing({ type: "status", status: 500 }).becomes("overloaded", { requests: 3 }),
    );
    test("529 is overloaded", failing({ type: "status", status: 529 }).becomes("overloaded", { requests: 3 }));
    test(
      "garbage in the stream is tried again, then format",
      failing({ type: "garbage" }).becomes("format", { requests: 3 }),
    );
    test(
      "a web page instead of an answer is format",
      failing({ type: "garbage", body: "<html>hello</html>", contentType: "text/html" }).becomes("format", {
        requests: 3,
      }),
    );

    test(
      "429 with Retry-After waits exactly that long",
      onStage(
        [
          { type: "status", status: 429, headers: { "retry-after": "7" } },
          { type: "answer", text: "ok" },
        ],
        async (stage) => {
          const { message } = await stage.models.stream(await stage.request()).result();
          assert.equal(textOf(message.content), "ok");
          assert.deepEqual(
            stage.retries.map(({ attempt, maxAttempts, delayMs, failure }) => ({
              attempt,
              maxAttempts,
              delayMs,
              reason: failure.reason,
            })),
            [{ attempt: 1, maxAttempts: 2, delayMs: 7000, reason: "rate_limit" }],
          );
        },
      ),
    );
    test(
      "429 with a long Retry-After is told, not waited for",
      onStage([{ type: "status", status: 429, headers: { "retry-after": "600" } }], async (stage) => {
        const { failure } = await stage.models.stream(await stage.request()).result();
        assert.equal(failure?.reason, "rate_limit");
        assert.equal(failure?.retryAfterMs, 600_000);
        assert.match(failure?.message ?? "", /10 minutes/);
        assert.equal(stage.server.requests.length, 1);
      }),
    );
    test(
      "429 without Retry-After backs off with growing waits",
      onStage(
        [
          { type: "status", status: 429 },
          { type: "status", status: 503 },
          { type: "answer", text: "ok" },
        ],
        async (stage) => {
          const { message } = await stage.models.stream(await stage.request()).result();
          assert.equal(textOf(message.content), "ok");
          const [first, second] = stage.retries;
          assert.ok(first && first.delayMs >= 800 && first.delayMs <= 1200, String(first?.delayMs));
          assert.ok(second && second.delayMs >= 1600 && second.delayMs <= 2400, String(second?.delayMs));
        },
      ),
    );

    test(
      "a connection that breaks before a word is tried again",
      onStage(
        [
          { type: "answer", text: "never seen", cutAfter: 1 },
          { type: "answer", text: "ok" },
        ],
        async (stage) => {
          const { message } = await stage.models.stream(await stage.request()).result();
          assert.equal(textOf(message.content), "ok");
          assert.equal(stage.retries.length, 1);
        },
      ),
    );
    test(
      "a stream cut in the middle keeps what was said and is not repeated",
      onStage([{ type: "answer", text: ["one ", "two ", "three ", "four"], cutAfter: 4 }], async (stage) => {
        const stream = stage.models.stream(await stage.request());
        const events = await collect(stream);
        const { message, failure } = await stream.result();
        assert.equal(failure?.reason, "timeout");
        assert.equal(message.stopReason, "error");
        assert.match(textOf(message.content), /^one two/);
        assert.ok(!events.some((event) => event.type === "done"));
        assert.equal(stage.server.requests.length, 1);
      }),
    );
    test(
      "an endpoint that cannot be reached",
      onStage([], async (stage) => {
        await stage.server.close();
        const { failure } = await stage.models.stream(await stage.request()).result();
        assert.equal(failure?.reason, "timeout");
        assert.match(failure?.detail ?? "", /ECONNREFUSED/);
        assert.match(failure?.message ?? "", /could not reach/);
        assert.equal(stage.retries.length, 2);
      }),
    );

    test(
      "an endpoint that never answers is given up",
      onStage(
        () => ({ type: "silence" }),
        async (stage) => {
          const stream = stage.models.stream(await stage.request());
          for (let call = 1; call <= 3; call++) {
            await stage.server.waitForRequests(call);
            await stage.clock.advance(timeoutMs);
          }
          const { failure, message } = await stream.result();
          assert.equal(failure?.reason, "timeout");
          assert.equal(message.stopReason, "error");
          await Promise.all(stage.server.requests.map((request) => request.closed));
        },
      ),
    );
    test(
      "an answer that falls silent is given up, with what was said",
      onStage([{ type: "answer", text: ["one ", "two"], hangAfter: 4 }], async (stage) => {
        const stream = stage.models.stream(await stage.request());
        for await (const event of stream) {
          if (event.type === "text_delta") break;
        }
        await stage.clock.advance(timeoutMs * 2);
        const { failure, message } = await stream.result();
        assert.equal(failure?.reason, "timeout");
        assert.match(textOf(message.content), /^one/);
      }),
    );
  });

  describe(`${name}: abort`, () => {
    test(
      "before the call nothing is sent",
      onStage([], async (stage) => {
        const { message, failure } = await stage.models
          .stream(await stage.request({ signal: AbortSignal.abort() }))
          .result();
        assert.equal(message.stopReason, "aborted");
        assert.equal(failure?.reason, "aborted");
        assert.equal(stage.server.requests.length, 0);
      }),
    );
    test(
      "while waiting for the first word",
      onStage([{ type: "silence" }], async (stage) => {
        const stop = new AbortController();
        const stream = stage.models.stream(await stage.request({ signal: stop.signal }));
        await stage.server.waitForRequests(1);
        stop.abort();
        assert.equal((await stream.result()).message.stopReason, "aborted");
        await stage.server.requests[0]?.closed;
      }),
    );
    test(
      "in the middle of the answer, keeping what was said",
      onStage([{ type: "answer", text: ["one ", "two"], hangAfter: 4 }], async (stage) => {
        const stop = new AbortController();
        const stream = stage.models.stream(await stage.request({ signal: stop.signal }));
        for await (const event of stream) if (event.type === "text_delta") break;
        stop.abort();
        const { message } = await stream.result();
        assert.equal(message.stopReason, "aborted");
        assert.match(textOf(message.content), /^one/);
        await stage.server.requests[0]?.closed;
      }),
    );
    test(
      "while waiting for another try",
      onStage([{ type: "status", status: 429, headers: { "retry-after": "30" } }], async (stage) => {
        const stop = new AbortController();
        const stream = stage.models.stream(await stage.request({ signal: stop.signal, onRetry: () => stop.abort() }));
        assert.equal((await stream.result()).message.stopReason, "aborted");
        assert.equal(stage.server.requests.length, 1);
      }),
    );
  });

  describe(`${name}: check`, () => {
    test(
      "says that the model answers",
      onStage([{ type: "answer", text: "hello" }], async (stage) => {
        const { model } = await stage.request();
        const check = await stage.models.check(model, AbortSignal.timeout(10_000));
        assert.equal(check.ok, true);
        assert.ok(check.detail.startsWith(subject.ref));
      }),
    );
    test(
      "says why it does not, after one request",
      onStage([{ type: "status", status: 503 }], async (stage) => {
        const { model } = await stage.request();
        const check = await stage.models.check(model, AbortSignal.timeout(10_000));
        assert.equal(check.ok, false);
        assert.match(check.detail, /503/);
        assert.equal(stage.server.requests.length, 1);
      }),
    );
  });
}

function onStageFailing(
  onStage: (script: Script, play: (stage: Stage) => Promise<void>) => () => Promise<void>,
  reply: ModelReply,
) {
  return {
    becomes: (reason: ModelFailure["reason"], expected: { requests: number }, secret?: string) =>
      onStage(
        () => reply,
        async (stage) => {
          const { message, failure } = await stage.models.stream(await stage.request()).result();
          assert.equal(failure?.reason, reason, failure?.detail);
          assert.equal(message.stopReason, "error");
          assert.equal(stage.server.requests.length, expected.requests);
          assert.equal(stage.retries.length, expected.requests - 1);
          assert.doesNotMatch(failure?.message ?? "", /\n|Error:|^\s+at /, "no stack for people");
          if (secret !== undefined) {
            const told = JSON.stringify([message, failure, stage.log, stage.retries]);
            assert.ok(!told.includes(secret), "the key must not be told");
          }
        },
      ),
  };
}

function buildStage(subject: ProviderUnderTest, server: ModelServer): Stage {
  const clock = createFakeClock();
  const log: string[] = [];
  const retries: Stage["retries"] = [];
  const { config, env } = subject.setUp(server.url);
  const models = createModels(
    { clock, log: createListLog(log), env: env ?? {} },
    modelsConfig.parse({ timeoutMs, retries: 2, ...config }),
  );
  return {
    models,
    server,
    clock,
    log,
    retries,
    async request(overrides = {}) {
      const resolution = await models.resolve(subject.ref);
      assert.equal(resolution.type, "model", JSON.stringify(resolution));
      if (resolution.type !== "model") throw new Error("unreachable");
      return {
        model: resolution.model,
        system: "You are a test.",
        messages: [{ role: "user", content: "what is 2 and 3?", timestamp: 1 }],
        tools: [],
        signal: new AbortController().signal,
        sessionId: "session-1",
        onRetry(retry) {
          retries.push(retry);
          void clock.advance(retry.delayMs);
        },
        ...overrides,
      };
    },
  };
}

function createListLog(lines: string[]): Log {
  const write = (text: string, fields?: object) => void lines.push(JSON.stringify({ text, fields }));
  const log: Log = { debug: write, info: write, warn: write, error: write, with: () => log };
  return log;
}

async function collect(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function textOf(content: readonly { type: string }[]): string {
  return content.map((block) => ("text" in block && typeof block.text === "string" ? block.text : "")).join("");
}
