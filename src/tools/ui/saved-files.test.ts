/** What the browser puts down stays bounded: slots for pictures and documents, the newest of the downloads. */
import assert from "node:assert/strict";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createToolWorkspace } from "../../../test/fakes/tool-workspace.ts";
import { saveDownload, saveInSlot } from "./saved-files.ts";

const data = new Uint8Array([1]);

test("fifty downloads stay, the oldest go, and nothing is replaced", async (t) => {
  const { operations, dir, put } = await createToolWorkspace(t);
  await put("scratch/own.txt", "x");
  for (let n = 1; n <= 52; n++) {
    const path = await saveDownload(operations, "scratch", "a.csv", data);
    assert.equal((await operations.stat(path))?.size, 1);
    await utimes(join(dir, path), n, n);
  }
  const names = (await operations.readdir("scratch/downloads")).map(({ name }) => name);
  assert.equal(names.length, 50);
  // The names of those that went were free again.
  assert.equal(await saveDownload(operations, "scratch", "b.csv", data), "scratch/downloads/b.csv");
  assert.equal((await operations.readdir("scratch/downloads")).length, 50);
  assert.ok(await operations.stat("scratch/own.txt"));
});

test("a download never goes to make room for itself", async (t) => {
  const { operations, put, dir } = await createToolWorkspace(t);
  for (let n = 0; n < 60; n++) {
    await put(`scratch/downloads/${n}`, "");
    await utimes(join(dir, `scratch/downloads/${n}`), 2e9 + n, 2e9 + n);
  }
  const path = await saveDownload(operations, "scratch", "new", data);
  const names = (await operations.readdir("scratch/downloads")).map(({ name }) => name);
  assert.equal(path, "scratch/downloads/new");
  assert.deepEqual(names.sort(), ["new", ...Array.from({ length: 49 }, (_, n) => String(n + 11))].sort());
});

test("pictures take turns in their slots", async (t) => {
  const { operations, dir } = await createToolWorkspace(t);
  for (let n = 1; n <= 20; n++) {
    const path = await saveInSlot(operations, "scratch", "screenshot", "png", data);
    assert.equal(path, `scratch/screenshot-${n}.png`);
    const seconds = n === 7 ? 1 : n + 10;
    await utimes(join(dir, path), seconds, seconds);
  }
  assert.equal(await saveInSlot(operations, "scratch", "screenshot", "png", data), "scratch/screenshot-7.png");
});
