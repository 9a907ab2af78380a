/** Programs of a session see what its asker may see, through bash and every file tool alike; custom tools and circles. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { bash, callWhatIsSaid } from "./call-what-is-said.ts";
import { createWorld, lastUserText, say, type World, waitFor } from "./world.ts";

const isLinux = process.platform === "linux";
const hasBwrap = isLinux && spawnSync("bwrap", ["--version"]).status === 0;
const skip = hasBwrap ? false : "bubblewrap is not installed";
const owner = { channel: "D1", user: "U1" };
const guest = { channel: "C1", user: "U7" };

/** Says it and gives the one reply. */
function talkIn(world: World) {
  return async (text: string, who: { channel: string; user: string }) => {
    const before = world.chat.posts.length;
    say(world.chat, text, who);
    await world.chat.until(() => world.chat.posts.length > before);
    return world.chat.posts.at(-1)?.text ?? "";
  };
}

test("programs see neither mom's own files nor, for others, another chat", { skip }, async () => {
  const world = await createWorld({
    respond: callWhatIsSaid,
    config: {
      tools: {
        exec: { approvals: "full" },
        bySession: { group: { allow: ["group:fs", "bash"] } },
      },
    },
  });
  try {
    await world.start();
    const talk = talkIn(world);
    await writeFile(join(world.dataDir, "workspace", "MEMORY.md"), "The door code is 4711.\n");
    await talk("a private word", owner);
    await talk("hello", guest);

    const looks = [
      `cat ${world.dataDir}/config.json`,
      `cat ${world.dataDir}/auth.json; ls -la ${world.dataDir}`,
      `cat ${world.dataDir}/state/mom.db`,
      `cat /proc/self/root${world.dataDir}/config.json`,
      "env",
    ];
    for (const command of looks) {
      const answer = await talk(bash(`${command} 2>&1; echo over`), owner);
      assert.match(answer, /over/, command);
      assert.doesNotMatch(answer, /secret-test-key|SQLite format|auth\.json\n/, command);
    }
    assert.match(await talk(bash("cat MEMORY.md; cat channels/fake/C1/log.jsonl"), owner), /4711.*hello/s);
    assert.match(
      await talk(bash("echo no > channels/fake/D1/log.jsonl; rm channels/fake/D1/log.jsonl; echo over"), owner),
      /over/,
    );
    assert.match(await readFile(join(world.dataDir, "workspace/channels/fake/D1/log.jsonl"), "utf8"), /a private word/);

    const paths = ["../D1/log.jsonl", "../../../MEMORY.md", `${world.dataDir}/workspace/MEMORY.md`];
    for (const path of paths) {
      const asked = [
        bash(`cat ${path} 2>&1; grep -r . ../.. 2>&1 | head -c 4000; echo over`),
        `read ${JSON.stringify({ path })}`,
        `grep ${JSON.stringify({ pattern: "4711|private", path: "../../.." })}`,
        `find ${JSON.stringify({ pattern: "*", path: "../D1" })}`,
        `edit ${JSON.stringify({ path, oldText: "private", newText: "public" })}`,
        `apply_patch ${JSON.stringify({ patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-private\n+public\n*** End Patch` })}`,
      ];
      for (const text of asked) {
        assert.doesNotMatch(await talk(text, guest), /4711|a private word/, text);
      }
    }
    assert.match(await talk(bash("cat log.jsonl; echo mine > scratch.txt; cat scratch.txt"), guest), /hello.*mine/s);
    const noNetwork = bash("exec 3<>/dev/tcp/127.0.0.1/1 || cat /proc/net/dev | grep -c :");
    assert.match(await talk(noNetwork, guest), /unreachable|refused/i);
  } finally {
    await world.close();
  }
});

test("what cannot be had is refused with the reason, and nothing runs on the host instead", async () => {
  const world = await createWorld({ respond: callWhatIsSaid, config: { sandbox: { mode: "bwrap" } } });
  try {
    await world.start({ env: { PATH: "/nowhere", HOME: world.dataDir } });
    const talk = talkIn(world);
    const answer = await talk(bash(`touch ${world.dataDir}/pwned`), owner);
    assert.match(answer, /sandbox "bwrap" cannot be had/);
    await assert.rejects(readFile(join(world.dataDir, "pwned")), { code: "ENOENT" });
    assert.match(await talk('read {"path":"MEMORY.md"}', owner), /cannot be had/);
    assert.equal(await talk("hello", owner), "ok");
  } finally {
    await world.close();
  }
});

test("without a sandbox, where none was named, files can be used and programs are refused", {
  skip: !isLinux,
}, async () => {
  const world = await createWorld({ respond: callWhatIsSaid });
  try {
    await world.start({ env: { PATH: "/nowhere", HOME: world.dataDir } });
    const talk = talkIn(world);
    assert.match(await talk(bash(`touch ${world.dataDir}/pwned`), owner), /sandbox "bwrap" cannot be had.*bubblewrap/s);
    await assert.rejects(readFile(join(world.dataDir, "pwned")), { code: "ENOENT" });
    assert.match(await talk('write {"path":"a.txt","content":"alpha"}', owner), /a\.txt/);
    assert.match(await talk('grep {"pattern":"alp"}', owner), /a\.txt:1: alpha/);
    assert.match(await talk('tts {"text":"hello"}', owner), /cannot be had/);
  } finally {
    await world.close();
  }
});

test("a custom tool is offered, called, denied by name, and replaced while mom runs", async () => {
  const world = await createWorld({
    respond: callWhatIsSaid,
    config: { tools: { deny: ["forbidden"] }, sandbox: { mode: "host" } },
  });
  try {
    const write = async (name: string, answer: string) => {
      const folder = join(world.dataDir, "tools", name);
      await mkdir(folder, { recursive: true });
      const text = `import { Type } from "@sinclair/typebox";
        export default { name: "${name}", description: "Says it.", parameters: Type.Object({ n: Type.Integer() }),
          outside: false, execute: async (_, { n }) => "${answer} " + (n + 1) };`;
      await writeFile(join(folder, "index.ts"), text, { mode: 0o600 });
    };
    await write("lamp", "lamp");
    await write("forbidden", "never");
    await world.start();
    const talk = talkIn(world);
    const invoke = (tool: string, args: object) => `invoke_tool ${JSON.stringify({ tool, args })}`;
    assert.equal(await talk(invoke("lamp", { n: 1 }), owner), "it said: lamp 2");
    const prompt = JSON.stringify(world.model.requests[0]?.body);
    assert.match(prompt, /- lamp: Says it \{n: integer\}/);
    assert.doesNotMatch(prompt, /- forbidden:/);
    assert.match(await talk(invoke("forbidden", { n: 1 }), owner), /not allowed here .*tools\.deny/s);
    assert.match(await talk(invoke("lamp", { n: "x" }), owner), /expected integer/);
    assert.match(await talk(invoke("lamp", { n: 1 }), guest), /There is no tool "invoke_tool"/);
    await write("lamp", "lantern");
    await waitFor(async () => (await talk(invoke("lamp", { n: 1 }), owner)) === "it said: lantern 2");
  } finally {
    await world.close();
  }
});

test("a model that goes in circles is told, then stopped, and the person hears of it", async () => {
  const world = await createWorld({
    respond: (request) =>
      lastUserText(request) === "go"
        ? { type: "answer", toolCalls: [{ name: "read", arguments: { path: "missing.txt" } }] }
        : { type: "answer", text: "ok" },
    config: { sandbox: { mode: "host" } },
  });
  try {
    await world.start();
    const answer = await talkIn(world)("go", owner);
    assert.match(answer, /kept calling read with the same result/);
    assert.ok(world.model.requests.length <= 9, `${world.model.requests.length} requests`);
    assert.match(JSON.stringify(world.model.requests.at(-1)?.body), /Not done: this very call was made/);
  } finally {
    await world.close();
  }
});
