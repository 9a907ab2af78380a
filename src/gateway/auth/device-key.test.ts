import assert from "node:assert/strict";
import { test } from "node:test";
import { createDevice } from "../../../test/fakes/gateway-rig.ts";
import { deviceIdOf, isSignedBy } from "./device-key.ts";

test("an id is the hash of the key, in one spelling only", () => {
  const { id, publicKey } = createDevice();
  assert.equal(deviceIdOf(publicKey), id);
  assert.equal(deviceIdOf({ ...publicKey, x: `${publicKey.x}=` }), undefined);
  assert.equal(deviceIdOf({ ...publicKey, x: publicKey.x.slice(2) }), undefined);
  assert.equal(deviceIdOf({ x: "", y: "" }), undefined);
});

test("a signature holds for one key, one challenge and one claim", () => {
  const [ann, bob] = [createDevice(), createDevice()];
  const claim = { id: ann.id, token: "t" };
  const signature = ann.sign("nonce", { token: "t" });
  assert.equal(isSignedBy(ann.publicKey, signature, "nonce", claim), true);
  assert.equal(isSignedBy(ann.publicKey, signature, "other", claim), false);
  assert.equal(isSignedBy(ann.publicKey, signature, "nonce", { ...claim, token: "u" }), false);
  assert.equal(isSignedBy(ann.publicKey, signature, "nonce", { ...claim, code: "c" }), false);
  assert.equal(isSignedBy(bob.publicKey, signature, "nonce", claim), false);
  assert.equal(isSignedBy(bob.publicKey, signature, "nonce", { ...claim, id: bob.id }), false);
});

test("rubbish is no signature and no key, and throws nothing", () => {
  const { id, publicKey, sign } = createDevice();
  for (const signature of ["", "AAAA", "A".repeat(86), "=".repeat(86), sign("nonce").slice(1)]) {
    assert.equal(isSignedBy(publicKey, signature, "nonce", { id }), false);
  }
  const zeros = Buffer.alloc(32).toString("base64url");
  assert.equal(isSignedBy({ x: zeros, y: zeros }, sign("nonce"), "nonce", { id }), false);
});
