/** The workspace is full of rubbish and traps; the person gets an answer, and nothing of the host leaks into it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { createWorld, say } from "./world.ts";

test("a broken skill, a 10 MB SOUL.md, links, pipes and binary files are harmless", async () => {
  const world = await createWorld();
  try {
    await world.start();
    const at = (...parts: string[]) => join(world.dataDir, "workspace", ...parts);
    await writeFile(at("SOUL.md"), `You love tea.\n${"x".repeat(10 * 1024 * 1024)}\nAnd you end with a smile.\n`);
    for (const name of ["USER.md", "AGENTS.md", "TOOLS.md", "IDENTITY.md"]) await rm(at(name), { force: true });
    execFileSync("mkfifo", [at("USER.md")]);
    await symlink(join(world.dataDir, "config.json"), at("AGENTS.md"));
    await symlink(at("TOOLS.md"), at("TOOLS.md"));
    await writeFile(at("IDENTITY.md"), Buffer.from([0, 1, 2, 0xff]));
    await mkdir(at("SYSTEM.md"));
    for (const [name, text] of [
      ["no-frontmatter", "just text"],
      ["bad-yaml", "---\nname: [\n---\n"],
      ["wrong-name", "---\nname: other\ndescription: x\n---\n"],
      ["fine", "---\nname: fine\ndescription: A good one.\n---\nBody."],
    ] as const) {
      await mkdir(at("skills", name), { recursive: true });
      await writeFile(at("skills", name, "SKILL.md"), text);
    }
    await mkdir(at("prompts"), { recursive: true });
    await writeFile(at("prompts", "say.md"), "Say $1.");
    execFileSync("mkfifo", [at("prompts", "trap.md")]);

    say(world.chat, "hello");
    await world.chat.until(() => world.chat.posts.length === 1);
    assert.equal(world.chat.posts[0]?.text, "echo hello");
    const [prompt] = (world.model.requests[0]?.body["messages"] ?? []) as unknown[];
    const system = JSON.stringify(prompt);
    assert.ok(system.length < 40_000, `${system.length} characters`);
    assert.match(system, /You love tea\..*are left out here.*And you end with a smile\./);
    assert.match(system, /fine: A good one/);
    assert.doesNotMatch(system, /secret-test-key|wrong-name|bad-yaml/);

    say(world.chat, '/say "it never ends');
    await world.chat.until(() => world.chat.posts.length === 2);
    assert.equal(world.chat.posts[1]?.text, "echo Say it never ends.");
  } finally {
    await world.close();
  }
});

test("folders of a chat that a program has replaced by links out are not followed, and the chat goes on", async () => {
  const world = await createWorld();
  try {
    const app = await world.start();
    const at = (...parts: string[]) => join(world.dataDir, "workspace", ...parts);
    const outside = join(world.dataDir, "outside");
    await mkdir(outside);
    say(world.chat, "one");
    await world.chat.until(() => world.chat.posts.length === 1);
    const [chat] = await app.store.channels.list();
    assert.ok(chat);
    const folder = app.store.channels.folder(chat);
    const ways = [folder, dirname(folder), "channels"];
    for (const [n, way] of ways.entries()) {
      await rename(at(way), at(`moved-${n}`));
      await symlink(outside, at(way));
      say(world.chat, `again ${n}`);
      await world.chat.until(() => world.chat.posts.length === n + 2);
      assert.equal(world.chat.posts[n + 1]?.text, `echo again ${n}`);
      await app.store.channels.tail(chat, 1);
      for (const name of ["log.jsonl", "context.jsonl"]) {
        assert.match(await readFile(at(folder, name), "utf8"), new RegExp(`again ${n}`), name);
      }
      assert.deepEqual(await readdir(outside), []);
    }
  } finally {
    await world.close();
  }
});
