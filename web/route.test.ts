/** Addresses of pages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { href, parseRoute } from "./route.ts";

test("an address is read as it was written, whatever a session key holds", () => {
  const key = "agent:main:slack/group:C1?x#y 100%";
  assert.deepEqual(parseRoute(href("chat", key, { view: "a&b" })), { path: "chat", arg: key, query: { view: "a&b" } });
});

test("an address of nowhere is the start", () => {
  for (const hash of ["", "#", "#code=abc", "#javascript:alert(1)", "#//evil.example"]) {
    assert.equal(parseRoute(hash).path, "");
  }
  assert.equal(parseRoute("#/chat/%").arg, "%");
});
