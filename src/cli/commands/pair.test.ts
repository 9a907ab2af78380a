/** `mom pair` beside a store that is in use: who waits, who is let in and by whom, and what it says when it cannot. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { afterEach, beforeEach, test } from "node:test";
import { type CliWorld, createCliWorld } from "../../../test/fakes/cli-io.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { createSystemClock } from "../../base/clock.ts";
import type { Store } from "../../contracts/store.ts";
import { buildLayout, openStore } from "../../store/index.ts";
import { buildPairCommand } from "./pair.ts";

let world: CliWorld;
let store: Store | undefined;
beforeEach(async () => {
  world = await createCliWorld({ pair: buildPairCommand });
  await mkdir(world.dataDir);
});
afterEach(async () => {
  await store?.close();
  store = undefined;
  await world.close();
});

const operator = `cli:${userInfo().username}`;
const run = (...args: string[]) => world.run(["pair", ...args]);

/** A running mom's store. */
async function openOwner(): Promise<Store> {
  store = await openStore({
    layout: buildLayout(world.dataDir),
    clock: createSystemClock(),
    log: silentLog,
    role: "owner",
    routesOf: () => [],
  });
  return store;
}

/** A stranger writes directly, and is told the code that comes back. */
async function ask(owner: Store, senderId: string, username = "bob", adapter = "acme"): Promise<string> {
  let code = "";
  const message = {
    id: `m-${senderId}`,
    channelId: `D-${senderId}`,
    timestamp: "2026-01-01T00:00:00.000Z",
    sender: { id: senderId, username, isBot: false },
    text: "hello",
    attachments: [],
    isMention: true,
  };
  const toText = (given: string) => {
    code = given;
    return given;
  };
  await owner.inbox.accept({ adapter, message, verdict: { type: "refused", reason: "r", pairing: { toText } } });
  return code;
}

test("where mom was never started there is nobody to list, to let in or to send away", async () => {
  assert.match((await run("list")).err, /nobody waits with a code/);
  assert.equal((await run("list", "--json")).out, "[]\n");
  const { code, err } = await run("approve", "K2M4P7QX");
  assert.equal(code, 1);
  assert.match(err, /Nobody waits with the code "K2M4P7QX"[\s\S]*PAIRING_CODE_UNKNOWN/);
  assert.match((await run("revoke", "acme", "U9")).err, /PAIRING_UNKNOWN/);
});

test("who waits is let in by their code, and the running mom knows it at once", async () => {
  const owner = await openOwner();
  const code = await ask(owner, "U9");
  assert.match(
    (await run("list")).out,
    new RegExp(`^CODE +ADAPTER +SENDER +CALLS THEMSELVES +STATE\n${code} +acme +U9 +bob +waits until \\S+ \\S+\n$`),
  );
  assert.equal(await owner.pairings.isApproved("acme", "U9"), false);
  // As people pass a code on: in two halves, in small letters.
  const halves = [code.slice(0, 4), code.slice(4)].map((half) => half.toLowerCase());
  const approved = await run("approve", ...halves);
  assert.equal(
    approved.out,
    "U9 (bob) may write directly on acme from now on; what they wrote before is not answered\n",
  );
  assert.equal(await owner.pairings.isApproved("acme", "U9"), true);
  assert.match((await run("list")).out, new RegExp(`\n- +acme +U9 +bob +let in by ${operator} at \\S+ \\S+\n$`));
  const again = await run("approve", code);
  assert.deepEqual([again.code, /PAIRING_CODE_UNKNOWN/.test(again.err)], [1, true]);

  const gone = await run("revoke", "acme", "U9");
  assert.deepEqual([gone.out, gone.err], ["what U9 had on acme is gone\n", ""]);
  assert.equal(await owner.pairings.isApproved("acme", "U9"), false);
});

test("two who approve the same code at once: one does", async () => {
  const code = await ask(await openOwner(), "U9");
  const results = await Promise.all([run("approve", code), run("approve", code)]);
  assert.deepEqual(results.map((result) => result.code).sort(), [0, 1]);
});

test("a name that looks like another's is shown for what it is", async () => {
  const owner = await openOwner();
  const code = await ask(owner, "U9", "\u0430nn\u202e\n\u001b[31m");
  const { out } = await run("list");
  assert.match(out, / ⟨U\+0430⟩nn⟨U\+202E⟩\S* +waits/);
  assert.equal(out.split("\n").length, 3);
  assert.match((await run("approve", code)).out, /^U9 \(⟨U\+0430⟩nn/);
});

test("as JSON", async () => {
  const owner = await openOwner();
  const code = await ask(owner, "U9");
  assert.deepEqual(JSON.parse((await run("list", "--json")).out), await owner.pairings.list());
  const approved = JSON.parse((await run("approve", code, "--json")).out);
  assert.deepEqual([approved.senderId, approved.state, approved.approvedBy], ["U9", "approved", operator]);
  const gone = JSON.parse((await run("revoke", "acme", "U9", "--json")).out);
  assert.deepEqual(gone, { adapter: "acme", senderId: "U9", revoked: true, isLetInByConfig: false });
});

test("who was mistyped is guessed at, and nothing changes", async () => {
  const owner = await openOwner();
  const code = await ask(owner, "U0123");
  await run("approve", code);
  const { code: exit, err } = await run("revoke", "acme", "U0132");
  assert.equal(exit, 1);
  assert.match(err, /Did you mean `mom pair revoke acme U0123`\?[\s\S]*PAIRING_UNKNOWN/);
  assert.match((await run("revoke", "zzz", "q")).err, /`mom pair list` shows who was/);
  assert.equal(await owner.pairings.isApproved("acme", "U0123"), true);
});

test("who is sent away and named in the config is still let in by it, and that is said", async () => {
  const owner = await openOwner();
  await ask(owner, "local", "bob", "terminal");
  await writeFile(buildLayout(world.dataDir).configPath, '{ adapters: { terminal: { type: "cli" } } }');
  assert.match((await run("revoke", "terminal", "local")).err, /the config itself still lets them in/);
  await ask(owner, "U9");
  await writeFile(buildLayout(world.dataDir).configPath, "{ rubbish");
  assert.equal((await run("revoke", "acme", "U9")).code, 0, "also when the config cannot be read");
});
