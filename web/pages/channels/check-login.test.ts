import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayFault, type LoginFieldSummary } from "../../../src/gateway/protocol/index.ts";
import { checkFields, checkName, readFix } from "./check-login.ts";

const token: LoginFieldSummary = {
  key: "botToken",
  label: "Bot token",
  hint: "",
  isSecret: true,
  isList: false,
  pattern: "^\\d{6,12}:[\\w-]{30,64}$",
};
const admins: LoginFieldSummary = {
  ...token,
  key: "admins",
  label: "Your user id",
  isSecret: false,
  isList: true,
  pattern: "^\\d+$",
};

test("what is typed is held against the platform's patterns; a list may stay empty, a token may not", () => {
  const good = `123456789:${"A".repeat(35)}`;
  assert.deepEqual(checkFields([token, admins], { botToken: good, admins: "" }), {});
  assert.deepEqual(checkFields([token, admins], { botToken: good, admins: "12, 34" }), {});
  assert.deepEqual(Object.keys(checkFields([token, admins], { admins: "me" })), ["botToken", "admins"]);
});

test("a wrong secret is not repeated in what is said of it", () => {
  assert.doesNotMatch(checkFields([token], { botToken: "hunter2" })["botToken"] ?? "hunter2", /hunter2/);
});

test("names are plain and new", () => {
  assert.equal(checkName("slack-2.eu", ["slack"]), undefined);
  assert.match(checkName("slack", ["slack"]) ?? "", /already/);
  assert.match(checkName("a b", []) ?? "", /Letters/);
  assert.match(checkName("", []) ?? "", /name/);
});

test("a refusal says what to do, where it does", () => {
  const refusal = (details: unknown) => new GatewayFault({ code: "NOT_LINKED", message: "refused", details });
  assert.equal(readFix(refusal({ fix: "Copy it again." })), "Copy it again.");
  assert.equal(readFix(refusal({ fix: 7 })), undefined);
  assert.equal(readFix(refusal(undefined)), undefined);
  assert.equal(readFix(new Error("x")), undefined);
});
