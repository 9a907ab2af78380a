/** Nobody is shown a line that they may not read: random files, owners and questions against a naive count. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createFakeEmbedder, createMemoryStage, inChat, owner } from "../../test/fakes/memory-stage.ts";
import { createRandom } from "../../test/fakes/random-history.ts";
import type { MemoryReader } from "../contracts/memory.ts";

const words = ["budget", "harbour", "piano", "violet", "tunnel", "决定", "上海", "orchid", "ledger", "comet"];
const chats = ["C1", "C2", "C10", "D1"];

/** To whom a file's lines belong, told again and independently of the code. */
const places: { path(n: number): string; mayRead(reader: MemoryReader): boolean }[] = [
  { path: () => "MEMORY.md", mayRead: (reader) => reader.type === "owner" },
  { path: (n) => `memory/2026-01-${10 + n}.md`, mayRead: (reader) => reader.type === "owner" },
  { path: (n) => `memory/deep/er/${n}.md`, mayRead: (reader) => reader.type === "owner" },
  { path: (n) => `memory/shared/${n}.md`, mayRead: () => true },
  ...chats.map((chat) => ({
    path: () => `channels/slack/${chat}/MEMORY.md`,
    mayRead: (reader: MemoryReader) => reader.type === "owner" || reader.channel.channelId === chat,
  })),
  {
    path: () => "channels/discord/C1/MEMORY.md",
    mayRead: (reader) => reader.type === "owner",
  },
];

async function tryOnce(t: TestContext, seed: number, mode: "text" | "vector" | "fused"): Promise<void> {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]) => list[random.between(0, list.length - 1)] as T;
  const stage = createMemoryStage(t);
  if (mode !== "text") stage.embedder = createFakeEmbedder();
  const owners = new Map<string, (reader: MemoryReader) => boolean>();
  const lines = new Map<string, string[]>();
  for (let n = 0; n < 40; n++) {
    const place = pick(places);
    const path = place.path(n);
    const text = Array.from({ length: random.between(1, 6) }, (_, at) => {
      const said = Array.from({ length: 4 }, () => pick(words)).join(" ");
      return `- ${said} of ${path.replaceAll(/\W+/g, "x")}n${at}`;
    });
    stage.write(path, `${text.join("\n")}\n`);
    owners.set(path, place.mayRead);
    lines.set(path, text);
  }
  await stage.memory.index("main");
  const readers = [owner, ...chats.map(inChat), inChat("nowhere")];
  for (let n = 0; n < 30; n++) {
    const reader = pick(readers);
    const text = `${pick(words)} ${pick(words)}`;
    const { hits } = await stage.memory.search({ text, mode, minScore: 0, maxResults: 50 }, reader);
    for (const { path, fromLine, toLine, snippet } of hits) {
      assert.ok(owners.get(path)?.(reader), `seed ${seed}: ${JSON.stringify(reader)} was shown ${path}`);
      const own = lines.get(path)?.slice(fromLine - 1, toLine) ?? [];
      for (const line of snippet.split("\n")) assert.ok(own.includes(line), `seed ${seed}: ${line} is not of ${path}`);
    }
    // And everything that they may read and that has a word of the question is found.
    const wanted = [...lines].filter(([path, own]) => owners.get(path)?.(reader) && hasWord(own, text));
    const found = new Set(hits.map(({ path }) => path));
    for (const [path] of wanted)
      assert.ok(found.has(path), `seed ${seed}: ${path} was kept from ${JSON.stringify(reader)}`);
    await tryGet(stage.memory, reader, owners);
  }
}

async function tryGet(
  memory: { get(path: string, lines: undefined, reader: MemoryReader): Promise<unknown> },
  reader: MemoryReader,
  owners: ReadonlyMap<string, (reader: MemoryReader) => boolean>,
): Promise<void> {
  for (const [path, mayRead] of owners) {
    if (mayRead(reader)) await memory.get(path, undefined, reader);
    else await assert.rejects(memory.get(path, undefined, reader), { code: "MEMORY_PATH_UNKNOWN" });
  }
}

const hasWord = (lines: readonly string[], question: string) =>
  question.split(" ").some((word) => lines.some((line) => line.includes(word)));

for (const mode of ["text", "vector", "fused"] as const) {
  test(`nobody is shown a line that is not theirs to read, and everybody what is (${mode})`, async (t) => {
    for (let seed = 1; seed <= 8; seed++) await tryOnce(t, seed, mode);
  });
}

test("a file that changes hands is not found by who had it before", async (t) => {
  const stage = createMemoryStage(t);
  const { channelsRoot } = stage.roots;
  stage.config.sessions = true;
  stage.write("channels/slack/C1/context.jsonl", `${said("user", "the secret orchid")}\n`);
  const transcript = { name: "agent:main:x", path: "channels/slack/C1/context.jsonl" };
  const share = async (channelId: string) => {
    const channel = { adapter: "slack", channelId };
    stage.roots = { ...stage.roots, transcripts: [{ ...transcript, visibility: { type: "chat", channel } }] };
    await stage.memory.index("main");
  };
  assert.ok(channelsRoot);
  const find = async (reader: MemoryReader) => (await stage.memory.search({ text: "orchid" }, reader)).hits.length;
  await share("C1");
  assert.deepEqual([await find(inChat("C1")), await find(inChat("C2")), await find(owner)], [1, 0, 1]);
  await share("C2");
  assert.deepEqual([await find(inChat("C1")), await find(inChat("C2")), await find(owner)], [0, 1, 1]);
});

const said = (role: string, text: string) =>
  JSON.stringify({ type: "message", id: "a", message: { role, content: [{ type: "text", text }] } });

test("many lines of others do not crowd out the few of a chat", async (t) => {
  const stage = createMemoryStage(t);
  stage.embedder = createFakeEmbedder();
  for (let n = 0; n < 300; n++) stage.write(`memory/${n}.md`, "budget budget budget harbour\n");
  stage.write(
    "channels/slack/C1/MEMORY.md",
    "something long about many other things, and the budget of the spring party\n",
  );
  await stage.memory.index("main");
  for (const mode of ["text", "vector", "fused"] as const) {
    const { hits } = await stage.memory.search({ text: "budget", mode, minScore: 0, maxResults: 1 }, inChat("C1"));
    assert.deepEqual(
      hits.map(({ path }) => path),
      ["channels/slack/C1/MEMORY.md"],
      mode,
    );
  }
});

test("an agent's memory is not another's", async (t) => {
  const stage = createMemoryStage(t);
  stage.write("MEMORY.md", "the budget is small\n");
  await stage.memory.index("main");
  stage.roots = { workspaceDir: stage.dir };
  const { hits } = await stage.memory.search({ text: "budget" }, { agentId: "Other", type: "owner" });
  assert.deepEqual(hits, []);
});
