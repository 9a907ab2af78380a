import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { it } from "node:test";
import { describeOwner, isOwnerAlive } from "./docker-owner.ts";

it("knows a living process from a dead one, and from a later one with the same number", async () => {
  const child = spawn("sleep", ["600"]);
  await once(child, "spawn");
  const owner = await describeOwner(child.pid ?? 0);
  assert.equal(await isOwnerAlive(owner), true);
  assert.equal(await isOwnerAlive(`${child.pid}-1`), false);
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(await isOwnerAlive(owner), false);
});

it("takes what is no owner for a dead one", async () => {
  for (const text of ["", "<no value>", "0-1", "-1-1"]) assert.equal(await isOwnerAlive(text), false);
});
