import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChannelMessage } from "../contracts/message.ts";
import { admit } from "./admit.ts";

const from = (id: string, more: Partial<ChannelMessage> = {}): ChannelMessage => ({
  id: "m",
  channelId: "c",
  timestamp: "",
  sender: { id, username: "owner", isBot: false },
  text: "hi",
  attachments: [],
  isMention: true,
  ...more,
});

test("who may talk: a table", () => {
  const closed = { admins: ["A"], dm: "none" } as const;
  const cases = [
    [from("A"), "dm", closed, "admitted"],
    [from("B"), "dm", closed, "refused"],
    [from("B"), "dm", { ...closed, dm: ["B"] }, "admitted"],
    [from("B"), "dm", { ...closed, dm: ["C"] }, "refused"],
    [from("B"), "dm", { ...closed, dm: "everyone" }, "admitted"],
    // A name is not an id: calling oneself like the owner opens nothing.
    [from("B", { sender: { id: "B", username: "A", isBot: false } }), "dm", closed, "refused"],
    [from("B"), "group", closed, "admitted"],
    [from("B", { isMention: false }), "group", closed, "heard"],
    [from("A", { sender: { id: "A", username: "A", isBot: true } }), "dm", closed, "heard"],
  ] as const;
  for (const [message, chat, rules, expected] of cases) {
    assert.equal(admit(message, chat, rules).type, expected, JSON.stringify([message.sender, chat, rules]));
  }
});

test("only an admin by id is an admin", () => {
  assert.deepEqual(admit(from("A"), "group", { admins: ["A"], dm: "none" }), { type: "admitted", isAdmin: true });
  assert.deepEqual(admit(from("a"), "group", { admins: ["A"], dm: "none" }), { type: "admitted", isAdmin: false });
});
