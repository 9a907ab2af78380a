import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { validateArguments } from "./validate-arguments.ts";

const schema = Type.Object(
  {
    path: Type.String({ minLength: 1 }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    all: Type.Optional(Type.Boolean()),
    mode: Type.Optional(Type.Enum(["add", "list"], { type: "string" })),
    items: Type.Optional(Type.Array(Type.Object({ n: Type.Integer() }))),
  },
  { additionalProperties: false },
);
const problems = (given: Record<string, unknown>) => {
  const result = validateArguments(schema, given);
  return result.type === "valid" ? [] : result.problems;
};

test("accepts what fits and mends obvious slips, without touching what it was given", () => {
  const given = { path: "a", limit: "7", all: "true", mode: null };
  assert.deepEqual(validateArguments(schema, given), { type: "valid", params: { path: "a", limit: 7, all: true } });
  assert.deepEqual(given, { path: "a", limit: "7", all: "true", mode: null });
});

test("names path, expected and found", () => {
  assert.deepEqual(problems({}), ["path: missing; expected string, length at least 1"]);
  assert.deepEqual(problems({ path: "", limit: 99 }), [
    'path: expected string, length at least 1, found ""',
    "limit: expected integer, at least 1, at most 9, found 99",
  ]);
  assert.deepEqual(problems({ path: "a", limit: "seven" }), [
    'limit: expected integer, at least 1, at most 9, found "seven"',
  ]);
  assert.deepEqual(problems({ path: "a", mode: "delete" }), ['mode: expected one of "add", "list", found "delete"']);
  assert.deepEqual(problems({ path: "a", items: [{ n: 1 }, { n: "x" }] }), ['items.1.n: expected integer, found "x"']);
  assert.deepEqual(problems({ path: "a", items: [{}] }), ["items.0.n: missing; expected integer"]);
});

test("names unknown parameters and what was probably meant", () => {
  assert.deepEqual(problems({ path: "a", limt: 3 }), ["limt: unknown; did you mean limit?"]);
  assert.deepEqual(problems({ path: "a", zzzzzz: 3 }), ["zzzzzz: unknown; known are path, limit, all, mode, items"]);
  assert.equal(problems(JSON.parse('{"path":"a","__proto__":{"x":1}}')).length, 1);
});

test("says only the first few problems and no long values", () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`unknown${i}`, 1]));
  assert.equal(problems(many).length, 5);
  assert.ok((problems({ path: "a", limit: "x".repeat(10_000) })[0] ?? "").length < 300);
});
