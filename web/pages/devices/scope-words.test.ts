import assert from "node:assert/strict";
import { test } from "node:test";
import { formatScopes, grantable, scopeOrder } from "./scope-words.ts";

test("nobody is offered to give away more than they hold", () => {
  assert.deepEqual(grantable({ role: "operator", scopes: ["pairing", "read"] }), ["read", "pairing"]);
  assert.deepEqual(grantable({ role: "operator", scopes: ["admin"] }), scopeOrder);
  assert.deepEqual(grantable({ role: "node", scopes: ["admin"] }), []);
  assert.deepEqual(grantable(undefined), []);
});

test("scopes in words", () => {
  assert.equal(formatScopes("operator", ["write", "read"]), "read, write");
  assert.equal(formatScopes("operator", ["read", "admin"]), "everything");
  assert.equal(formatScopes("operator", []), "nothing");
  assert.equal(formatScopes("node", ["admin"]), "its own commands only");
});
