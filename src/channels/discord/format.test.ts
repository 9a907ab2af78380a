/** Discord's small texts, by themselves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toEmoji } from "./act.ts";
import { findCalled, fromButton, isId, isNewer, timeOfId, toButtons, toId, toNonce, toReadable } from "./format.ts";

const bob = { id: "22", username: "bob" };
const directory = {
  user: (id: string) => (id === "22" ? bob : undefined),
  channel: (id: string) => (id === "33" ? { id, name: "general", type: "channel" as const } : undefined),
};
const mom = { id: "11", username: "mom", isOwnRole: (id: string) => id === "44" };

test("what people write becomes readable, and mom's own name goes only from the start", () => {
  for (const [content, text] of [
    ["<@11> hi", "hi"],
    ["<@!11>, hi", "hi"],
    ["<@&44>: hi", "hi"],
    ["hi <@11>", "hi @mom"],
    ["hi <@&44> and <@&55>", "hi @mom and <@&55>"],
    ["<@22> <@99> <#33> <#99>", "@bob <@99> #general <#99>"],
    ["`<@22>` <a:wave:123>", "`<@22>` :wave:"],
    ["```\n<@22>\n```", "```\n<@22>\n```"],
    ["<@11>", ""],
    ["a < b > c <@x>", "a < b > c <@x>"],
  ]) {
    assert.equal(toReadable(content ?? "", mom, directory), text);
  }
});

test("ids keep their order and their time, whatever their length", () => {
  assert.equal(timeOfId(toId(1_700_000_000_123)), 1_700_000_000_123);
  assert.ok(isNewer(toId(1_700_000_000_001), toId(1_700_000_000_000)));
  assert.ok(isNewer("1000", "999"));
  assert.ok(!isNewer("999", "1000"));
  assert.ok(!isNewer("5", "5"));
  assert.ok(isId("1456074443980800777"));
  for (const wrong of ["", "1/2", "@me", "1 ", "1".repeat(21)]) assert.ok(!isId(wrong), wrong);
});

test("a nonce is stable, short and different for every delivery", () => {
  assert.equal(toNonce("t1.0"), toNonce("t1.0"));
  assert.notEqual(toNonce("t1.0"), toNonce("t1.1"));
  assert.ok(toNonce("t".repeat(500)).length <= 25);
});

test("only mentions outside code are called, each once", () => {
  assert.deepEqual(findCalled("<@22> and <@22>, \\<@33>, <@&44>, <@x>, `<@55>`"), ["22"]);
  assert.equal(findCalled(Array.from({ length: 150 }, (_, n) => `<@${n}>`).join("")).length, 100);
});

test("buttons come in rows of five, carry their words, and know their own", () => {
  const seven = Array.from({ length: 7 }, (_, n) => ({ label: `b${n}`, says: `say ${n}` }));
  assert.deepEqual(
    toButtons(seven)?.map(({ components }) => components.length),
    [5, 2],
  );
  assert.equal(toButtons([]), undefined);
  assert.equal(toButtons([{ label: "x", says: "y".repeat(100) }]), undefined);
  const [row] = toButtons([{ label: "x", says: "/approve a once" }]) ?? [];
  assert.equal(fromButton(row?.components[0]?.custom_id ?? ""), "/approve a once");
  assert.equal(fromButton("other"), undefined);
});

test("an emoji may be a character, a name, or a server's own", () => {
  for (const [written, emoji] of [
    ["👍", "👍"],
    [":tada:", "🎉"],
    ["eyes", "👀"],
    ["<:party:123>", "party:123"],
    ["<a:party:123>", "party:123"],
    ["party:123", "party:123"],
  ]) {
    assert.equal(toEmoji(written ?? ""), emoji);
  }
});
