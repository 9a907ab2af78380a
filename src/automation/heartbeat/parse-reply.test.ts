/** `HEARTBEAT_OK` in the many shapes that models give it, and texts that only look like it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseReply } from "./parse-reply.ts";

const long =
  "The disk of attic is 97 % full and grows by two percent an hour; somebody should look at /var/log before the night is over.";

const rows: [reply: string, expected: string][] = [
  ["", "ok-empty"],
  ["  \n\u200b ", "ok-empty"],
  ["[SILENT]", "ok-empty"],
  ["…", "ok-empty"],
  ["HEARTBEAT_OK", "ok-token"],
  ["heartbeat_ok", "ok-token"],
  ["HEARTBEAT\\_OK", "ok-token"],
  ["**HEARTBEAT_OK**", "ok-token"],
  ["_HEARTBEAT_OK_.", "ok-token"],
  ["`HEARTBEAT_OK`", "ok-token"],
  ["```\nHEARTBEAT_OK\n```", "ok-token"],
  ["```text\nHEARTBEAT_OK\n```", "ok-token"],
  ["<b>HEARTBEAT_OK</b>", "ok-token"],
  ['"HEARTBEAT_OK!"', "ok-token"],
  ["# HEARTBEAT_OK", "ok-token"],
  ["✅ HEARTBEAT_OK ✅", "ok-token"],
  ["HEARTBEAT_OK HEARTBEAT_OK", "ok-token"],
  ["HEARTBEAT_OK - all quiet here.", "ok-token"],
  ["Nothing new since this morning.\n\nHEARTBEAT_OK", "ok-token"],
  [`HEARTBEAT_OK ${"x".repeat(100)}`, "ok-token"],
  [`HEARTBEAT_OK ${"x".repeat(101)}`, "x".repeat(101)],
  [`${"x".repeat(101)} **HEARTBEAT_OK**`, "x".repeat(101)],
  // A hundred characters, each of them two halves.
  [`HEARTBEAT_OK ${"𝐚".repeat(100)}`, "ok-token"],
  [`**HEARTBEAT_OK**\n\n${long}`, long],
  [`HEARTBEAT_OK — ${long}`, long],
  [`HEARTBEAT_OK\n\n- ${long}`, `- ${long}`],
  [`**${long}**\nHEARTBEAT_OK`, `**${long}**`],
  [`${long}\n\n\`\`\`\nHEARTBEAT_OK\n\`\`\``, long],
  [`\`\`\`\nHEARTBEAT_OK\n\`\`\`\n${long}`, long],
  ["The door is open.", "The door is open."],
  ["I would say HEARTBEAT_OK, but the door is open.", "I would say HEARTBEAT_OK, but the door is open."],
  ["HEARTBEAT_OKAY", "HEARTBEAT_OKAY"],
  ["HEARTBEAT_OK_NOT", "HEARTBEAT_OK_NOT"],
  ["MY_HEARTBEAT_OK", "MY_HEARTBEAT_OK"],
];

test("an answer is nothing to say, or a text without the token", () => {
  for (const [reply, expected] of rows) {
    const found = parseReply(reply, 100);
    assert.equal(found.type === "text" ? found.text : found.type, expected, JSON.stringify(reply));
  }
});

test("the room beside the token is what the config says", () => {
  assert.equal(parseReply("HEARTBEAT_OK fine", 0).type, "text");
  assert.equal(parseReply("HEARTBEAT_OK.", 0).type, "ok-token");
  assert.equal(parseReply(`${"y".repeat(300)} HEARTBEAT_OK`, 300).type, "ok-token");
});

test("a long answer is looked at in no time", () => {
  const started = process.hrtime.bigint();
  parseReply(`${"*`_".repeat(50_000)}${"HEARTBEAT_OK ".repeat(2000)}${"<b>".repeat(20_000)}`, 100);
  assert.ok(process.hrtime.bigint() - started < 500_000_000n);
});
