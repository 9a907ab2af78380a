/** The suite for every `Embedder` (src/contracts/memory.ts): what it gives, whatever stands behind it. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Embedder } from "../../src/contracts/memory.ts";

export interface EmbedderCase {
  open(test: TestContext): Promise<Embedder>;
  id: RegExp;
  /** True: longer runs cost seconds. */
  isSlow?: true;
}

export function testEmbedder(name: string, { open, id, isSlow }: EmbedderCase): void {
  const opened = async (t: TestContext) => {
    const embedder = await open(t);
    t.after(() => embedder.close());
    return embedder;
  };

  describe(`embedder: ${name}`, () => {
    test("one vector a text, in order, of unit length, all equally long", async (t) => {
      const embedder = await opened(t);
      assert.match(embedder.id, id);
      assert.ok(Number.isInteger(embedder.batchSize) && embedder.batchSize > 0);
      const texts = ["The cat sleeps on the sofa", "Invoice of the harbour", "the cat sleeps"];
      const vectors = await embedder.embed(texts, "document");
      assert.equal(vectors.length, 3);
      for (const vector of vectors) {
        assert.ok(vector instanceof Float32Array);
        assert.equal(vector.length, vectors[0]?.length);
        assert.ok(Math.abs(Math.sqrt(dot(vector, vector)) - 1) < 1e-5);
      }
      const [cat, invoice, shortCat] = vectors as [Float32Array, Float32Array, Float32Array];
      assert.ok(dot(cat, shortCat) > dot(cat, invoice) + 0.2, "what means the same is near");
    });

    test("a question finds what answers it", async (t) => {
      const embedder = await opened(t);
      const documents = await embedder.embed(["the dentist repaired a tooth", "the server has a new disk"], "document");
      const [question] = (await embedder.embed(["which tooth did the dentist repair"], "query")) as [Float32Array];
      const [tooth, server] = documents as [Float32Array, Float32Array];
      assert.ok(dot(question, tooth) > dot(question, server));
    });

    test("the same text gives the same vector, alone or among others", async (t) => {
      const embedder = await opened(t);
      const [alone] = (await embedder.embed(["boats in the harbour"], "document")) as [Float32Array];
      const among = await embedder.embed(["tea", "boats in the harbour", "a long walk"], "document");
      assert.ok(dot(alone, among[1] as Float32Array) > 0.9999);
    });

    test("nothing in, nothing out; an empty text is refused and named so", async (t) => {
      const embedder = await opened(t);
      assert.deepEqual(await embedder.embed([], "document"), []);
      await assert.rejects(embedder.embed(["fine", " \n\t"], "document"), {
        code: "EMBED_TEXT_EMPTY",
        retryable: false,
      });
      assert.equal((await embedder.embed(["it goes on"], "document")).length, 1);
    });

    test("more texts than it likes at a time, and odd ones, come back whole", async (t) => {
      const embedder = await opened(t);
      const odd = [
        "🙂",
        "a\u0000b",
        "\ud800 half a character",
        "x".repeat(isSlow ? 1000 : 50_000),
        "汉字 and words",
        "1",
      ];
      const many = Array.from({ length: isSlow ? 4 : embedder.batchSize * 2 + 1 }, (_each, n) => `text number ${n}`);
      const vectors = await embedder.embed([...odd, ...many], "document");
      assert.equal(vectors.length, odd.length + many.length);
    });

    test("an aborted signal ends it, before and in the middle, and it can be used again", async (t) => {
      const embedder = await opened(t);
      const before = AbortSignal.abort();
      await assert.rejects(embedder.embed(["never"], "query", before), { code: "ABORTED", retryable: true });
      const middle = new AbortController();
      const running = embedder.embed(["one", "two", "three"], "document", middle.signal);
      middle.abort();
      await assert.rejects(running, { code: "ABORTED" });
      assert.equal((await embedder.embed(["again"], "query")).length, 1);
    });

    test("several callers at a time get their own", async (t) => {
      const embedder = await opened(t);
      const words = ["apple", "bicycle", "thunder", "letter"];
      const [together, single] = [
        await Promise.all(words.map((word) => embedder.embed([word], "query"))),
        await embedder.embed(words, "query"),
      ];
      for (const [at, vectors] of together.entries()) {
        assert.ok(dot(vectors[0] as Float32Array, single[at] as Float32Array) > 0.9999);
      }
    });

    test("closing twice is fine", async (t) => {
      const embedder = await opened(t);
      await embedder.close();
      await embedder.close();
    });
  });
}

export function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}
