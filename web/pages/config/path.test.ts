/** The browser's paths are the gateway's paths. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatConfigPath, parseConfigPath } from "../../../src/config/config-path.ts";
import { formatPath, humanise, isTextWithin, isWithin, valueAt, withValueAt } from "./path.ts";

test("paths are written as the config room reads them, whatever is in a key", () => {
  for (const path of [
    ["adapters", "a.b", "dm"],
    ["routes", "0"],
    ["x y", 'say "hi"', "back\\slash"],
    ["ünï", "a/b:c"],
    ["", "."],
  ]) {
    assert.deepEqual(parseConfigPath(formatPath(path)), path);
    assert.equal(formatPath(path), formatConfigPath(path));
  }
});

test("a value is found by own keys and indexes only", () => {
  const value = { list: [{ a: 1 }], text: "x" };
  assert.equal(valueAt(value, ["list", "0", "a"]), 1);
  assert.equal(valueAt(value, ["constructor"]), undefined);
  assert.equal(valueAt(value, ["text", "length"]), undefined);
  assert.equal(valueAt(value, []), value);
});

test("a copy gets the value, and what was given stays as it was", () => {
  const value = { a: { b: 1, c: 2 }, list: [1, 2, 3] };
  assert.deepEqual(withValueAt(value, ["a", "b"], 9), { a: { b: 9, c: 2 }, list: [1, 2, 3] });
  assert.deepEqual(Object.keys(Object(withValueAt(value, ["a", "b"], 9))), ["a", "list"]);
  assert.deepEqual(withValueAt(value, ["x", "y"], 1), { ...value, x: { y: 1 } });
  assert.deepEqual(withValueAt(value, ["a", "b"], undefined), { a: { c: 2 }, list: [1, 2, 3] });
  assert.deepEqual(withValueAt(value, ["list", "1"], undefined), { a: { b: 1, c: 2 }, list: [1, 3] });
  assert.deepEqual(value, { a: { b: 1, c: 2 }, list: [1, 2, 3] });
});

test("a key that names the prototype is an ordinary key", () => {
  const made = withValueAt({}, ["__proto__", "bad"], true);
  assert.equal(Object.getPrototypeOf(made), Object.prototype);
  assert.equal(valueAt({}, ["bad"]), undefined);
  assert.deepEqual(valueAt(made, ["__proto__"]), { bad: true });
});

test("inside means the same place or deeper", () => {
  assert.equal(isWithin(["a", "b"], ["a"]), true);
  assert.equal(isWithin(["a"], ["a", "b"]), false);
  assert.equal(isTextWithin("tools.exec", "tools"), true);
  assert.equal(isTextWithin("toolset", "tools"), false);
});

test("keys read as words", () => {
  assert.equal(humanise("toolOutput"), "Tool output");
  assert.equal(humanise("dm"), "DM");
  assert.equal(humanise("apiUrl"), "API URL");
  assert.equal(humanise("timeoutMs"), "Timeout ms");
  assert.equal(humanise("$schema"), "$schema");
  assert.equal(humanise("resetAtHour"), "Reset at hour");
});
