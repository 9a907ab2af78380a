/** What mom does in a chat beside posting: the channel tools and `act`, which share one handler. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openStage } from "../../../test/fakes/telegram/rig.ts";
import type { DeliveryId } from "../../contracts/ids.ts";
import { telegramGates } from "./config.ts";
import { telegramTools } from "./tools.ts";

async function open(context: TestContext) {
  const stage = await openStage(context);
  await stage.adapter.start();
  const { chats, people } = stage.platform;
  const run = (name: string, params: Record<string, unknown>) => {
    const tool = telegramTools.find((one) => one.name === name) ?? assert.fail(`no tool ${name}`);
    return tool.run(stage.adapter, params as never);
  };
  const act = (channelId: string, action: Parameters<typeof stage.adapter.act>[1]["action"]) =>
    stage.adapter.act(channelId, { deliveryId: "a.1" as DeliveryId, action });
  const said = stage.platform.say({ channelId: chats.group, userId: people.owner, text: "hello" });
  await stage.next();
  return { ...stage, chats, people, run, act, said };
}

test("there are six tools, each behind a gate of the config, about the chat that they name", () => {
  assert.deepEqual(
    telegramTools.map(({ name, gate }) => [name, gate]),
    [
      ["telegram_send_poll", "polls"],
      ["telegram_pin_message", "pinning"],
      ["telegram_edit_message", "editing"],
      ["telegram_delete_message", "deletion"],
      ["telegram_react", "reactions"],
      ["telegram_send_sticker", "stickers"],
    ],
  );
  assert.ok(telegramTools.every(({ gate }) => telegramGates[gate] !== undefined));
  assert.ok(telegramTools.every(({ chatOf }) => chatOf({ chatId: "-1" } as never) === "-1"));
  assert.ok(telegramTools.every((tool) => JSON.stringify([tool.name, tool.description, tool.parameters]).length < 600));
});

test("polls, pins and reactions", async (context) => {
  const { platform, run, said, chats } = await open(context);
  const poll = {
    chatId: chats.group,
    question: "Tea?",
    options: ["yes", "no"],
    isAnonymous: false,
    allowMultipleAnswers: true,
  };
  const told = await run("telegram_send_poll", poll);
  const id = /message (\d+)/.exec(told)?.[1] ?? assert.fail(told);
  assert.deepEqual(platform.message(chats.group, id).content["poll"], {
    question: "Tea?",
    options: [{ text: "yes" }, { text: "no" }],
    is_anonymous: false,
    allows_multiple_answers: true,
  });
  await run("telegram_pin_message", { chatId: chats.group, messageId: said });
  assert.equal(platform.message(chats.group, said).isPinned, true);
  await run("telegram_react", { chatId: chats.group, messageId: said, emoji: "❤️" });
  assert.deepEqual(platform.message(chats.group, said).reactions, ["❤"]);
  await run("telegram_react", { chatId: chats.group, messageId: said, emoji: "❤️", remove: true });
  assert.deepEqual(platform.message(chats.group, said).reactions, []);
});

test("edits and deletions", async (context) => {
  const { platform, adapter, run, chats } = await open(context);
  const sent = await adapter.sendMessage(chats.group, { deliveryId: "d.1" as DeliveryId, text: "old" });
  assert.ok(sent.type === "sent");
  const where = { chatId: chats.group, messageId: sent.messageId };
  await run("telegram_edit_message", { ...where, text: "**new**" });
  assert.equal(platform.message(chats.group, sent.messageId).text, "new");
  await assert.rejects(run("telegram_edit_message", { ...where, text: "x ".repeat(4_000) }), {
    code: "CHANNEL_ACTION_FAILED",
    message: /too long for one message/,
  });
  await run("telegram_delete_message", where);
  assert.equal(platform.message(chats.group, sent.messageId).isDeleted, true);
});

test("stickers are those of sets that were seen, also by an earlier life", async (context) => {
  const { platform, run, next, chats, people, memory, clock } = await open(context);
  const [cat] = platform.addStickerSet("HappyCats", "Happy cats", ["😺", "❤️"]);
  await assert.rejects(run("telegram_send_sticker", { chatId: chats.group, query: "😺" }), {
    code: "CHANNEL_ACTION_FAILED",
    message: /No sticker fits/,
  });
  platform.sayWith({ channelId: chats.owner, userId: people.owner, text: "" }, { sticker: cat });
  await next();
  await run("telegram_send_sticker", { chatId: chats.group, query: "❤" });
  assert.equal(platform.posts(chats.group).at(-1)?.text, "❤️");

  const later = await openStage(context, { platform, memory, clock });
  await later.adapter.start();
  assert.equal((await later.adapter.actions.sendSticker(chats.other, "happy")).type, "sent");
  assert.equal(platform.posts(chats.other).at(-1)?.text, "😺");
});

test("what Telegram has not got is refused with a reason", async (context) => {
  const { platform, act, run, said, chats } = await open(context);
  const reasonOf = async (result: ReturnType<typeof act>) => {
    const { type, ...rest } = await result;
    return type === "rejected" && "reason" in rest ? rest.reason : type;
  };
  assert.match(
    await reasonOf(act(chats.group, { type: "react", messageId: said, emoji: "🦆" })),
    /takes only these: 👍/,
  );
  assert.match(await reasonOf(act(chats.group, { type: "poll", question: "?", options: ["one"] })), /2 to 12 options/);
  assert.match(
    await reasonOf(act(chats.group, { type: "poll", question: "x".repeat(301), options: ["a", "b"] })),
    /300/,
  );
  assert.match(
    await reasonOf(act(chats.group, { type: "thread", name: "x", text: "y" })),
    /Topics are not switched on/,
  );
  assert.match(await reasonOf(act(chats.group, { type: "pin", messageId: "999" })), /message to pin not found/);
  assert.match(await reasonOf(act(chats.group, { type: "pin", messageId: "x" })), /ids are numbers/);
  platform.fail({ type: "cut", method: "pinChatMessage" });
  await assert.rejects(run("telegram_pin_message", { chatId: chats.group, messageId: said }), /Nobody knows/);
});

test("the same reaction or pin twice is once; a pin can be taken back", async (context) => {
  const { platform, act, said, chats } = await open(context);
  for (let n = 0; n < 2; n++) {
    assert.equal((await act(chats.group, { type: "react", messageId: said, emoji: "👍" })).type, "sent");
    assert.equal((await act(chats.group, { type: "pin", messageId: said })).type, "sent");
  }
  assert.deepEqual(platform.message(chats.group, said).reactions, ["👍"]);
  assert.equal((await act(chats.group, { type: "pin", messageId: said, remove: true })).type, "sent");
  assert.equal(platform.message(chats.group, said).isPinned, false);
});

test("a topic whose text is refused is said to be there, so that it is not begun twice", async (context) => {
  const { platform, act } = await open(context);
  platform.fail({ type: "status", method: "sendRichMessage", status: 403 });
  const result = await act(platform.places.forum, { type: "thread", name: "Ideas", text: "first" });
  assert.ok(result.type === "rejected");
  assert.match(result.reason, /The topic .* was made/);
});
