import assert from "node:assert/strict";
import { test } from "node:test";
import { pickNearest } from "./nearest.ts";

test("a slip finds its word; a stranger finds none", () => {
  const words = ["status", "stop", "help", "new"];
  assert.equal(pickNearest("stauts", words), "status");
  assert.equal(pickNearest("STOPP", words), "stop");
  assert.equal(pickNearest("hlep", words), "help");
  assert.equal(pickNearest("weather", words), undefined);
  assert.equal(pickNearest("", words), undefined);
});
