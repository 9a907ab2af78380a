import assert from "node:assert/strict";
import { test } from "node:test";
import { createCommandPorts } from "../../test/fakes/command-ports.ts";
import { createMemoryStage } from "../../test/fakes/memory-stage.ts";

function open(t: Parameters<typeof createMemoryStage>[0]) {
  const stage = createMemoryStage(t);
  stage.write("MEMORY.md", "the orchid needs `water`\n");
  stage.write("memory/binary.md", new Uint8Array([0, 1]));
  return { stage, ...createCommandPorts({ memory: stage.memory }) };
}

test("/memory search finds as the one who asks", async (t) => {
  const { house, ask } = open(t);
  house.session = { ...house.session, type: "main", agentId: "main" };
  assert.match(String(await ask("/memory search orchid")), /`MEMORY\.md#L1`[\s\S]*the orchid needs[\s\S]*words alone/);
  house.session = { ...house.session, type: "dm" };
  assert.match(String(await ask("/memory search orchid")), /^Nothing was found/);
  assert.match(String(await ask("/memory search")), /Say what is sought/);
  assert.match(String(await ask("/memory find x")), /is none of search, status, index/);
});

test("/memory status counts, and names what is left out to admins alone", async (t) => {
  const { stage, ask, house } = open(t);
  house.session = { ...house.session, agentId: "main" };
  await stage.memory.index("main");
  const seen = String(await ask("/memory"));
  assert.match(seen, /memory: 1 file, 1 piece[\s\S]*vectors: none[\s\S]*state: idle[\s\S]*left out: 1 file/);
  assert.doesNotMatch(seen, /binary\.md/);
  assert.match(
    String(await ask("/memory status", { isAdmin: true })),
    /left out: `memory\/binary\.md`: it is not text/,
  );
});

test("/memory index is for admins, and works beside the conversation", async (t) => {
  const { stage, ask, house } = open(t);
  house.session = { ...house.session, agentId: "main" };
  assert.match(String(await ask("/memory index")), /Only an admin/);
  assert.match(String(await ask("/memory index", { isAdmin: true })), /^Reading what has changed/);
  assert.equal((await stage.memory.status("main")).files, 0);
  await stage.clock.advance(5000);
  let files = 0;
  for (let n = 0; n < 1000 && files === 0; n++) {
    await stage.clock.advance(0);
    files = (await stage.memory.status("main")).files;
  }
  assert.equal(files, 1);
});
