/** Pictures and sounds in the scratch folder: the newest fifty of each stay, other files are let be. */
import assert from "node:assert/strict";
import { mkdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createToolWorkspace } from "../../../test/fakes/tool-workspace.ts";
import { saveInScratch } from "./media-file.ts";

test("the oldest of a kind makes room, and nothing else does", async (t) => {
  const { operations, dir, put } = await createToolWorkspace(t);
  const scratch = { clock: createFakeClock(), scratchFolder: "scratch" };
  const save = (stem: string, extension: string) =>
    saveInScratch(operations, scratch, { stem, extension, bytes: new Uint8Array([1]) });
  const sound = await save("speech", "wav");
  await put("scratch/own.png", "");
  await mkdir(join(dir, "scratch/a-20260101-000000-0000.png"));
  const saved: string[] = [];
  for (let n = 1; n <= 52; n++) {
    const path = await save(`picture ${n}`, n % 2 === 0 ? "png" : "jpg");
    await utimes(join(dir, path), n, n);
    saved.push(path);
  }
  const names = (await operations.readdir("scratch")).map(({ name }) => join("scratch", name));
  const others = ["scratch/own.png", "scratch/a-20260101-000000-0000.png", sound];
  assert.deepEqual(names.sort(), [...saved.slice(2), ...others].sort());
});

test("what cannot be tidied up does not spoil the call", async (t) => {
  const { operations } = await createToolWorkspace(t);
  operations.readdir = () => Promise.reject(new Error("gone"));
  const scratch = { clock: createFakeClock(), scratchFolder: "scratch" };
  const path = await saveInScratch(operations, scratch, { stem: "a", extension: "png", bytes: new Uint8Array([1]) });
  assert.equal((await operations.stat(path))?.size, 1);
});
