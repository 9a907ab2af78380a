/** The welcome's form for a chat platform. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkField, checkForm, pickName, toFields } from "./login-form.ts";

const token = { key: "botToken", label: "Bot token", hint: "", isSecret: true, isList: false, pattern: "^\\d+:\\w+$" };
const admins = {
  key: "admins",
  label: "Your user id",
  hint: "",
  isSecret: false,
  isList: true,
  pattern: "^\\d{1,20}$",
};

test("while typing only what is wrong is said, at the end what is missing too", () => {
  assert.equal(checkField(token, ""), undefined);
  assert.equal(checkField(token, "abc"), "This does not look right.");
  assert.equal(checkField(token, " 12:ab "), undefined);
  assert.equal(checkField(admins, "12, x"), "x does not look right.");
  assert.deepEqual(checkForm([token, admins], { botToken: "12:ab" }), { admins: "This is needed." });
});

test("a secret is never repeated in a message", () => {
  assert.doesNotMatch(checkField(token, "s3cret value") ?? "", /s3cret/);
});

test("fields are sent trimmed, lists with commas", () => {
  assert.deepEqual(toFields([token, admins], { botToken: " 1:a ", admins: "1  2;3" }), {
    botToken: "1:a",
    admins: "1,2,3",
  });
});

test("a pattern that cannot be read refuses nothing", () => {
  assert.equal(checkField({ ...token, pattern: "(" }, "x"), undefined);
});

test("names do not collide", () => {
  assert.equal(pickName("slack", []), "slack");
  assert.equal(pickName("slack", ["slack", "slack-2"]), "slack-3");
});
