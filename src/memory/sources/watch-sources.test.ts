import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { FSWatcher } from "node:fs";
import { test } from "node:test";
import { createRecordingLog } from "../../../test/fakes/log.ts";
import { createFakeEmbedder, createMemoryStage } from "../../../test/fakes/memory-stage.ts";
import { createSourceWatches } from "./watch-sources.ts";

/** The system's watches in memory. */
function createWatchStage(isFull = false) {
  const open = new Map<string, (name: string | null) => void>();
  const emitters = new Map<string, EventEmitter>();
  const log = createRecordingLog();
  let changes = 0;
  const watches = createSourceWatches(
    {
      log,
      watch: (path, _, onEvent) => {
        if (isFull) throw Object.assign(new Error("no more"), { code: "ENOSPC" });
        open.set(path, (name) => onEvent("change", name));
        const emitter = Object.assign(new EventEmitter(), { close: () => void open.delete(path) });
        emitters.set(path, emitter);
        // Of a watcher only these are used.
        return emitter as unknown as FSWatcher;
      },
    },
    () => changes++,
  );
  return { watches, open, emitters, log, changes: () => changes };
}

test("follows the folders there are, and in the workspace only what is memory", () => {
  const { watches, open, changes } = createWatchStage();
  watches.follow("/w", ["/w/memory", "/w/memory/a"]);
  assert.deepEqual([...open.keys()], ["/w", "/w/memory", "/w/memory/a"]);
  open.get("/w")?.("other.txt");
  assert.equal(changes(), 0);
  for (const name of ["MEMORY.md", "memory", null]) open.get("/w")?.(name);
  open.get("/w/memory/a")?.("x.md");
  assert.equal(changes(), 4);
  watches.follow("/w", ["/w/memory"]);
  assert.deepEqual([...open.keys()], ["/w", "/w/memory"]);
  watches.close();
  watches.follow("/w", []);
  assert.equal(open.size, 0);
});

test("a watch that cannot be had or breaks is told of once, and nothing else happens", () => {
  const full = createWatchStage(true);
  full.watches.follow("/w", ["/w/memory"]);
  assert.equal(full.log.lines.length, 1);
  const broken = createWatchStage();
  broken.watches.follow("/w", []);
  broken.emitters.get("/w")?.emit("error", new Error("gone"));
  assert.equal(broken.open.size, 0);
  broken.watches.follow("/w", []);
  assert.equal(broken.open.size, 1);
});

test("an edit that nobody tells of gets its vector by itself", async (t) => {
  const stage = createMemoryStage(t);
  const embedder = createFakeEmbedder();
  stage.embedder = embedder;
  stage.write("memory/a.md", "orchid\n");
  await stage.memory.index("main");
  stage.write("memory/b.md", "piano\n");
  const signal = AbortSignal.timeout(20_000);
  while (embedder.documents.length < 2) {
    signal.throwIfAborted();
    await stage.clock.advance(4000);
  }
  assert.deepEqual(embedder.documents, ["orchid", "piano"]);
});
