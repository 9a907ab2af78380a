/** What the house tells becomes events that hold to their schemas, and signs of turns. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGatewayDesk } from "../../test/fakes/gateway-desk.ts";
import { mainKey } from "../../test/fakes/gateway-house.ts";
import type { GatewayWatch } from "../contracts/gateway.ts";
import type { Delivery } from "../contracts/store.ts";
import type { Turn } from "../contracts/turn.ts";

const key = "key-of-a-test";
const turn = { id: "t1", state: "done", route: { sessionKey: mainKey } } as Turn;
const channel = { adapter: "slack", channelId: "C1" };

async function createStage(t: Parameters<typeof createGatewayDesk>[0]) {
  const desk = await createGatewayDesk(t);
  const { watch } = desk.fake;
  assert.ok(watch);
  const told = (act: (watch: GatewayWatch) => void) => {
    desk.events.length = 0;
    act(watch);
    return desk.events;
  };
  return { ...desk, told };
}

test("a turn is told from what was said to its end, to those who follow its session", async (t) => {
  const { call, fake, events } = await createStage(t);
  const { turnId, messageId } = await call("chat.send", { message: "hello", idempotencyKey: key });
  const begun = await fake.turns.next();
  begun.event({ type: "text_delta", delta: "hi" });
  await begun.aside("one moment");
  await begun.end("hi");
  const here = { adapter: "webchat", channelId: "main" };
  const item = { id: messageId, at: fake.clock.now(), role: "user", sender: "owner", text: "hello" };
  const payloads: [string, object][] = [
    ["chat.message", { turnId, messageId, channel: here, item }],
    ["agent", { turnId, event: { type: "text_delta", delta: "hi" } }],
    ["chat.post", { turnId, deliveryId: `${turnId}.0`, channel: here, text: "one moment", isAside: true }],
    ["chat.post", { turnId, deliveryId: `${turnId}.1`, channel: here, text: "hi" }],
    ["chat.end", { turnId, state: "done" }],
  ];
  assert.deepEqual(
    events,
    payloads.map(([event, payload]) => ({ event, payload, sessionKey: mainKey })),
  );
});

test("files that come along are named as they can be opened; a time that is none is none", async (t) => {
  const { told } = await createStage(t);
  const attachments = [
    { filename: "a.png", localPath: "channels/x/attachments/1_a.png", mimeType: "image/png", size: 3 },
  ];
  const [event] = told((watch) =>
    watch.said(
      channel,
      {
        id: "m1",
        channelId: "C1",
        timestamp: "yesterday",
        sender: { id: "U1", username: "ann", displayName: "Ann", isBot: false },
        text: "x".repeat(50_000),
        attachments,
        isMention: true,
        metadata: { secret: 1 },
      },
      { turnId: turn.id, sessionKey: mainKey },
    ),
  );
  assert.ok(event);
  const { item } = event.payload as { item: { at: number; sender: string; text: string; attachments: unknown } };
  assert.deepEqual([item.at, item.sender, item.text.length < 21_000], [0, "Ann", true]);
  assert.deepEqual(item.attachments, [
    { filename: "a.png", path: "channels/x/attachments/1_a.png", mimeType: "image/png", size: 3 },
  ]);
});

test("posts of files are told, changes and posts without a session are not", async (t) => {
  const { told } = await createStage(t);
  const sent = (body: object, sessionKey?: typeof mainKey) =>
    told((watch) => watch.sent({ id: "d1", channel, body } as Delivery, sessionKey)).map(({ payload }) => payload);
  const file = { type: "file", path: "/secret/place/x.png", filename: "x.png" };
  assert.deepEqual(sent(file, mainKey), [{ deliveryId: "d1", channel, file: { filename: "x.png" } }]);
  assert.deepEqual(sent({ type: "edit", messageId: "m", text: "x" }, mainKey), []);
  assert.deepEqual(sent({ type: "text", text: "a letter" }), []);
});

test("what tools take and give is cut for the screens", async (t) => {
  const { told, feed } = await createStage(t);
  const long = "y".repeat(100_000);
  const common = { toolCallId: "c1", toolName: "bash", label: "bash" };
  const [start, update, end] = [
    { type: "tool_execution_start", ...common, args: { command: long, list: [long] } } as const,
    { type: "tool_execution_update", toolCallId: "c1", toolName: "bash", text: long } as const,
    {
      type: "tool_execution_end",
      ...common,
      text: long,
      details: { diff: long },
      durationMs: 1,
      isError: false,
    } as const,
  ];
  for (const event of [start, update, end]) {
    const [published] = told((watch) => watch.turnEvent(turn, event));
    assert.ok(JSON.stringify(published).length < 50_000, event.type);
    assert.match(JSON.stringify(published), /characters left out/);
  }
  const signs = feed.feed.follow(turn.id, new AbortController().signal)[Symbol.asyncIterator]();
  const first = await signs.next();
  assert.deepEqual(first.value, { type: "event", event: start }, "the feed has it whole");
});

test("a question is told without what only the house needs to know", async (t) => {
  const { told, fake } = await createStage(t);
  const approval = await fake.requestApproval("ap1");
  for (const events of [
    told((watch) => watch.approvalRequested(approval)),
    told((watch) => watch.turnEvent(turn, { type: "approval_request", approval })),
  ]) {
    assert.equal(events.length, 1);
    assert.match(JSON.stringify(events), /rm -r build/);
    assert.doesNotMatch(JSON.stringify(events), /of the environment|hash of/);
  }
  assert.deepEqual(
    told((watch) => watch.approvalResolved(approval)),
    [{ event: "approval.resolved", payload: { id: "ap1", sessionKey: mainKey } }],
  );
});

test("what concerns everybody is told to everybody", async (t) => {
  const { told } = await createStage(t);
  const events = [
    ...told((watch) => watch.ended({ ...turn, mergedInto: "t0" as Turn["id"], error: "e" })),
    // The house looks more than once whether a turn is over.
    ...told((watch) => watch.ended(turn)),
    ...told((watch) => watch.sessionChanged(mainKey)),
    ...told((watch) => watch.pairingChanged()),
    ...told((watch) => watch.channelsChanged()),
    ...told((watch) => watch.configChanged("applied", "2 keys")),
  ];
  const slack = { name: "slack", type: "slack", label: "Slack", state: "connected", reconnects: 0, access: "everyone" };
  assert.deepEqual(events, [
    {
      event: "chat.end",
      payload: { turnId: "t1", state: "done", mergedInto: "t0", error: "e" },
      sessionKey: mainKey,
    },
    { event: "session.changed", payload: { sessionKey: mainKey } },
    { event: "pairing.changed", payload: {} },
    { event: "channels.changed", payload: { channels: [slack] } },
    { event: "config.changed", payload: { outcome: "applied", detail: "2 keys" } },
  ]);
});
