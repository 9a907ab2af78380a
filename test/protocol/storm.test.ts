/** Many clients at once: the gateway begins anew, the line drops, one of them does not read. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Gateway } from "../../src/contracts/gateway.ts";
import type { SessionKey, TurnId } from "../../src/contracts/ids.ts";
import { createGatewayClient } from "../../src/gateway/client/index.ts";
import { createGateway } from "../../src/gateway/create-gateway.ts";
import { createInside } from "../../src/gateway/create-inside.ts";
import { gatewayConfig } from "../../src/gateway/index.ts";
import type { EventFrame } from "../../src/gateway/protocol/index.ts";
import { createFakeClock, type FakeClock } from "../fakes/clock.ts";
import { createGatewayRig, type GatewayRig, stopNow } from "../fakes/gateway-rig.ts";
import { createRandom } from "../fakes/random-history.ts";

const count = 200;
const limit = { timeout: 60_000 };
const keyOf = (n: number) => `agent:main:group:slack:S${n}` as SessionKey;

const until = async (isTrue: () => boolean, what: string) => {
  const end = performance.now() + 20_000;
  while (!isTrue()) {
    assert.ok(performance.now() < end, what);
    await new Promise((resolve) => setImmediate(resolve));
  }
};

interface Member {
  client: ReturnType<typeof createGatewayClient>;
  events: EventFrame[];
  gaps: number;
  problems: string[];
  drop(): void;
  isOpen(): boolean;
}

/** Follows the session of its number, on a clock of the clients' own. */
function join(t: TestContext, rig: GatewayRig, clock: FakeClock, n: number): Member {
  const random = createRandom(n);
  let socket: WebSocket | undefined;
  const Recorded = class extends WebSocket {
    constructor(url: string | URL) {
      super(url);
      socket = this;
    }
  };
  const member: Member = {
    client: createGatewayClient({
      url: `ws://127.0.0.1:${rig.port}/ws`,
      hello: {
        client: { id: `c${n}`, version: "1", platform: "node", mode: "app" },
        getAuth: async () => ({ token: rig.token }),
      },
      WebSocket: Recorded,
      onState: () => undefined,
      onEvent: (frame) => void member.events.push(frame),
      onGap: () => {
        member.gaps += 1;
      },
      onProblem: (problem) => void member.problems.push(problem),
      clock,
      random: random.next,
    }),
    events: [],
    gaps: 0,
    problems: [],
    drop: () => socket?.close(),
    isOpen: () => member.client.state.type === "open",
  };
  t.after(() => member.client.stop());
  member.client.follow([keyOf(n)]);
  member.client.start();
  return member;
}

/** Moves the clients' time on until all are in. Gives how much of it went by. */
async function gather(members: Member[], clock: FakeClock): Promise<number> {
  const began = clock.now();
  const isSettled = () => members.every(({ client }) => client.state.type !== "connecting");
  for (;;) {
    await until(isSettled, "somebody neither gets in nor gives up");
    if (members.every(({ isOpen }) => isOpen())) break;
    assert.ok(clock.now() - began < 60_000, "they do not come back");
    await clock.advance(50);
  }
  // Answered behind what was asked for at the hello: now all are followers again.
  await Promise.all(members.map(({ client }) => client.call("health", {})));
  return clock.now() - began;
}

function say(gateway: Gateway, n: number, text: string): void {
  const message = {
    id: `${text}-${n}`,
    channelId: `S${n}`,
    timestamp: "2026-01-01T00:00:00.000Z",
    sender: { id: "U1", username: "ann", isBot: false },
    text: `${text} ${n}`,
    attachments: [],
    isMention: true,
  };
  gateway.watch.said({ adapter: "slack", channelId: `S${n}` }, message, {
    turnId: `t${n}` as TurnId,
    sessionKey: keyOf(n),
  });
}
const sayAll = (gateway: Gateway, text: string) => {
  for (let n = 0; n < count; n++) say(gateway, n, text);
};
const heard = ({ events }: Member) =>
  events.flatMap(({ event, payload }) =>
    event === "chat.message" ? [(payload as { item: { text: string } }).item.text] : [],
  );
const expectHeard = async (members: Member[], texts: string[]) => {
  await until(() => members.every((member) => heard(member).length >= texts.length), `not all heard ${texts.at(-1)}`);
  // What came twice would be there by now.
  await Promise.all(members.map(({ client }) => client.call("health", {})));
  for (const [n, member] of members.entries()) {
    assert.deepEqual(
      heard(member),
      texts.map((text) => `${text} ${n}`),
    );
    assert.deepEqual(member.problems, []);
  }
};

test(`${count} clients are back after the gateway began anew, and after the line dropped`, limit, async (t) => {
  const rig = await createGatewayRig(t);
  const clock = createFakeClock();
  const members = Array.from({ length: count }, (_, n) => join(t, rig, clock, n));
  await gather(members, clock);
  sayAll(rig.gateway, "before");
  await expectHeard(members, ["before"]);

  await stopNow(rig.gateway, rig.clock);
  await until(() => members.every(({ client }) => client.state.type === "waiting"), "not all know that it is gone");
  const waits = members.map(({ client }) => (client.state.type === "waiting" ? client.state.retryAt - clock.now() : 0));
  assert.ok(Math.min(...waits) >= 200 && Math.max(...waits) <= 1_000, "the first wait is up to a second");
  assert.ok(new Set(waits).size > count / 4, "they do not come all at once");
  const next = createGateway(
    {
      loadInside: async () => createInside,
      house: rig.house.house,
      clock: rig.clock,
      log: rig.log,
      stateDir: rig.stateDir,
      uiDir: undefined,
    },
    gatewayConfig.parse({ port: rig.port }),
  );
  t.after(() => stopNow(next, rig.clock));
  await next.start();
  const tookMs = await gather(members, clock);
  assert.ok(tookMs <= 3_000, `${tookMs} ms of back-off`);
  assert.equal(next.stats().clients, count);
  // Of the life before nothing is known: each is told once to load anew.
  assert.ok(members.every(({ gaps }) => gaps === 1));
  sayAll(next, "after");
  await expectHeard(members, ["before", "after"]);

  for (const { drop } of members) drop();
  await until(() => members.every(({ client }) => client.state.type === "waiting"), "not all know that it was dropped");
  sayAll(next, "meanwhile");
  const backMs = await gather(members, clock);
  assert.ok(backMs <= 6_000, `${backMs} ms of back-off`);
  sayAll(next, "at last");
  await expectHeard(members, ["before", "after", "meanwhile", "at last"]);
  assert.ok(members.every(({ gaps }) => gaps === 1));
  t.diagnostic(`back after ${tookMs} ms and ${backMs} ms of the clients' time`);
});

test("one that does not read is hung up on, and the others wait for nothing", limit, async (t) => {
  const rig = await createGatewayRig(t);
  const clock = createFakeClock();
  const members = Array.from({ length: 20 }, (_, n) => join(t, rig, clock, n));
  await gather(members, clock);
  const [first, ...others] = members;
  assert.ok(first);
  const slow = await rig.enter();
  await slow.call("events.subscribe", { sessions: [keyOf(0)] });
  slow.socket.pause();
  const turn = { id: "t0" as TurnId, route: { sessionKey: keyOf(0) } } as Parameters<Gateway["watch"]["turnEvent"]>[0];
  const delta = "x".repeat(256 * 1024);
  let told = 0;
  let worstMs = 0;
  while (rig.gateway.stats().dropped === 0) {
    assert.ok(told < 400, "it is told more and more");
    rig.gateway.watch.turnEvent(turn, { type: "text_delta", delta });
    told++;
    const began = performance.now();
    // Everybody else has heard it, and is answered, while it waits for the slow one.
    await until(() => first.events.length >= told, "an event is late");
    await Promise.all(others.map(({ client }) => client.call("health", {})));
    worstMs = Math.max(worstMs, performance.now() - began);
  }
  assert.ok(told > 4 * 4, "four megabytes may wait");
  assert.ok(worstMs < 1_000, `${worstMs} ms`);
  assert.ok(members.every(({ isOpen, problems }) => isOpen() && problems.length === 0));
  slow.socket.resume();
  assert.equal((await slow.closed).code, 4008);
  t.diagnostic(`${told} events of 256 KiB; the others waited ${worstMs.toFixed(1)} ms at most`);
});
