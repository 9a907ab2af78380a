/** Killed in the middle of anything, the index is whole when it is opened again, and nothing is in it twice or missing. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createFakeEmbedder, createMemoryStage, type MemoryStage, owner } from "../../test/fakes/memory-stage.ts";
import { chunkText } from "./chunk/chunk-text.ts";

const child = join(import.meta.dirname, "../../test/fakes/memory-child.ts");

/** Resolves when the child has said so many lines and is dead. */
async function runAndKill(dir: string, lines: number): Promise<void> {
  const running = spawn(process.execPath, [child, dir], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => running.once("exit", resolve));
  let said = 0;
  for await (const _ of createInterface(running.stdout)) {
    if (++said < lines) continue;
    running.kill("SIGKILL");
    break;
  }
  await ended;
  assert.ok(said >= lines, "it ended by itself");
}

/** As the file stands, before anybody mends anything. */
function checkFile(path: string): void {
  // It may have been killed before there was anything.
  if (!existsSync(path)) return;
  const sqlite = new DatabaseSync(path);
  const count = (sql: string) => Number(Object.values(sqlite.prepare(sql).get() ?? {})[0]);
  assert.equal(sqlite.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
  if (count("PRAGMA user_version") > 0) checkRows(sqlite, count);
  sqlite.close();
}

function checkRows(sqlite: DatabaseSync, count: (sql: string) => number): void {
  sqlite.exec("INSERT INTO search (search) VALUES ('integrity-check')");
  assert.equal(count("SELECT count(*) FROM chunks WHERE file NOT IN (SELECT id FROM files)"), 0);
  assert.equal(count("SELECT count(*) FROM chunks WHERE id NOT IN (SELECT rowid FROM search)"), 0);
  assert.equal(count("SELECT count(*) FROM search"), count("SELECT count(*) FROM chunks"));
  assert.equal(count("SELECT count(*) FROM vectors"), count("SELECT count(*) FROM signs"));
  assert.equal(count("SELECT count(*) FROM signs WHERE vector NOT IN (SELECT id FROM vectors)"), 0);
  assert.equal(count("SELECT count(*) FROM (SELECT 1 FROM chunks GROUP BY file, from_line HAVING count(*) > 1)"), 0);
}

async function checkContent(stage: MemoryStage): Promise<void> {
  const folder = join(stage.workspaceDir, "memory");
  const wanted = readdirSync(folder).flatMap((name) =>
    chunkText(readFileSync(join(folder, name), "utf8").trimEnd()).map(
      ({ fromLine, toLine, text }) => `memory/${name} ${fromLine} ${toLine} ${text}`,
    ),
  );
  const status = await stage.memory.index("main");
  assert.deepEqual([status.chunks, status.embedded], [wanted.length, wanted.length]);
  await stage.memory.close();
  const sqlite = new DatabaseSync(stage.indexFile);
  const rows = sqlite.prepare("SELECT f.path, c.* FROM chunks c JOIN files f ON f.id = c.file").all();
  sqlite.close();
  const found = rows.map((row) => `${row["path"]} ${row["from_line"]} ${row["to_line"]} ${row["text"]}`);
  assert.deepEqual(found.sort(), wanted.sort());
  await stage.reopen();
  const { hits, mode } = await stage.memory.search({ text: "orchid 2 line 7" }, owner);
  assert.deepEqual([mode, hits.length], ["fused", 10]);
}

test("kill -9 around an index update: whole, nothing lost, nothing doubled", async (t) => {
  const stage = createMemoryStage(t);
  stage.embedder = createFakeEmbedder("fake/child", 64, 3);
  mkdirSync(join(stage.workspaceDir, "memory"));
  for (const lines of [1, 2, 9, 23, 42, 57, 90, 133]) {
    await runAndKill(stage.dir, lines);
    checkFile(stage.indexFile);
    await stage.reopen();
    await checkContent(stage);
    await stage.memory.close();
  }
});
