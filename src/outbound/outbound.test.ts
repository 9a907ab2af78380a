import assert from "node:assert/strict";
import { test } from "node:test";
import type { TurnId } from "../contracts/ids.ts";
import { planReply } from "./plan-reply.ts";
import { pickRetryDelayMs } from "./retry-delay.ts";

const reply = { turnId: "t1" as TurnId, channel: { adapter: "a", channelId: "c" } };

test("a reply is one post per part, with ids that are the same every time it is planned", () => {
  const adapter = { render: (text: string) => text.split("|"), capabilities: { maxUploadBytes: 0 } };
  const plan = () => planReply({ ...reply, markdown: "one|two" }, adapter);
  assert.deepEqual(
    plan().map(({ id, body }) => [id, body.type === "text" && body.text]),
    [
      ["t1.0", "one"],
      ["t1.1", "two"],
    ],
  );
  assert.deepEqual(plan(), plan());
});

test("nothing is posted for silence", () => {
  const adapter = { render: () => assert.fail("nothing to render"), capabilities: { maxUploadBytes: 0 } };
  assert.deepEqual(planReply({ ...reply, markdown: " [SILENT] " }, adapter), []);
  assert.deepEqual(planReply({ ...reply, markdown: "  " }, adapter), []);
});

test("files follow the text, and a chat that takes none is told where they are", () => {
  const file = { type: "file" as const, path: "/state/exports/a.md", filename: "a.md" };
  const plan = (maxUploadBytes: number) =>
    planReply(
      { ...reply, markdown: "Here:", files: [file] },
      { render: (text) => [text], capabilities: { maxUploadBytes } },
    ).map(({ id, body }) => [id, body.type === "text" ? body.text : body.type === "file" && body.filename]);
  assert.deepEqual(plan(100), [
    ["t1.0", "Here:"],
    ["t1.1", "a.md"],
  ]);
  assert.deepEqual(plan(0), [
    ["t1.0", "Here:\n\nThis chat takes no files. On mom's machine it is `/state/exports/a.md`."],
  ]);
});

test("the wait doubles up to five minutes, and the platform's own wish comes first", () => {
  assert.deepEqual(
    [1, 2, 3, 20].map((attempts) => pickRetryDelayMs(attempts, undefined, 1)),
    [1000, 2000, 4000, 300_000],
  );
  assert.equal(pickRetryDelayMs(1, undefined, 0), 750);
  assert.equal(pickRetryDelayMs(9, 42), 42);
});

test("a tag at the start ties the first post to a message, and is never shown", () => {
  const adapter = { render: (text: string) => text.split("|"), capabilities: { maxUploadBytes: 0 } };
  const plan = (markdown: string, messageId?: string) =>
    planReply({ ...reply, markdown, ...(messageId !== undefined && { messageId }) }, adapter).map(({ body }) =>
      body.type === "text" ? [body.text, body.replyTo] : body.type,
    );
  const both = [
    ["one", "m1"],
    ["two", undefined],
  ];
  assert.deepEqual(plan("[[reply_to_current]] one|two", "m1"), both);
  assert.deepEqual(plan("[[reply_to: m1]]\none|two", "m7"), both);
  assert.deepEqual(plan("[[reply_to_current]] one"), [["one", undefined]]);
  assert.deepEqual(plan("see [[reply_to_current]]", "m1"), [["see [[reply_to_current]]", undefined]]);
  assert.deepEqual(plan("[[reply_to_current]] [SILENT]", "m1"), []);
});
