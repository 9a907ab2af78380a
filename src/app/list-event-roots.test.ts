/** In whose name event files run: decided here, whatever the files say and whoever has written them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogLine } from "../contracts/message.ts";
import { buildLayout } from "../store/index.ts";
import { listEventRoots } from "./list-event-roots.ts";

type Deps = Parameters<typeof listEventRoots>[0];

/** `admin`: U1. */
function open(chat: "dm" | "group" | "channel" | "unknown", log: LogLine[]) {
  const home = { adapter: "fake", channelId: "C1" };
  const [owners, own] = listEventRoots({
    layout: buildLayout("/data"),
    store: {
      channels: { tail: async (_channel: unknown, limit: number) => log.slice(-limit) },
    } as unknown as Deps["store"],
    // Of the adapters only these two are asked.
    adapters: { originOf: () => ({ chat }), adminsOf: () => ["U1"] } as unknown as Deps["adapters"],
    agents: [{ id: "main", workspaceDir: "/data/workspace" }],
    chats: [home],
  });
  return {
    ofChat: async () => (await own?.askerOf(home))?.id,
    ofOwner: async () => (await owners?.askerOf(home))?.id,
  };
}

const said = (id: string, more: Partial<LogLine> = {}): LogLine => ({
  id: "m",
  ts: "2026-01-15T12:00:00Z",
  sender: { id, username: id, isBot: id === "mom" },
  text: "hi",
  attachments: [],
  ...more,
});
const talk = (count: number) => Array.from({ length: count }, () => [said("U1"), said("mom")]).flat();

test("a file of a group's is never an admin's, however long the others have been silent", async () => {
  for (const chat of ["group", "channel", "unknown"] as const) {
    assert.equal(await open(chat, [said("U7"), said("U8"), ...talk(51)]).ofChat(), "U8", chat);
    assert.equal(await open(chat, [said("U7"), ...talk(1000)]).ofChat(), undefined, chat);
    assert.equal(await open(chat, [said("U1"), said("U9", { refused: "not paired" })]).ofChat(), undefined, chat);
  }
});

test("a file of a direct chat is its person's, who may be an admin", async () => {
  assert.equal(await open("dm", talk(3)).ofChat(), "U1");
  assert.equal(await open("dm", [said("U7"), said("mom")]).ofChat(), "U7");
  assert.equal(await open("dm", [said("U7"), said("U1"), said("mom")]).ofChat(), "U7");
  assert.equal(await open("dm", [said("mom")]).ofChat(), undefined);
});

test("a file of the owner's is an admin's, but in somebody's direct chat theirs", async () => {
  assert.equal(await open("group", [said("U1"), said("U7")]).ofOwner(), "U1");
  assert.equal(await open("group", []).ofOwner(), "U1");
  assert.equal(await open("dm", [said("U7"), said("mom")]).ofOwner(), "U7");
  assert.equal(await open("dm", []).ofOwner(), undefined);
});
