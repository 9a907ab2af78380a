/** The doctor page: order, and what of a fix is a command. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFindings, groupFindings, splitFix } from "./findings.ts";

test("failures first, empty groups not at all", () => {
  const groups = groupFindings([
    { check: "node", level: "ok", detail: "24" },
    { check: "data", level: "fail", detail: "gone", fix: "Make it." },
    { check: "disk", level: "ok", detail: "fine" },
  ]);
  assert.deepEqual(
    groups.map(({ level, findings }) => [level, findings.length]),
    [
      ["fail", 1],
      ["ok", 2],
    ],
  );
});

test("commands in a fix are told apart from words", () => {
  assert.deepEqual(splitFix("chmod 600 /data/config.json"), [{ type: "command", text: "chmod 600 /data/config.json" }]);
  assert.deepEqual(splitFix("Name it with --data, or make one with: mom /tmp/d"), [
    { type: "text", text: "Name it with --data, or make one with: " },
    { type: "command", text: "mom /tmp/d" },
  ]);
  assert.deepEqual(splitFix("`mom skills check` says more."), [
    { type: "command", text: "mom skills check" },
    { type: "text", text: " says more." },
  ]);
  assert.deepEqual(
    splitFix(
      "Write to mom there once; `mom pair list` then shows your id. After that: mom config set adapters.t.admins '[\"<your id>\"]'",
    ),
    [
      { type: "text", text: "Write to mom there once; " },
      { type: "command", text: "mom pair list" },
      { type: "text", text: " then shows your id. After that: " },
      { type: "command", text: "mom config set adapters.t.admins '[\"<your id>\"]'" },
    ],
  );
  assert.deepEqual(splitFix("mom removes it when she starts. If that program is needed, give mom a bot of her own."), [
    { type: "text", text: "mom removes it when she starts. If that program is needed, give mom a bot of her own." },
  ]);
  assert.deepEqual(splitFix("Free some space soon."), [{ type: "text", text: "Free some space soon." }]);
});

test("all findings as text", () => {
  assert.equal(
    formatFindings([
      { check: "node", level: "ok", detail: "24" },
      { check: "data", level: "fail", detail: "gone", fix: "Make it." },
    ]),
    "ok   node: 24\nfail data: gone\n     fix: Make it.",
  );
});
