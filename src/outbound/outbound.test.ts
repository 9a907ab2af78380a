import assert from "node:assert/strict";
import { test } from "node:test";
import type { TurnId } from "../contracts/ids.ts";
import { planReply } from "./plan-reply.ts";
import { pickRetryDelayMs } from "./retry-delay.ts";

const reply = { turnId: "t1" as TurnId, channel: { adapter: "a", channelId: "c" } };

test("a reply is one post per part, with ids that are the same every time it is planned", () => {
  const adapter = { render: (text: string) => text.split("|") };
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
  const adapter = { render: () => assert.fail("nothing to render") };
  assert.deepEqual(planReply({ ...reply, markdown: " [SILENT] " }, adapter), []);
  assert.deepEqual(planReply({ ...reply, markdown: "  " }, adapter), []);
});

test("the wait doubles up to five minutes, and the platform's own wish comes first", () => {
  assert.deepEqual(
    [1, 2, 3, 20].map((attempts) => pickRetryDelayMs(attempts, undefined, 1)),
    [1000, 2000, 4000, 300_000],
  );
  assert.equal(pickRetryDelayMs(1, undefined, 0), 750);
  assert.equal(pickRetryDelayMs(9, 42), 42);
});
