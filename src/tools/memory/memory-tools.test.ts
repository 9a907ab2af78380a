import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryStage, inChat, owner } from "../../../test/fakes/memory-stage.ts";
import { textOf } from "../../../test/fakes/tool-workspace.ts";
import type { SessionType } from "../../contracts/session-type.ts";
import type { ToolScope } from "../../contracts/tool.ts";
import { createMemoryGetTool } from "./memory-get.ts";
import { createMemorySearchTool } from "./memory-search.ts";
import { toMemoryReader } from "./to-memory-reader.ts";

const signal = new AbortController().signal;
const ignore = () => undefined;

function open(t: Parameters<typeof createMemoryStage>[0], reader = owner, isOwners = true) {
  const stage = createMemoryStage(t);
  stage.write("MEMORY.md", "# Memory\n- the orchid needs water\n");
  stage.write("channels/slack/C1/MEMORY.md", "the orchid of this chat\n");
  stage.write("channels/cli/main/MEMORY.md", "the orchid of the terminal\n");
  const ownChat = { folder: "/data/workspace/channels/cli/main", isOwners };
  const options = { memory: stage.memory, reader, ownChat };
  return { search: createMemorySearchTool(options), get: createMemoryGetTool(options) };
}

test("their declarations are small", (t) => {
  const { search, get } = open(t);
  for (const { name, description, parameters } of [search, get]) {
    const bytes = Buffer.byteLength(JSON.stringify({ name, description, parameters }));
    assert.ok(bytes <= 450, `${name} has ${bytes} bytes`);
  }
});

test("what is found is shown with its citation, and what others wrote is marked as from outside", async (t) => {
  const { search } = open(t);
  const result = await search.execute("1", { query: "orchid" }, signal, ignore);
  const text = textOf(result);
  assert.match(text, /^MEMORY\.md#L1-L2 \(\d\.\d\d\)\n# Memory\n- the orchid needs water$/m);
  assert.match(
    text,
    /channels\/slack\/C1\/MEMORY\.md#L1 \(\d\.\d\d\)\n<outside source="channels\/slack\/C1\/MEMORY\.md"/,
  );
  assert.doesNotMatch(text, /<outside source="channels\/cli/);
  assert.match(text, /\[Searched by words alone: there is none in this test\.\]$/);
  assert.equal(result.outside, "channels/slack/C1/MEMORY.md");
  assert.equal(result.details.hits.length, 3);
  const own = await search.execute("2", { query: "water", maxResults: 1 }, signal, ignore);
  assert.equal(own.outside, undefined);
  assert.match(textOf(await search.execute("3", { query: "zeppelin" }, signal, ignore)), /^Nothing found/);
});

test("in a chat with others its memory is from outside too, and the owner's is not there", async (t) => {
  const { search, get } = open(t, inChat("C1"), false);
  const result = await search.execute("1", { query: "orchid" }, signal, ignore);
  assert.deepEqual(
    result.details.hits.map(({ citation }) => citation),
    ["channels/slack/C1/MEMORY.md#L1"],
  );
  assert.equal(result.outside, "channels/slack/C1/MEMORY.md");
  await assert.rejects(get.execute("2", { path: "MEMORY.md" }, signal, ignore), { code: "MEMORY_PATH_UNKNOWN" });
});

test("lines are asked for as a range or as a beginning and a number", async (t) => {
  const { get } = open(t);
  const read = async (params: Parameters<typeof get.execute>[1]) =>
    textOf(await get.execute("1", params, signal, ignore));
  assert.equal(await read({ path: "MEMORY.md" }), "# Memory\n- the orchid needs water");
  assert.equal(await read({ path: "MEMORY.md", lines: "2-2" }), "- the orchid needs water\n\n[lines 2-2 of 2]");
  assert.equal(await read({ path: "MEMORY.md", from: 1, lines: 1 }), "# Memory\n\n[lines 1-1 of 2]");
  assert.equal(await read({ path: "MEMORY.md#L2" }), "- the orchid needs water\n\n[lines 2-2 of 2]");
  assert.match(await read({ path: "channels/slack/C1/MEMORY.md" }), /^<outside source=/);
  for (const params of [{ lines: "x" }, { lines: "2-1" }, { lines: "1-2", from: 1 }]) {
    await assert.rejects(read({ path: "MEMORY.md", ...params }), { code: "MEMORY_LINES_INVALID" });
  }
});

test("only the owner's own session reads as the owner, and an errand as the one it works for", () => {
  const channel = { adapter: "slack", channelId: "C1" };
  const home = { adapter: "slack", channelId: "D7" };
  const read = (type: SessionType, principal?: SessionType, agentId = "main") => {
    const scope = {
      session: { agentId: "main", type },
      channel,
      ...(principal && { principal: { agentId, sessionType: principal, channel: home } }),
    };
    // Of a scope the reader needs these alone.
    const reader = toMemoryReader(scope as ToolScope);
    return reader.type === "owner" ? "owner" : reader.channel.channelId;
  };
  assert.deepEqual(
    (["main", "dm", "group", "topic", "subagent", "cron"] as const).map((type) => read(type)),
    ["owner", "C1", "C1", "C1", "C1", "C1"],
  );
  assert.deepEqual(
    [read("cron", "main"), read("subagent", "main"), read("cron", "group"), read("main", "dm")],
    ["owner", "owner", "D7", "D7"],
  );
  assert.equal(read("cron", "main", "other"), "D7");
});
