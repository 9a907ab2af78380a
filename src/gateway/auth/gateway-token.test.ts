import assert from "node:assert/strict";
import { chmod, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createRecordingLog } from "../../../test/fakes/log.ts";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import { createGatewayToken } from "./gateway-token.ts";

async function openRig(t: TestContext) {
  const { dir } = await createTempFolder(t);
  const log = createRecordingLog();
  const clock = createFakeClock();
  const rig = { path: join(dir, "gateway-token"), log, clock, changes: 0 };
  const token = createGatewayToken({ stateDir: dir, clock, log, onChange: () => void rig.changes++ });
  return Object.assign(rig, { token });
}

test("the first start makes a token that only its owner can read", async (t) => {
  const { token, path } = await openRig(t);
  await token.prepare();
  const made = (await readFile(path, "utf8")).trim();
  assert.equal(Buffer.from(made, "base64url").length, 32);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  await token.prepare();
  assert.equal(await token.read(), made);
});

test("a new token in the file holds within a second, and that is told", async (t) => {
  const rig = await openRig(t);
  await rig.token.prepare();
  await rig.token.read();
  await writeFile(rig.path, "another-token-of-some-length");
  await rig.clock.advance(1_000);
  assert.equal(await rig.token.read(), "another-token-of-some-length");
  assert.equal(rig.changes, 1);
  await rig.clock.advance(1_000);
  assert.equal(await rig.token.read(), "another-token-of-some-length");
  assert.equal(rig.changes, 1);
});

test("without the file nobody gets in with a token", async (t) => {
  const rig = await openRig(t);
  await rig.token.prepare();
  await rm(rig.path);
  assert.equal(await rig.token.read(), undefined);
  assert.equal(rig.changes, 1);
});

test("a token that others can read is made private, and that is said", async (t) => {
  const { token, path, log } = await openRig(t);
  await token.prepare();
  await chmod(path, 0o644);
  await token.read();
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal(log.lines.filter(({ level }) => level === "warn").length, 1);
});

test("a short token, a link and a folder are refused", async (t) => {
  const short = await openRig(t);
  await writeFile(short.path, "short\n");
  await assert.rejects(short.token.prepare(), { code: "GATEWAY_TOKEN_UNUSABLE" });
  const link = await openRig(t);
  await writeFile(`${link.path}.real`, "a-token-of-sufficient-length");
  await symlink(`${link.path}.real`, link.path);
  await assert.rejects(link.token.prepare(), { code: "GATEWAY_TOKEN_UNUSABLE" });
  const folder = createGatewayToken({ ...link, stateDir: "/nowhere", onChange: () => undefined });
  await assert.rejects(folder.prepare(), { code: "GATEWAY_TOKEN_UNUSABLE" });
});
