/** The models of a local Ollama: what is offered, how briefly it is asked, how long the answer is kept. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createFakeClock } from "../../../../test/fakes/clock.ts";
import { createOllamaServer, type OllamaServer, type PulledModels } from "../../../../test/fakes/ollama-server.ts";
import { openProvider } from "../../../../test/fakes/provider-stage.ts";
import type { ProviderSettings } from "../../provider.ts";
import { createOllamaProvider } from "./index.ts";

async function onServer(models: PulledModels, play: (server: OllamaServer) => Promise<void>) {
  const server = await createOllamaServer({ respond: [], models });
  try {
    await play(server);
  } finally {
    await server.close();
  }
}

function create(baseUrl: string, settings: Partial<ProviderSettings> = {}) {
  const clock = createFakeClock();
  const deps = { clock, fetch: globalThis.fetch, timeoutMs: 1000 };
  return {
    clock,
    provider: createOllamaProvider(deps, { name: "ollama", baseUrl, headers: {}, models: [], ...settings }),
  };
}

describe("the list", () => {
  test("has what can chat, those with tools first, and says what they can do", () =>
    onServer(
      {
        "nomic-embed-text": { capabilities: ["embedding"], contextLength: 2048 },
        "gemma:2b": { capabilities: ["completion"], contextLength: 8192 },
        "qwen3:8b": { capabilities: ["completion", "tools", "thinking"], contextLength: 40_960 },
        "llava:7b": {
          capabilities: ["completion", "tools", "vision"],
          contextLength: 32_768,
          parameters: "stop  x\nnum_ctx   4096",
        },
        "old:1b": {},
      },
      async (server) => {
        const { provider } = create(`${server.url}/v1/`);
        const list = (await provider.list()).map(({ ref, contextWindow, input, reasoning }) => [
          ref,
          contextWindow,
          input.join("+"),
          reasoning,
        ]);
        assert.deepEqual(list, [
          ["ollama/qwen3:8b", 40_960, "text", true],
          ["ollama/llava:7b", 4096, "text+image", false],
          ["ollama/gemma:2b", 8192, "text", false],
          ["ollama/old:1b", 8192, "text", false],
        ]);
      },
    ));

  test("what the configuration says of a model counts", () =>
    onServer({ "qwen3:8b": { capabilities: ["completion"], contextLength: 40_960 } }, async (server) => {
      const configured = { contextWindow: 16_000, maxOutputTokens: 1000, input: ["text" as const], reasoning: false };
      const models = [
        { id: "qwen3:8b", ...configured },
        { id: "later:1b", ...configured },
      ];
      const list = await create(server.url, { models }).provider.list();
      assert.deepEqual(
        list.map(({ id, contextWindow }) => [id, contextWindow]),
        [
          ["qwen3:8b", 16_000],
          ["later:1b", 16_000],
        ],
      );
    }));

  test("is kept for a minute; then only new models are asked about", () =>
    onServer({ a: { capabilities: ["completion"] } }, async (server) => {
      const { provider, clock } = create(server.url);
      await Promise.all([provider.list(), provider.list()]);
      assert.deepEqual(server.asked, ["/api/tags", "/api/show a"]);
      server.models["b"] = { capabilities: ["completion"] };
      await clock.advance(59_999);
      assert.equal((await provider.list()).length, 1);
      await clock.advance(1);
      assert.equal((await provider.list()).length, 2);
      assert.deepEqual(server.asked.slice(2), ["/api/tags", "/api/show b"]);
    }));

  test("is empty when nobody is there", async () => {
    assert.deepEqual(await create("http://127.0.0.1:1").provider.list(), []);
  });

  test("is not waited for longer than 300 ms, and stays what it was when a server falls silent", () =>
    onServer({ a: { capabilities: ["completion"] } }, async (server) => {
      const { provider, clock } = create(server.url);
      assert.equal((await provider.list()).length, 1);
      server.hang();
      await clock.advance(60_000);
      const waiting = provider.list();
      await clock.advance(299);
      assert.equal(clock.pending, 1);
      await clock.advance(1);
      assert.deepEqual(
        (await waiting).map(({ id }) => id),
        ["a"],
      );
    }));

  test("is empty when the first server that takes the question never answers", () =>
    onServer({}, async (server) => {
      server.hang();
      const { provider, clock } = create(server.url);
      const waiting = provider.list();
      await clock.advance(300);
      assert.deepEqual(await waiting, []);
    }));
});

describe("failures", () => {
  const table: [what: string, status: number, message: string, told: RegExp, retryable: boolean][] = [
    ["no tools", 400, "registry.ollama.ai/library/gemma:2b does not support tools", /cannot use tools/, false],
    [
      "not enough memory",
      500,
      "model requires more system memory (8.4 GiB) than is available (3.1 GiB)",
      /memory/,
      false,
    ],
    ["a runner that died", 500, "llama runner process has terminated", /overloaded or has a fault/, true],
  ];
  for (const [what, status, message, told, retryable] of table) {
    test(what, async () => {
      const body = JSON.stringify({ error: { message, type: "api_error" } });
      const server = await createOllamaServer({ respond: [{ type: "status", status, body }] });
      try {
        const outcome = await (await openProvider({ ref: "ollama/qwen3:8b", env: { OLLAMA_HOST: server.url } })).ask();
        assert.match(outcome.failure?.message ?? "", told);
        assert.deepEqual([outcome.failure?.rule, outcome.retryable], ["fall_back", retryable]);
      } finally {
        await server.close();
      }
    });
  }
});
