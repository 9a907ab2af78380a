/** The way in on a real store: strangers and their codes, bots that answer each other, changes of what was said. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { createFakeClock, type FakeClock } from "../../test/fakes/clock.ts";
import { createRecordingLog, silentLog } from "../../test/fakes/log.ts";
import type { AccessRules } from "../contracts/channel.ts";
import type { SessionKey } from "../contracts/ids.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { Store } from "../contracts/store.ts";
import { buildLayout, openStore } from "../store/index.ts";
import { createInbound, type Inbound, type Origin } from "./index.ts";

const minute = 60_000;
const rules: AccessRules = { admins: ["A"], dm: "none", pairing: true, bots: ["R2"] };

let dataDir: string;
let clock: FakeClock;
let store: Store;
let inbound: Inbound;
let log: ReturnType<typeof createRecordingLog>;
let posted: number;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "mom-inbound-"));
  clock = createFakeClock();
  await start();
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
});

const open = (role: "owner" | "guest") =>
  openStore({ layout: buildLayout(dataDir), clock, log: silentLog, role, routesOf: () => [] });

async function start(): Promise<void> {
  store = await open("owner");
  log = createRecordingLog();
  posted = 0;
  inbound = createInbound({
    inbox: store.inbox,
    pairings: store.pairings,
    commands: { find: async () => ({ type: "none" }) },
    clock,
    log,
    buildRoute: (kind, channel) => {
      const sessionKey = `agent:main:${kind.type}:${channel.channelId}` as SessionKey;
      return { sessionKey, type: kind.type, agentId: "main", channel };
    },
    queueModeOf: async () => "collect",
    onPosted: () => void posted++,
  });
}

async function restart(): Promise<void> {
  await store.close();
  await start();
}

const originOf = (chat: Origin["chat"], more: Partial<Origin> = {}): Origin => ({
  adapter: "acme",
  adapterType: "slack",
  chat,
  rules,
  render: (markdown) => [`<${markdown}>`],
  ...more,
});
const direct = originOf("dm");
const group = originOf("group");

const buildMessage = (id: string, senderId: string, more: Partial<ChannelMessage> = {}): ChannelMessage => ({
  id,
  channelId: `D-${senderId}`,
  timestamp: "2026-01-01T00:00:00.000Z",
  sender: { id: senderId, username: senderId.toLowerCase(), isBot: senderId.startsWith("R") },
  text: "hello",
  attachments: [],
  isMention: true,
  ...more,
});

/** `turn`, or the verdict's own word as it stands in the channel's log. */
async function say(id: string, senderId: string, origin = direct, more: Partial<ChannelMessage> = {}) {
  const message = buildMessage(id, senderId, more);
  const accepted = await inbound.receive(origin, message);
  if (accepted.type === "duplicate") return "duplicate";
  if (accepted.turnId !== undefined) return "turn";
  const lines = await store.channels.tail({ adapter: origin.adapter, channelId: message.channelId }, 20);
  return lines.findLast((line) => line.id === id)?.refused ?? "heard";
}

const posts = async () =>
  (await store.outbox.list({ limit: 50 })).map(({ id, channel, body }) => ({ id, ...channel, body }));

/** The code that a sender was told, by the post in their chat. */
async function toldCode(senderId: string): Promise<string> {
  const post = (await posts()).findLast(({ channelId }) => channelId === `D-${senderId}`);
  assert.ok(post?.body.type === "text");
  const code = /`([2-9A-HJKMNP-Z]{8})`/.exec(post.body.text)?.[1];
  assert.ok(code, post.body.text);
  return code;
}

const strangerReason = "B may not write to mom directly; adapters.acme.dm says who may";

test("a stranger is told a code once, is let in by it, and goes when it is revoked", async () => {
  assert.equal(await say("m1", "B"), `${strangerReason}; a pairing code was given`);
  assert.equal(await say("m2", "B"), `${strangerReason}; a pairing code waits already`);
  assert.equal(await say("m1", "B"), "duplicate");
  const told = await posts();
  assert.equal(told.length, 1);
  const code = await toldCode("B");
  assert.match(told[0]?.id ?? "", /^pair-[0-9a-f]{16}\.0$/);
  assert.deepEqual(told[0]?.body, {
    type: "text",
    text: `<Hello! I do not know you yet, so I may not answer you. Your code is \`${code}\`: give it to whoever looks after me, within an hour, and write again once they have approved it.\n\nFor them: \`mom pair approve ${code}\`>`,
  });
  assert.ok(posted > 0, "the post is announced");

  // Approved in another process, as `mom pair approve` does.
  const beside = await open("guest");
  assert.equal((await beside.pairings.approve(code, "cli:ann")).type, "approved");
  assert.equal(await say("m3", "B"), "turn");
  await restart();
  assert.equal(await say("m4", "B"), "turn");
  assert.equal(await beside.pairings.revoke("acme", "B"), true);
  await beside.close();
  assert.equal(await say("m5", "B"), `${strangerReason}; a pairing code was given`);
  assert.notEqual(await toldCode("B"), code);
});

test("who was let in directly is nobody special in a group, on another adapter, or in a chat that is not described", async () => {
  await say("m1", "B");
  await store.pairings.approve(await toldCode("B"), "cli:ann");
  const closed = { allow: "everyone", senders: ["C"], requireMention: true, chats: {} } as const;
  const strict = { ...group, rules: { ...rules, groups: closed } };
  assert.match(await say("m2", "B", strict, { channelId: "C1" }), /groups\.senders says who is$/);
  assert.match(await say("m3", "B", { ...direct, adapter: "other" }), /^B may not write .*adapters\.other\.dm/);
  assert.match(await say("m4", "B", { ...strict, chat: "unknown" }), /groups\.senders says who is$/);
  assert.equal(await say("m5", "B", originOf("unknown")), "turn");
});

test("codes outlive a restart, not their hour; the fourth who asks gets none", async () => {
  for (const id of ["B", "C", "D"]) await say(`m-${id}`, id);
  const full = /; no pairing code was given, because 3 wait already$/;
  assert.match(await say("m1", "E"), full);
  assert.match(await say("m2", "E", { ...direct, adapter: "other" }), /a pairing code was given$/);
  const code = await toldCode("B");
  await restart();
  assert.match(await say("m3", "E"), full);
  await clock.advance(60 * minute - 1);
  assert.match(await say("m4", "C"), /a pairing code waits already$/);
  await clock.advance(1);
  assert.deepEqual(await store.pairings.approve(code, "cli:ann"), { type: "unknown" });
  assert.match(await say("m5", "E"), /a pairing code was given$/);
  assert.match(await say("m6", "B"), /a pairing code was given$/);
  assert.notEqual(await toldCode("B"), code);
});

test("nothing that is logged tells a code", async () => {
  await say("m1", "B");
  const code = await toldCode("B");
  assert.equal(log.lines.length, 1);
  assert.equal(JSON.stringify([log.lines, (await posts()).map(({ id }) => id)]).includes(code), false);
});

test("a reminder of somebody who may not talk any more is refused, and gives no code", async () => {
  const letter = await inbound.toLetter(direct, buildMessage("schedule:s1", "B"));
  assert.deepEqual(letter.verdict, { type: "refused", reason: strangerReason });
  await store.inbox.accept(letter);
  assert.deepEqual(await posts(), []);
});

const fromBot = (id: string, senderId = "R2") => say(id, senderId, group, { channelId: "C1" });
const tired = /^bots have had 6 turns here within 10 minutes and no person has said anything/;

test("bots that may talk start six turns, and then wait for a person", async () => {
  for (let n = 1; n <= 6; n++) assert.equal(await fromBot(`m${n}`), "turn");
  assert.equal(await fromBot("m6"), "duplicate");
  assert.match(await fromBot("m7"), tired);
  assert.match(await fromBot("m8"), tired);
  const refusals = log.lines.filter(({ text }) => text === "A message was refused");
  assert.equal(refusals.length, 2, "one line each");
  assert.equal(await fromBot("b1", "R1"), "heard", "a bot that is not listed changes nothing");
  assert.match(await fromBot("m9"), tired);
  assert.equal(await say("x1", "R2", group, { channelId: "C2" }), "turn", "another chat is another matter");

  // An edit is no word of a person's; chatter is, whether or not it is for mom.
  const changed = { channelId: "C1", isMention: false, change: { type: "edit", ref: "m0" } } as const;
  assert.equal(await say("p0", "B", group, changed), "heard");
  assert.match(await fromBot("m10"), tired);
  assert.equal(await say("p1", "B", group, { channelId: "C1", isMention: false }), "heard");
  for (let n = 11; n <= 16; n++) assert.equal(await fromBot(`m${n}`), "turn");
  assert.match(await fromBot("m17"), tired);
});

test("bots may start again as their turns grow old; what comes twice counts once", async () => {
  await fromBot("m1");
  await clock.advance(minute);
  for (let n = 2; n <= 6; n++) {
    assert.equal(await fromBot(`m${n}`), "turn");
    assert.equal(await fromBot(`m${n}`), "duplicate");
  }
  await clock.advance(9 * minute - 1);
  assert.match(await fromBot("m7"), tired);
  await clock.advance(1);
  assert.equal(await fromBot("m8"), "turn");
  assert.match(await fromBot("m9"), tired);
});

test("an edit and a deletion are lines of the history that name what they change", async () => {
  const chat = { adapter: "acme", channelId: "C1" };
  const said = { channelId: "C1", isMention: false };
  await say("m1", "B", group, { ...said, text: "at nine" });
  await say("m1:edit:5", "B", group, { ...said, text: "at ten", change: { type: "edit", ref: "m1" } });
  await say("m1:delete", "B", group, { ...said, text: "", change: { type: "delete", ref: "m1" } });
  const shape = ({ id, text, event, ref }: { id: string; text: string; event?: string; ref?: string }) => [
    id,
    text,
    event,
    ref,
  ];
  const expected = [
    ["m1", "at nine", undefined, undefined],
    ["m1:edit:5", "at ten", "edit", "m1"],
    ["m1:delete", "", "delete", "m1"],
  ];
  assert.deepEqual((await store.channels.tail(chat, 9)).map(shape), expected);
  assert.deepEqual((await store.inbox.unseen("s" as SessionKey, chat, 99, 9)).map(shape), expected);
});

const ownSession = { sessionKey: "agent:main:main" as SessionKey, type: "main", agentId: "main" } as const;
const slackSession = { sessionKey: "agent:ops:group:slack:C1" as SessionKey, type: "group", agentId: "ops" } as const;
const apiSession = { sessionKey: "agent:ops:dm:webchat:api" as SessionKey, type: "dm", agentId: "ops" } as const;
const web = (window: Origin["window"]): Origin =>
  originOf("dm", { rules: { admins: ["owner"], dm: ["api"] }, ...(window && { window }) });

test("what is said through a window goes to that session, and stays there over a restart", async () => {
  assert.equal(await say("m1", "owner", web(slackSession)), "turn");
  const route = { ...slackSession, channel: { adapter: "acme", channelId: "D-owner" }, isWindow: true };
  assert.deepEqual(inbound.routeOf(web(slackSession), { channelId: "D-owner", senderId: "owner" }), route);
  await restart();
  const [turn] = await store.turns.list({ limit: 9 });
  assert.deepEqual([turn?.route, turn?.lane], [route, slackSession.sessionKey]);
});

test("a stop through a window ends the session's turns", async () => {
  await say("m1", "owner", web(slackSession));
  await say("m2", "owner", web(slackSession), { text: "stop" });
  const states = (await store.turns.list({ limit: 9 })).map(({ message, state }) => [message.id, state]);
  assert.deepEqual(states, [
    ["m1", "stopped"],
    ["m2", "received"],
  ]);
});

test("only admins speak through a window on what is no direct chat; a stranger through none", async () => {
  for (const window of [ownSession, slackSession]) {
    const id = window.type;
    assert.equal(
      await say(id, "api", web(window)),
      `api may not speak in ${window.sessionKey} through a window; admins may`,
    );
  }
  assert.equal(await say("m1", "api", web(apiSession)), "turn");
  assert.match(await say("m2", "eve", web(apiSession)), /^eve may not write to mom directly/);
  assert.match(await say("m3", "eve", web(ownSession)), /^eve may not speak in/);
  const [turn] = await store.turns.list({ limit: 9 });
  assert.deepEqual([turn?.message.id, turn?.route.agentId], ["m1", "ops"]);
});
