/**
 * Calls of every method for tests: good ones by hand, bad ones made from the schema of its parameters. On a fake house with
 * the session `key` in it; things that a call needs beside it are named as `prepareCalls` makes them.
 */
import type { SessionKey } from "../../src/contracts/ids.ts";
import type { ChannelMessage } from "../../src/contracts/message.ts";
import { type MethodName, methodSpecs, type Params } from "../../src/gateway/protocol/index.ts";
import type { GatewayDesk } from "./gateway-desk.ts";
import type { FakeGatewayHouse } from "./gateway-house.ts";

export type GoodCalls = { [Name in MethodName]: Params<Name> };

const key = "key-of-a-test";

/** Makes what the good calls speak of: a session, an approval, a code, devices, a turn that is over, jobs, a note. */
export async function prepareCalls({ fake, devices, connections }: GatewayDesk): Promise<GoodCalls> {
  const device = { deviceId: "d1", name: "phone", platform: "ios", role: "node", scopes: [] } as const;
  devices.known.push({ ...device, scopes: [], approvedAt: 1, approvedBy: "token", isConnected: true });
  connections.offered.set("d1", ["camera.snap"]);
  for (const requestId of ["q1", "q2"]) {
    const request = { requestId, ...device, address: "127.0.0.1", createdAt: 1, expiresAt: 2 };
    devices.asking.push({ ...request, deviceId: `device of ${requestId}`, role: "operator", scopes: ["read"] });
  }
  return prepareHouse(fake);
}

/** The same without the devices: nobody is `d1`, and nobody asks as `q1` or `q2`. */
export async function prepareHouse(fake: FakeGatewayHouse): Promise<GoodCalls> {
  const sessionKey = await fake.openGroup("C1");
  fake.script = (turn) => turn.end("a reply");
  const said = await fake.turns.accept(
    { messageId: "m1", text: "hello", attachments: [] },
    {
      route: { sessionKey, type: "group", agentId: "main", channel: { adapter: "slack", channelId: "C1" } },
      channelId: "w1",
      senderId: "owner",
    },
  );
  if (said.type !== "accepted") throw new Error("the turn was not taken");
  await fake.turns.whenOver(said.turnId);
  await fake.requestApproval("ap1");
  const code = await offerPairing(fake.store);
  await prepareRooms(fake);
  return buildGoodCalls({ sessionKey, turnId: said.turnId, code });
}

/** Two jobs, a subagent and a note. */
async function prepareRooms({ automation: { rooms, notes } }: FakeGatewayHouse): Promise<void> {
  for (const name of ["stays", "goes"]) {
    const payload = { kind: "agentTurn", message: "look", channel: "last", deliver: true } as const;
    await rooms.cron.add({ name, schedule: { kind: "cron", expr: "0 9 * * 1-5", tz: "UTC" }, payload });
    await rooms.cron.run("job-1", "force");
  }
  notes.set("MEMORY.md", "one\ntwo\nthree");
  await rooms.subagents.spawn(
    { sessionKey: "agent:main:main" as SessionKey, deviceName: "laptop", isAdmin: true },
    { task: "look", callId: "run1" },
  );
}

function buildGoodCalls({
  sessionKey,
  turnId,
  code,
}: {
  sessionKey: SessionKey;
  turnId: string;
  code: string;
}): GoodCalls {
  return {
    health: {},
    status: {},
    "system-presence": {},
    "gateway.schema": {},
    "events.subscribe": { sessions: [sessionKey], after: "life-1" },
    "agents.list": {},
    "agents.identity": { agentId: "helper" },
    agent: { message: "hello", agentId: "main", name: "mine", idempotencyKey: key },
    "agent.wait": { turnId, timeoutMs: 1000 },
    "chat.send": { sessionKey, message: "hello", idempotencyKey: key },
    "chat.inject": { sessionKey, message: "hello", idempotencyKey: key },
    "chat.abort": { sessionKey },
    "chat.history": { sessionKey, limit: 10 },
    "chat.commands": { agentId: "main" },
    "files.upload": { sessionKey, filename: "a.txt", size: 3, mimeType: "text/plain" },
    "files.open": { path: "notes.md" },
    "sessions.list": { search: "slack", limit: 5 },
    "sessions.history": { sessionKey, limit: 5 },
    "sessions.send": { sessionKey, message: "hello", idempotencyKey: key },
    "sessions.patch": { sessionKey, label: "Team", model: "big", thinkingLevel: "low", queueMode: null, isQuiet: true },
    "sessions.reset": { sessionKey, idempotencyKey: key },
    "sessions.compact": { sessionKey, instructions: "keep names", idempotencyKey: key },
    "sessions.usage": { by: "day", since: "2026-01-01" },
    "approvals.list": { all: true, limit: 5 },
    "approvals.resolve": { id: "ap1", verdict: "once" },
    "pairing.list": {},
    "pairing.approve": { code, adapter: "slack" },
    "pairing.revoke": { adapter: "slack", senderId: "U9" },
    "device-pair.list": {},
    "device-pair.approve": { requestId: "q1", scopes: ["read"] },
    "device-pair.reject": { requestId: "q2" },
    "nodes.list": {},
    "nodes.invoke": {
      deviceId: "d1",
      command: "camera.snap",
      args: { front: true },
      timeoutMs: 500,
      idempotencyKey: key,
    },
    "node.result": { invokeId: "i1", result: 1 },
    "device-pair.revoke": { deviceId: "d1" },
    "device-pair.code": { role: "operator", scopes: ["read"] },
    "channels.status": {},
    "channels.logout": { name: "slack", idempotencyKey: key },
    "channels.types": {},
    "channels.login": { type: "slack", name: "slack-acme", fields: { token: "xoxb-1" }, idempotencyKey: key },
    "models.list": {},
    "models.add-key": { provider: "mom", key: "secret-key", idempotencyKey: key },
    "skills.status": { agentId: "main" },
    "tools.list": { sessionKey },
    "config.get": { path: "queue" },
    "config.schema": {},
    "config.set": { path: "queue.mode", value: "steer", hash: "h1", idempotencyKey: key },
    "config.patch": { changes: [{ path: "a", value: 1 }, { path: "b" }], dryRun: false, idempotencyKey: key },
    "config.apply": {},
    "cron.status": {},
    "cron.list": { includeDisabled: true, limit: 10 },
    "cron.preview": { when: "every weekday at 9:00", tz: "Europe/Berlin", times: 3 },
    "cron.add": {
      name: "news",
      description: "d",
      agentId: "main",
      enabled: true,
      deleteAfterRun: false,
      schedule: { kind: "every", everyMs: 60_000, anchorMs: 1 },
      payload: { kind: "systemEvent", text: "hello" },
      sessionTarget: "main",
      wakeMode: "next-heartbeat",
      isolation: { postToMainMode: "summary" },
      idempotencyKey: key,
    },
    "cron.update": { id: "job-1", patch: { name: "other", enabled: false }, idempotencyKey: key },
    "cron.run": { id: "job-1", mode: "force", idempotencyKey: key },
    "cron.runs": { id: "job-1", limit: 5 },
    "cron.remove": { id: "job-2", idempotencyKey: key },
    "cron.wake": { mode: "now", text: "hello", agentId: "main", idempotencyKey: key },
    "heartbeat.status": {},
    "heartbeat.beat": { agentId: "main", idempotencyKey: key },
    "sessions.spawn": {
      task: "look",
      agentId: "main",
      model: "big",
      thinking: "low",
      runTimeoutSeconds: 60,
      cleanup: "keep",
      label: "a look",
      idempotencyKey: key,
    },
    "subagents.list": { requester: "agent:main:main", limit: 5 },
    "subagents.stop": { runId: "run1" },
    "memory.search": { query: "two", agentId: "main", maxResults: 5, minScore: 0.1, mode: "fused" },
    "memory.get": { path: "MEMORY.md", agentId: "main", from: 1, to: 2 },
    "memory.status": { agentId: "main" },
    "memory.index": { agentId: "main", force: true, idempotencyKey: key },
    "logs.tail": { limit: 5, level: "info", search: "x" },
    "doctor.run": { offline: true },
    "setup.status": {},
    "setup.finish": { idempotencyKey: key },
    // Last: afterwards there is nothing to speak of.
    "sessions.delete": { sessionKey, idempotencyKey: key },
  };
}

/** Somebody unknown writes and is given a code. */
async function offerPairing(store: GatewayDesk["fake"]["store"]): Promise<string> {
  const message: ChannelMessage = {
    id: "p1",
    channelId: "D9",
    timestamp: "2026-01-01T00:00:00.000Z",
    sender: { id: "U9", username: "nine", isBot: false },
    text: "hello",
    attachments: [],
    isMention: true,
  };
  const pairing = { toText: (code: string) => code };
  await store.inbox.accept({ adapter: "slack", message, verdict: { type: "refused", reason: "unknown", pairing } });
  const code = (await store.pairings.list())[0]?.code;
  if (code === undefined) throw new Error("no code was given");
  return code;
}

export interface BadCall {
  what: string;
  params: Record<string, unknown>;
}

/** Each required key missing, each key of a wrong type, and one that nobody knows. */
export function listBadCalls(method: MethodName, good: Record<string, unknown>): BadCall[] {
  const { properties, required = [] } = methodSpecs[method].params as {
    properties: Record<string, object>;
    required?: string[];
  };
  const missing = required.map((name) => {
    const { [name]: _, ...params } = good;
    return { what: `without ${name}`, params };
  });
  // Any JSON is right where the schema says nothing.
  const typed = Object.entries(properties).filter(([, schema]) =>
    Object.keys(schema).some((word) => !word.startsWith("~")),
  );
  const wrong = typed.map(([name]) => ({
    what: `with a wrong ${name}`,
    params: { ...good, [name]: [{ no: "such" }, 7] },
  }));
  return [...missing, ...wrong, { what: "with a key that nobody knows", params: { ...good, "no-such-key": 1 } }];
}
