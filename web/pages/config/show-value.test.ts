/** Values in inputs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutPlace } from "./form.ts";
import { formatDefault, fromText, parseJson, parseNumber, titleOf } from "./show-value.ts";

test("defaults are said in a word, where that is possible", () => {
  const all = [undefined, true, "", [], ["a", "b"], 3, { x: 1 }].map((value) =>
    formatDefault(value === undefined ? {} : { default: value }),
  );
  assert.deepEqual(all, [undefined, "on", "empty", "none", "a, b", "3", undefined]);
});

test("what is typed becomes a number when it is one", () => {
  assert.deepEqual(["", "12", "-1.5", "1e3", "1.", "abc", "0x10", "-"].map(parseNumber), [
    undefined,
    12,
    -1.5,
    1000,
    1,
    "abc",
    "0x10",
    "-",
  ]);
});

test("JSON or not", () => {
  assert.deepEqual(parseJson('{"a":1}'), { value: { a: 1 } });
  assert.equal(parseJson("{a:1}"), undefined);
});

test("an emptied text is the default again, unless empty is a value of its own", () => {
  assert.equal(fromText("", {}, false), undefined);
  assert.equal(fromText("", { default: "eyes" }, false), "");
  assert.equal(fromText("", { default: "x", minLength: 1 }, false), undefined);
  assert.equal(fromText("", {}, true), "");
  assert.equal(fromText("a", {}, false), "a");
});

test("entries of lists have names", () => {
  assert.equal(titleOf({ id: "gpt" }), "gpt");
  assert.equal(titleOf({ n: 1, agent: "helper" }), "helper");
  assert.equal(titleOf({}), undefined);
});

test("a problem at its field does not repeat the field's path", () => {
  assert.equal(withoutPlace({ path: "a.b", message: 'a.b: found "x", expected y', hint: "" }), 'Found "x", expected y');
  assert.equal(withoutPlace({ path: "a", message: "It is wrong", hint: "" }), "It is wrong");
});
