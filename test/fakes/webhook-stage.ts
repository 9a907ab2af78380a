/** A store, the owner's chat, and the gateway's `/hooks/` done by hand: for tests of requests that come in. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { hooksConfig } from "../../src/automation/hooks/config.ts";
import { createWebhooks } from "../../src/automation/hooks/webhooks.ts";
import type { Principal } from "../../src/contracts/errand.ts";
import type { ErrandPorts } from "../../src/contracts/errand-ports.ts";
import type { Webhooks } from "../../src/contracts/gateway.ts";
import type { SessionKey } from "../../src/contracts/ids.ts";
import type { KeyValue, Letter } from "../../src/contracts/store.ts";
import { buildErrandLetter } from "../../src/sessions/index.ts";
import { buildLayout, openStore } from "../../src/store/index.ts";
import { createFakeClock } from "./clock.ts";
import { createRecordingLog, silentLog } from "./log.ts";
import { createTempFolder } from "./temp-folder.ts";

export const token = "a-token-that-nobody-guesses";
export const secret = "shared-with-the-sender";
export const bearer = { authorization: `Bearer ${token}` };
type Hook = Parameters<Webhooks["open"]>[1];
export interface Answer {
  status: number;
  ok?: boolean;
  code?: string;
  message?: string;
  duplicate?: boolean;
}

export async function openWebhookStage(context: TestContext, config: Record<string, unknown> = { token }) {
  const { dir } = await createTempFolder(context);
  const clock = createFakeClock();
  const log = createRecordingLog();
  const store = await openStore({
    layout: buildLayout(dir),
    clock,
    log: silentLog,
    role: "owner",
    routesOf: () => [],
  });
  context.after(() => store.close());
  const owner = { isThere: true, channelId: "D1" };
  const ports = buildOwnerPorts(owner, clock);
  const hooks = new Map<string, Hook>();
  const webhooks: Webhooks = {
    open(name, hook) {
      assert.ok(!hooks.has(name), `${name} is open already`);
      hooks.set(name, hook);
      return () => void hooks.delete(name);
    },
  };
  const begin = (kv: KeyValue = store.kv, more: Partial<Parameters<typeof createWebhooks>[0]> = {}) => {
    const incoming = createWebhooks({
      webhooks,
      kv,
      clock,
      log,
      ports,
      accept: (letter) => store.inbox.accept(letter),
      agentIds: () => ["main", "ops"],
      models: { isKnown: async (name) => name === "lab/m1" },
      ...more,
    });
    incoming.apply(hooksConfig.parse(config));
    return incoming;
  };
  const post = async (name: string, headers: Record<string, string>, body: unknown): Promise<Answer> => {
    const hook = hooks.get(name);
    if (!hook) return { status: 404 };
    if (!hook.isAllowed(headers)) return { status: 403 };
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const { status, body: text = "" } = await hook.handle({ path: `/hooks/${name}`, headers, body: bytes });
    return { status, ...JSON.parse(text) };
  };
  const turns = async () => (await store.turns.list({ limit: 100 })).toSorted((a, b) => a.seq - b.seq);
  return { store, clock, log, owner, hooks, begin, post, turns };
}

export function buildOwnerPorts(
  owner: { isThere: boolean; channelId: string },
  clock: { now(): number },
): Pick<ErrandPorts, "toChatLetter" | "toErrandLetter" | "ownerOf" | "principalOf"> {
  const toPrincipal = (channelId: string, agentId: string): Principal => ({
    channel: { adapter: "slack", channelId },
    sender: { id: "U1", username: "ann" },
    sessionKey: `agent:${agentId}:main` as SessionKey,
    sessionType: "main",
    agentId,
  });
  return {
    toErrandLetter: (errand, parts) => buildErrandLetter(errand, parts, clock.now()),
    async toChatLetter({ channel, sender }, { id, text, outside, isHeard }) {
      const sessionKey = "agent:main:main" as SessionKey;
      const route = { sessionKey, type: "main" as const, agentId: "main", channel };
      const verdict: Letter["verdict"] = isHeard
        ? { type: "heard" }
        : { type: "turn", kind: "agent", lane: sessionKey, route };
      const message: Letter["message"] = {
        id,
        channelId: channel.channelId,
        timestamp: new Date(clock.now()).toISOString(),
        sender: { ...sender, isBot: false },
        text,
        attachments: [],
        isMention: true,
        ...(outside !== undefined && { metadata: { outside } }),
      };
      return { adapter: channel.adapter, message, verdict };
    },
    ownerOf: async (agentId) => (owner.isThere ? toPrincipal(owner.channelId, agentId) : undefined),
    principalOf: async ({ channel }) => toPrincipal(channel.channelId, "main"),
  };
}
