/**
 * The suite for every `VectorIndex` (src/contracts/memory.ts), against a search through all vectors one by one. Numbers come
 * from a seed: a failure can be looked at again.
 */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { VectorIndex } from "../../src/contracts/memory.ts";
import { clusteredVectors, createRandom, randomVectors, type StoredVector } from "../fakes/vectors.ts";

export interface VectorIndexCase {
  /** `stored`: what the caller keeps of each vector, for indexes that read it again. */
  open(test: TestContext, stored: Map<number, Float32Array>): Promise<VectorIndex>;
  /**
   * Share of the true ten best among thousands that it must find; 1: an exact index. Random vectors have no neighbours worth
   * the name: behind the first, the ten best are hardly nearer than the rest.
   */
  leastRecall: { random: number; clustered: number };
}

const dimensions = 384;

export function testVectorIndex(name: string, { open, leastRecall }: VectorIndexCase): void {
  const openFilled = async (t: TestContext, items: readonly StoredVector[]) => {
    const stored = new Map(items.map(({ id, vector }) => [id, vector]));
    const index = await open(t, stored);
    index.put(items);
    return { index, stored };
  };

  describe(`vector index: ${name}`, () => {
    for (const [kind, make] of [
      ["random", randomVectors],
      ["clustered", clusteredVectors],
    ] as const) {
      test(`a few hundred ${kind} vectors: exactly the best, in order, with their cosine`, async (t) => {
        const random = createRandom(7);
        const items = make(random, 300, dimensions);
        const { index } = await openFilled(t, items);
        for (const { vector: query } of make(random, 20, dimensions)) {
          const expected = bruteForce(items, query, 10);
          const got = index.nearest(query, 10);
          assert.deepEqual(idsOf(got), idsOf(expected));
          for (const [at, { score }] of got.entries()) assert.ok(Math.abs(score - (expected[at]?.score ?? 9)) < 1e-4);
        }
      });

      test(`thousands of ${kind} vectors: the best ten are found`, async (t) => {
        const random = createRandom(11);
        const items = make(random, 4000, dimensions);
        const { index } = await openFilled(t, items);
        // A question is near to something that was said: a vector that is there, blurred.
        const queries = items.filter((_each, n) => n % 100 === 0).map(({ vector }) => blur(vector, random));
        let found = 0;
        for (const query of queries) {
          const expected = idsOf(bruteForce(items, query, 10));
          const got = idsOf(index.nearest(query, 10));
          assert.equal(got[0], expected[0], "the best of all is always found");
          found += got.filter((id) => expected.includes(id)).length;
        }
        const recall = found / (queries.length * 10);
        assert.ok(recall >= leastRecall[kind], `recall@10 is ${recall}`);
      });
    }

    test("a reader who may see little still gets as many as asked for", async (t) => {
      const random = createRandom(3);
      const items = clusteredVectors(random, 3000, dimensions);
      const { index } = await openFilled(t, items);
      const allowed = (id: number) => id % 97 === 0;
      const query = blur((items[5] as StoredVector).vector, random);
      const expected = bruteForce(
        items.filter(({ id }) => allowed(id)),
        query,
        10,
      );
      assert.deepEqual(idsOf(index.nearest(query, 10, allowed)), idsOf(expected));
      assert.deepEqual(
        index.nearest(query, 10, () => false),
        [],
      );
      assert.equal(index.nearest(query, 10, (id) => id === 1).length, 1);
    });

    test("what is removed is not found; removing it again, or what never was, does nothing", async (t) => {
      const items = randomVectors(createRandom(5), 50, dimensions);
      const { index } = await openFilled(t, items);
      const [first, second] = items as [StoredVector, StoredVector];
      index.remove([first.id, 999_999]);
      index.remove([first.id]);
      index.remove([]);
      assert.equal(index.size, 49);
      assert.ok(!idsOf(index.nearest(first.vector, 49)).includes(first.id));
      assert.equal(index.nearest(second.vector, 1)[0]?.id, second.id);
    });

    test("many are put and removed by turns: it always has exactly what is there", async (t) => {
      const random = createRandom(23);
      const items = randomVectors(random, 400, 64);
      const stored = new Map<number, Float32Array>();
      const index = await open(t, stored);
      for (let round = 0; round < 300; round++) {
        const { id, vector } = items[Math.floor(random() * items.length)] as StoredVector;
        if (stored.has(id)) {
          index.remove([id]);
          stored.delete(id);
        } else {
          stored.set(id, vector);
          index.put([{ id, vector }]);
        }
      }
      assert.equal(index.size, stored.size);
      const got = idsOf(index.nearest((items[0] as StoredVector).vector, 400));
      assert.deepEqual(got.toSorted(), [...stored.keys()].toSorted());
    });

    test("putting an id again replaces its vector", async (t) => {
      const random = createRandom(2);
      const items = randomVectors(random, 20, dimensions);
      const { index, stored } = await openFilled(t, items);
      const [replaced] = randomVectors(random, 1, dimensions) as [StoredVector];
      const old = (items[3] as StoredVector).vector;
      const id = (items[3] as StoredVector).id;
      stored.set(id, replaced.vector);
      index.put([{ id, vector: replaced.vector }]);
      assert.equal(index.size, 20);
      assert.deepEqual(idsOf(index.nearest(replaced.vector, 1)), [id]);
      assert.notEqual(index.nearest(old, 1)[0]?.id, id);
    });

    test("another length is refused, and nothing of that batch is taken", async (t) => {
      const items = randomVectors(createRandom(1), 5, dimensions);
      const { index } = await openFilled(t, items);
      const [fits] = randomVectors(createRandom(9), 1, dimensions) as [StoredVector];
      const short = new Float32Array(128).fill(1);
      assert.throws(
        () =>
          index.put([
            { id: 900, vector: fits.vector },
            { id: 901, vector: short },
          ]),
        { code: "EMBED_DIMENSION" },
      );
      assert.throws(() => index.put([{ id: 902, vector: new Float32Array(0) }]), { code: "EMBED_DIMENSION" });
      assert.throws(() => index.nearest(short, 3), { code: "EMBED_DIMENSION" });
      assert.equal(index.size, 5);
      index.remove(items.map(({ id }) => id));
      index.put([{ id: 1, vector: short }]);
      assert.equal(index.size, 1, "an empty index takes any length");
    });

    test("vectors without a direction are refused", async (t) => {
      const index = await open(t, new Map());
      const bad = [
        new Float32Array(4),
        Float32Array.of(1, Number.NaN, 0, 0),
        Float32Array.of(1, 0, Number.POSITIVE_INFINITY, 0),
      ];
      for (const vector of bad) {
        assert.throws(() => index.put([{ id: 1, vector }]), { code: "EMBED_VECTOR_INVALID" });
        assert.throws(() => index.nearest(vector, 1), { code: "EMBED_VECTOR_INVALID" });
      }
      assert.equal(index.size, 0);
    });

    test("equal ones come in the order of their ids, whatever order they were put in", async (t) => {
      const vector = Float32Array.of(0.6, 0.8, 0, 0);
      const away = Float32Array.of(0, 0, 1, 0);
      const ids = [9, 4, 30, 2, 17];
      const { index } = await openFilled(t, [
        { id: 1, vector: away },
        ...ids.map((id) => ({ id, vector: Float32Array.from(vector) })),
      ]);
      assert.deepEqual(idsOf(index.nearest(vector, 3)), [2, 4, 9]);
      assert.deepEqual(idsOf(index.nearest(vector, 6)), [2, 4, 9, 17, 30, 1]);
    });

    test("length does not count, only direction", async (t) => {
      const { index } = await openFilled(t, [
        { id: 1, vector: Float32Array.of(100, 100, 0, 0) },
        { id: 2, vector: Float32Array.of(0.001, 0.0009, 0, 0) },
        { id: 3, vector: Float32Array.of(-5, -5, 0, 0) },
      ]);
      const got = index.nearest(Float32Array.of(7, 7, 0, 0), 3);
      assert.deepEqual(idsOf(got), [1, 2, 3]);
      assert.ok(Math.abs((got[0]?.score ?? 0) - 1) < 1e-5);
      assert.ok(Math.abs((got[2]?.score ?? 0) + 1) < 1e-5);
    });

    test("empty: no results; none asked for: none given; more asked for than there are: all", async (t) => {
      const index = await open(t, new Map());
      assert.deepEqual(index.nearest(Float32Array.of(1, 0), 5), []);
      assert.equal(index.size, 0);
      index.put([]);
      assert.equal(index.size, 0);
      const items = randomVectors(createRandom(4), 3, dimensions);
      const filled = await openFilled(t, items);
      assert.deepEqual(filled.index.nearest((items[0] as StoredVector).vector, 0), []);
      assert.equal(filled.index.nearest((items[0] as StoredVector).vector, 50).length, 3);
      assert.ok(filled.index.bytes > 0);
    });
  });
}

const idsOf = (hits: readonly { id: number }[]) => hits.map(({ id }) => id);

function blur(vector: Float32Array, random: () => number): Float32Array {
  return vector.map((value) => value + (random() - 0.5) * 0.08);
}

/** Independent of the code under test: plain sums in double precision. */
function bruteForce(items: readonly StoredVector[], query: Float32Array, k: number): { id: number; score: number }[] {
  const dot = (a: Float32Array, b: Float32Array) => {
    let sum = 0;
    for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
    return sum;
  };
  return items
    .map(({ id, vector }) => ({ id, score: dot(query, vector) / Math.sqrt(dot(query, query) * dot(vector, vector)) }))
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, k);
}
