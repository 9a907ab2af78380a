import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import type { PlatformAdapter } from "../../contracts/channel.ts";
import type { SessionType } from "../../contracts/session.ts";
import type { ToolScope } from "../../contracts/tool.ts";
import { buildChannelTools } from "./build-channel-tools.ts";
import { buildSettingsSchema, type Gates } from "./channel-settings.ts";
import { defineChannelTool } from "./channel-tool.ts";

interface Pager extends PlatformAdapter {
  page(chatId: string): string;
}

const gates: Gates = { pages: { label: "pages" }, alarms: { label: "alarms", isOffUnlessSet: true } };
const settingsSchema = buildSettingsSchema("Pager", gates);
const parameters = Type.Object({ chatId: Type.String() });
const tools = ["pages", "alarms"].map((gate) =>
  defineChannelTool<Pager, typeof parameters>({
    name: `pager_${gate}`,
    label: gate,
    description: "Pages.",
    parameters,
    gate,
    chatOf: ({ chatId }) => chatId,
    run: async (adapter, { chatId }) => adapter.page(chatId),
  }),
);
const buildPager = (name: string) => ({ name, page: (chatId: string) => `${name} ${chatId}` }) as Pager;

function open(type: SessionType, settings: object = {}, channelId = "C1") {
  const scope = { session: { type }, channel: { adapter: "a", channelId }, adapterType: "pager" } as ToolScope;
  const accounts = new Map(["a", "b"].map((name) => [name, buildPager(name)]));
  const built = buildChannelTools({
    ...{ tools, label: "Pager", gates, scope, accounts },
    settings: settingsSchema.parse(settings),
  });
  const [pages = assert.fail(), alarms = assert.fail()] = built;
  const call = async (params: object) => {
    const { content } = await pages.tool.execute("c1", params, new AbortController().signal, () => undefined);
    return content[0]?.type === "text" ? content[0].text : "";
  };
  return { pages, alarms, call };
}

test("a gate that nobody set is open, unless it is one that must be opened", () => {
  assert.deepEqual([open("main").pages.closed, open("main").alarms.closed], [undefined, "Pager alarms are disabled"]);
  const { pages, alarms } = open("main", { actions: { pages: false, alarms: true } });
  assert.deepEqual([pages.closed, alarms.closed], ["Pager pages are disabled", undefined]);
});

test("a call goes to the turn's own account, and to another one for the owner alone", async () => {
  assert.equal(await open("main").call({ chatId: "C1" }), "a C1");
  assert.equal(await open("main").call({ chatId: "C9", accountId: "b" }), "b C9");
  await assert.rejects(open("main").call({ chatId: "C1", accountId: "nobody" }), { code: "CHANNEL_ACCOUNT_UNKNOWN" });
  for (const type of ["dm", "group", "topic"] as const) {
    await assert.rejects(open(type).call({ chatId: "C9" }), { code: "MESSAGE_ELSEWHERE_REFUSED" });
    await assert.rejects(open(type).call({ chatId: "C1", accountId: "b" }), { code: "MESSAGE_ELSEWHERE_REFUSED" });
    assert.equal(await open(type).call({ chatId: "C1" }), "a C1");
  }
  assert.equal(await open("topic", {}, "C1/7").call({ chatId: "C1" }), "a C1", "a topic belongs to its chat");
});

test("what orders and approvals are asked about is the chat and the account that are meant", () => {
  const { tool } = open("main").pages;
  assert.deepEqual(tool.recipients?.({ chatId: "C9", accountId: "b" }), ["C9", "b:C9"]);
  assert.deepEqual(
    [{ chatId: "C1" }, { chatId: "C9" }, { chatId: "C1", accountId: "b" }].map((params) => tool.isOutward?.(params)),
    [false, true, true],
  );
});

test("settings that are wrong are refused, and every tool takes an account", () => {
  assert.equal(settingsSchema.safeParse({ actions: { nonsense: true } }).success, false);
  assert.equal(settingsSchema.safeParse({ reactionLevel: "wild" }).success, false);
  assert.equal(settingsSchema.parse({}).reactionLevel, "minimal");
  const { properties } = open("main").pages.tool.parameters as { properties?: Record<string, unknown> };
  assert.deepEqual(Object.keys(properties ?? {}), ["chatId", "accountId"]);
});
