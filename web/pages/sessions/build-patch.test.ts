import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionSummary } from "../../../src/gateway/protocol/index.ts";
import { buildPatch, toForm } from "./build-patch.ts";

const session: SessionSummary = {
  sessionKey: "agent:main:main",
  sessionId: "s1",
  type: "main",
  agentId: "main",
  label: "Home",
  chosenModel: "opus",
  thinkingLevel: "low",
  channel: { adapter: "webchat", channelId: "main" },
  lastChannel: { adapter: "webchat", channelId: "main" },
  createdAt: 1,
  updatedAt: 1,
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  cost: 0,
  isRunning: false,
};
const form = toForm(session);

test("a form that was not touched changes nothing", () => {
  assert.equal(buildPatch(session, { ...form, label: " Home " }), undefined);
});

test("only what has changed is sent", () => {
  assert.deepEqual(buildPatch(session, { ...form, queueMode: "collect", isQuiet: true }), {
    sessionKey: "agent:main:main",
    queueMode: "collect",
    isQuiet: true,
  });
});

test("an emptied field goes back to the default", () => {
  assert.deepEqual(buildPatch(session, { ...form, label: "", model: " ", thinkingLevel: "" }), {
    sessionKey: "agent:main:main",
    label: null,
    model: null,
    thinkingLevel: null,
  });
});
