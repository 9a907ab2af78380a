/** Both vector indexes on the one suite. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createBitIndex, createSqliteVecIndex, toSignBits } from "../../src/memory/vector/index.ts";
import { createRandom, randomVectors, type StoredVector } from "../fakes/vectors.ts";
import { testVectorIndex } from "./vector-index.ts";

testVectorIndex("bits and rescoring", {
  open: async (_test, stored) => createBitIndex({ readVector: (id) => stored.get(id) }),
  leastRecall: { random: 0.75, clustered: 0.98 },
});

testVectorIndex("sqlite-vec", {
  open: async (test) => {
    const index = await createSqliteVecIndex();
    test.after(() => index.close());
    return index;
  },
  leastRecall: { random: 1, clustered: 1 },
});

test("bits that were kept make the same index as the vectors", () => {
  const items = randomVectors(createRandom(6), 40, 100);
  const stored = new Map(items.map(({ id, vector }) => [id, vector]));
  const index = createBitIndex({ readVector: (id) => stored.get(id) });
  index.putBits(
    items.map(({ id, vector }) => ({ id, bits: toSignBits(vector) })),
    100,
  );
  const query = (items[7] as StoredVector).vector;
  assert.equal(index.size, 40);
  assert.equal(index.nearest(query, 1)[0]?.id, (items[7] as StoredVector).id);
  assert.throws(() => index.putBits([{ id: 1, bits: new Uint32Array(3) }], 100), { code: "EMBED_DIMENSION" });
  assert.throws(() => index.putBits([{ id: 1, bits: new Uint32Array(7) }], 200), { code: "EMBED_DIMENSION" });
});

test("a vector that its keeper no longer has is left out of the results", () => {
  const items = randomVectors(createRandom(6), 10, 64);
  const stored = new Map(items.map(({ id, vector }) => [id, vector]));
  const index = createBitIndex({ readVector: (id) => stored.get(id) });
  index.put(items);
  stored.delete((items[0] as StoredVector).id);
  assert.equal(index.nearest((items[0] as StoredVector).vector, 10).length, 9);
});

test("however many are equally near, only so many vectors are read", () => {
  let reads = 0;
  const vector = Float32Array.of(1, 2, 3, 4);
  const readVector = () => {
    reads++;
    return vector;
  };
  const index = createBitIndex({ readVector });
  index.put(Array.from({ length: 5000 }, (_each, n) => ({ id: 5000 - n, vector })));
  const got = index.nearest(vector, 3);
  assert.deepEqual(
    got.map(({ id }) => id),
    [1, 2, 3],
  );
  assert.equal(reads, 400);
});

test("without the package sqlite-vec it says so, with a code and what to do", async () => {
  const load = () => Promise.reject(new Error("Cannot find package 'sqlite-vec'"));
  await assert.rejects(createSqliteVecIndex({ load }), { code: "VECTOR_EXTENSION_MISSING", hint: /npm install/ });
});

test("once sqlite-vec is in, the door for extensions is closed", async () => {
  let seen: { loadExtension(path: string): void } | undefined;
  const index = await createSqliteVecIndex({
    load: async () => {
      const { load } = await import("sqlite-vec");
      return {
        load(database) {
          seen = database;
          load(database);
        },
      };
    },
  });
  assert.throws(() => seen?.loadExtension("/lib/x.so"), /not allowed/);
  index.close();
});
