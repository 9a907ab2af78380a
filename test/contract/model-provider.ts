/**
 * The suite that every model provider passes, over the wire: against a fake endpoint on loopback, with the unmodified
 * client, faults included. It asks a provider once and looks at what came of it; retries and keys are the port's. A new
 * provider adds an entry to `model-provider.test.ts`.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ModelFailure, ThinkingLevel, ToolCall } from "../../src/contracts/model.ts";
import type { ModelReply, ModelServer, Script, SeenRequest, WireErrors } from "../fakes/model-server.ts";
import { openProvider, type ProviderStage, question } from "../fakes/provider-stage.ts";

export interface ProviderUnderTest {
  /** `provider/model` to ask. It can think and see. */
  ref: string;
  /** The API key that the configuration or the environment carries. */
  key: string;
  startServer(script: Script): Promise<ModelServer>;
  /** Configuration and environment that lead to the server. */
  setUp(url: string): { config: object; env?: Record<string, string> };
  /** Where requests go. */
  path: RegExp;
  /** What a level looks like in a request; undefined: nothing is said. */
  readThinking(request: SeenRequest): unknown;
  thinking: Record<ThinkingLevel, unknown>;
  errors: WireErrors;
  /** In the body, where the provider is told what to cache. */
  cacheMark?: RegExp;
  /** Counts what it wrote to its cache. */
  countsCacheWrite?: true;
  /** What the provider gave with a tool call and wants back with its result. */
  echo?: string;
  /** What a cut stream looks like from here. A broken connection unless it says otherwise. */
  cut?: ModelFailure["reason"];
  /** In the detail when nobody listens. */
  unreachable?: RegExp;
}

type Stage = ProviderStage & { server: ModelServer };

const timeoutMs = 5000;
const sixWords = ["one ", "two ", "three ", "four ", "five ", "six"];
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const calculator = {
  name: "add",
  description: "Adds two numbers.",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
};

export function testModelProvider(name: string, subject: ProviderUnderTest): void {
  const onStage = (script: Script, play: (stage: Stage) => Promise<void>) => async () => {
    const server = await subject.startServer(script);
    try {
      const stage = await openProvider({ ref: subject.ref, timeoutMs, ...subject.setUp(server.url) });
      await play({ ...stage, server });
    } finally {
      await server.close();
    }
  };
  describe(`${name}: answers`, () => testAnswers(subject, onStage));
  describe(`${name}: requests`, () => testRequests(subject, onStage));
  describe(`${name}: refusals`, () => testRefusals(subject, onStage));
  describe(`${name}: broken connections`, () => testBrokenConnections(subject, onStage));
  describe(`${name}: abort`, () => testAbort(onStage));
}

type OnStage = (script: Script, play: (stage: Stage) => Promise<void>) => () => Promise<void>;

function testAnswers(subject: ProviderUnderTest, onStage: OnStage): void {
  test(
    "streams text in order and ends with the whole",
    onStage([{ type: "answer", text: ["Hel", "lo ", "you"] }], async (stage) => {
      const { events, end } = await stage.ask();
      assert.equal(end.type, "done", JSON.stringify(end));
      if (end.type !== "done") return;
      assert.equal(events[0]?.type, "start");
      assert.equal(events.map((event) => (event.type === "text_delta" ? event.delta : "")).join(""), "Hello you");
      assert.equal(textOf(end.message.content), "Hello you");
      assert.equal(end.message.stopReason, "stop");
      assert.equal(`${end.message.provider}/${end.message.model}`, subject.ref);
      const partials = new Set(events.map((event) => (event.type === "done" ? event.message : event.partial)));
      assert.deepEqual([...partials], [end.message], "the partial message is one object, not a copy per event");
    }),
  );

  test(
    "streams thoughts apart from the text",
    onStage([{ type: "answer", thinking: "two and three", text: "5" }], async (stage) => {
      const { events, end } = await stage.ask({ thinking: "medium" });
      assert.equal(
        events
          .map((event) => (event.type === "thinking_delta" ? event.delta : ""))
          .join("")
          .trim(),
        "two and three",
      );
      assert.ok(end.type === "done");
      assert.equal(textOf(end.message.content), "5");
      const thought = end.message.content.find((block) => block.type === "thinking");
      assert.equal(thought?.thinking, "two and three");
    }),
  );

  test(
    "reads a tool call and carries its result back",
    onStage(
      [
        { type: "answer", text: "Let me see.", toolCalls: [{ id: "call_a", name: "add", arguments: { a: 2, b: 3 } }] },
        { type: "answer", text: "5" },
      ],
      async (stage) => {
        const message = await stage.answer({ tools: [calculator] });
        const [call] = callsOf(message.content);
        assert.equal(message.stopReason, "toolUse");
        assert.deepEqual({ name: call?.name, arguments: call?.arguments }, { name: "add", arguments: { a: 2, b: 3 } });
        const history = [question(), message, result(call, "the sum is 5")];
        const second = await stage.answer({ tools: [calculator], messages: history });
        assert.equal(textOf(second.content), "5");
        const sent = JSON.stringify(stage.server.requests[1]?.body);
        assert.ok(sent.includes("the sum is 5"));
        if (subject.echo !== undefined) assert.ok(sent.includes(subject.echo), "what came with the call goes back");
      },
    ),
  );

  test(
    "reads parallel tool calls and carries their results back",
    onStage(
      [
        {
          type: "answer",
          toolCalls: [
            { name: "add", arguments: { a: 1, b: 2 } },
            { name: "add", arguments: { a: 3, b: 4 } },
          ],
        },
        { type: "answer", text: "3 and 7" },
      ],
      async (stage) => {
        const { events, end } = await stage.ask({ tools: [calculator] });
        assert.ok(end.type === "done");
        const calls = callsOf(end.message.content);
        assert.deepEqual(
          calls.map((call) => call.arguments),
          [
            { a: 1, b: 2 },
            { a: 3, b: 4 },
          ],
        );
        assert.equal(new Set(calls.map((call) => call.id)).size, 2);
        assert.ok(events.some((event) => event.type === "toolcall_delta"));
        const known = ["type", "id", "name", "arguments", "thoughtSignature"];
        const extra = calls.flatMap((call) => Object.keys(call)).filter((key) => !known.includes(key));
        assert.deepEqual(extra, [], "no scratch fields in the transcript");
        const results = calls.map((call, index) => result(call, `sum number ${index}`));
        await stage.answer({ tools: [calculator], messages: [question(), end.message, ...results] });
        const sent = JSON.stringify(stage.server.requests[1]?.body);
        for (const text of ["sum number 0", "sum number 1"]) assert.ok(sent.includes(text), text);
      },
    ),
  );

  test(
    "reports usage and cost, caches included",
    onStage(
      [{ type: "answer", text: "ok", usage: { input: 1000, output: 200, cacheRead: 50, ...cacheWrite(subject) } }],
      async (stage) => {
        const { usage } = await stage.answer();
        const written = subject.countsCacheWrite ? 30 : 0;
        const { input, output, cacheRead, totalTokens } = usage;
        assert.deepEqual(
          { input, output, cacheRead, cacheWrite: usage.cacheWrite, totalTokens },
          { input: 1000, output: 200, cacheRead: 50, cacheWrite: written, totalTokens: 1250 + written },
        );
        const { price } = stage.model;
        const dollars = 1000 * price.input + 200 * price.output + 50 * price.cacheRead + written * price.cacheWrite;
        assert.ok(Math.abs(usage.cost.total - dollars / 1e6) < 1e-9, `${usage.cost.total} is not ${dollars / 1e6}`);
      },
    ),
  );

  test(
    "an answer that ran into its limit says so",
    onStage([{ type: "answer", text: "and so on", length: true }], async (stage) => {
      assert.equal((await stage.answer()).stopReason, "length");
    }),
  );
}

function testRequests(subject: ProviderUnderTest, onStage: OnStage): void {
  test(
    "carry the key, the prompt, the history and the tools",
    onStage([{ type: "answer", text: "ok" }], async (stage) => {
      await stage.answer({ tools: [calculator], maxOutputTokens: 777 });
      const [seen] = stage.server.requests;
      assert.match(seen?.path ?? "", subject.path);
      assert.ok(JSON.stringify(seen?.headers).includes(subject.key));
      assert.equal(seen?.headers["user-agent"], "mom");
      const body = JSON.stringify(seen?.body);
      for (const part of ["You are a test.", "what is 2 and 3?", "Adds two numbers.", "777"])
        assert.ok(body.includes(part), part);
    }),
  );

  test(
    "carry the key of the call, one provider for all of them",
    onStage(
      () => ({ type: "answer", text: "ok" }),
      async (stage) => {
        for (const secret of ["first-key-0001", "second-key-0002"]) {
          await stage.answer({ credential: { type: "api_key", secret } });
        }
        const headers = stage.server.requests.map((request) => JSON.stringify(request.headers));
        assert.ok(headers[0]?.includes("first-key-0001") && !headers[0].includes("second-key-0002"));
        assert.ok(headers[1]?.includes("second-key-0002") && !headers[1].includes("first-key-0001"));
      },
    ),
  );

  test(
    "carry images",
    onStage([{ type: "answer", text: "a dot" }], async (stage) => {
      const content = [
        { type: "text" as const, text: "what is this?" },
        { type: "image" as const, data: pixel, mimeType: "image/png" },
      ];
      await stage.answer({ messages: [{ role: "user", content, timestamp: 1 }] });
      assert.ok(JSON.stringify(stage.server.requests[0]?.body).includes(pixel));
    }),
  );

  for (const level of ["off", "low", "medium", "high"] as const) {
    test(
      `say how much to think: ${level}`,
      onStage([{ type: "answer", text: "ok" }], async (stage) => {
        await stage.answer({ thinking: level });
        const [seen] = stage.server.requests;
        assert.ok(seen);
        assert.deepEqual(subject.readThinking(seen), subject.thinking[level]);
      }),
    );
  }

  if (subject.cacheMark !== undefined) {
    const mark = subject.cacheMark;
    test(
      "say what to cache",
      onStage([{ type: "answer", text: "ok" }], async (stage) => {
        await stage.answer();
        assert.match(JSON.stringify(stage.server.requests[0]?.body), mark);
      }),
    );
  }
}

function testRefusals(subject: ProviderUnderTest, onStage: OnStage): void {
  interface Expected extends Pick<ModelFailure, "reason" | "rule"> {
    retryable: boolean;
    retryAfterMs?: number;
  }
  const becomes = (what: string, reply: ModelReply, expected: Expected) =>
    test(
      `${what} is ${expected.reason}, to ${expected.rule}`,
      onStage([reply], async (stage) => {
        const { failure, retryable, events } = await stage.ask();
        assert.deepEqual(
          { reason: failure?.reason, rule: failure?.rule, retryable, retryAfterMs: failure?.retryAfterMs },
          { retryAfterMs: undefined, ...expected },
          failure?.detail,
        );
        assert.equal(stage.server.requests.length, 1, "asked once, whatever the client would do by itself");
        if (reply.type === "status") assert.equal(failure?.status, reply.status);
        const told = JSON.stringify([failure, events]);
        assert.ok(!told.includes(subject.key), "the key is told to nobody");
        assert.doesNotMatch(failure?.message ?? "", /\n|Error:|^\s+at /, "no stack for people");
        assert.ok(failure?.message.includes(subject.ref));
      }),
    );
  const { errors } = subject;
  const rotate = { rule: "rotate", retryable: false } as const;
  const fallBack = { rule: "fall_back", retryable: false } as const;
  const later = { rule: "fall_back", retryable: true } as const;
  // As a proxy on the way would say it.
  const status = (code: number): ModelReply => ({
    type: "status",
    status: code,
    headers: { "content-type": "text/html" },
    body: "<html>It did not work.</html>",
  });

  becomes("a wrong key", errors.unauthorized(subject.key), { reason: "auth", ...rotate });
  becomes("a forbidden model", errors.forbidden, { reason: "auth", ...rotate });
  becomes("a bare 401", status(401), { reason: "auth", ...rotate });
  becomes("no credit", errors.noCredit, { reason: "billing", ...rotate });
  becomes("a bare 402", status(402), { reason: "billing", ...rotate });
  becomes("a rate limit", errors.rateLimit, { reason: "rate_limit", rule: "rotate", retryable: true });
  becomes("a rate limit with its end", errors.rateLimitFor7s, {
    reason: "rate_limit",
    rule: "rotate",
    retryable: true,
    retryAfterMs: 7000,
  });
  becomes("a fault", errors.fault, { reason: "overloaded", ...later });
  becomes("overload", errors.overloaded, { reason: "overloaded", ...later });
  becomes("a bare 502", status(502), { reason: "overloaded", ...later });
  becomes("a bad request", errors.badRequest, { reason: "format", ...fallBack });
  becomes("an unknown model", errors.unknownModel, { reason: "format", ...fallBack });
  becomes("an overflow", errors.overflow, { reason: "context_overflow", rule: "compact", retryable: false });
  becomes("garbage in the stream", { type: "garbage" }, { reason: "format", ...later });
  becomes(
    "a web page instead of an answer",
    { type: "garbage", body: "<html>hello</html>", contentType: "text/html" },
    { reason: "format", ...later },
  );
}

function testBrokenConnections(subject: ProviderUnderTest, onStage: OnStage): void {
  test(
    "a stream cut in the middle keeps what was said",
    onStage([{ type: "answer", text: ["one ", "two ", "three ", "four"], cutAfter: 4 }], async (stage) => {
      const { failure, end, retryable } = await stage.ask();
      assert.equal(failure?.reason, subject.cut ?? "timeout", failure?.detail);
      assert.equal(failure?.rule, "fall_back");
      assert.equal(retryable, true);
      assert.ok(end.type === "failed");
      assert.match(textOf(end.partial?.content ?? []), /^one two/);
    }),
  );

  test(
    "an endpoint that cannot be reached",
    onStage([], async (stage) => {
      await stage.server.close();
      const { failure, retryable } = await stage.ask();
      assert.deepEqual(
        { reason: failure?.reason, rule: failure?.rule, retryable },
        { reason: "timeout", rule: "fall_back", retryable: true },
        failure?.detail,
      );
      assert.match(failure?.detail ?? "", subject.unreachable ?? /ECONNREFUSED/);
      assert.match(failure?.message ?? "", /could not reach/);
    }),
  );

  test(
    "an endpoint that never answers is given up",
    onStage([{ type: "silence" }], async (stage) => {
      const asked = stage.ask();
      await stage.server.waitForRequests(1);
      await stage.clock.advance(timeoutMs);
      const { failure, retryable } = await asked;
      assert.deepEqual({ reason: failure?.reason, retryable }, { reason: "timeout", retryable: true });
      await stage.server.requests[0]?.closed;
    }),
  );

  test(
    "an answer that falls silent is given up, with what was said",
    onStage([{ type: "answer", text: sixWords, hangAfter: 4 }], async (stage) => {
      const begun = Promise.withResolvers<void>();
      const asked = stage.ask({}, (event) => event.type === "text_delta" && begun.resolve());
      await begun.promise;
      await stage.clock.advance(timeoutMs * 2);
      const { failure, end } = await asked;
      assert.equal(failure?.reason, "timeout");
      assert.ok(end.type === "failed");
      assert.match(textOf(end.partial?.content ?? []), /^one/);
      await stage.server.requests[0]?.closed;
    }),
  );
}

function testAbort(onStage: OnStage): void {
  test(
    "before the call nothing is sent",
    onStage([], async (stage) => {
      assert.equal((await stage.ask({ signal: AbortSignal.abort() })).end.type, "aborted");
      assert.equal(stage.server.requests.length, 0);
    }),
  );
  test(
    "while waiting for the first word",
    onStage([{ type: "silence" }], async (stage) => {
      const stop = new AbortController();
      const asked = stage.ask({ signal: stop.signal });
      await stage.server.waitForRequests(1);
      stop.abort();
      const { failure } = await asked;
      assert.deepEqual({ reason: failure?.reason, rule: failure?.rule }, { reason: "aborted", rule: "give_up" });
      await stage.server.requests[0]?.closed;
    }),
  );
  test(
    "in the middle of the answer, keeping what was said",
    onStage([{ type: "answer", text: sixWords, hangAfter: 4 }], async (stage) => {
      const stop = new AbortController();
      const { end } = await stage.ask({ signal: stop.signal }, (event) => event.type === "text_delta" && stop.abort());
      assert.ok(end.type === "aborted");
      assert.match(textOf(end.partial?.content ?? []), /^one/);
      await stage.server.requests[0]?.closed;
    }),
  );
}

const result = (call: ToolCall | undefined, text: string) => ({
  role: "toolResult" as const,
  toolCallId: call?.id ?? "",
  toolName: "add",
  content: [{ type: "text" as const, text }],
  isError: false,
  timestamp: 2,
});

const cacheWrite = (subject: ProviderUnderTest) => (subject.countsCacheWrite ? { cacheWrite: 30 } : {});

const callsOf = (content: readonly { type: string }[]): ToolCall[] =>
  content.filter((block): block is ToolCall => block.type === "toolCall");

function textOf(content: readonly { type: string }[]): string {
  return content.map((block) => ("text" in block && typeof block.text === "string" ? block.text : "")).join("");
}
