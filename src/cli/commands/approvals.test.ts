/** `mom approvals` beside a store that is in use: what it shows, who it is that answers, and what it says when it cannot. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { afterEach, beforeEach, test } from "node:test";
import { type CliWorld, createCliWorld } from "../../../test/fakes/cli-io.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { createSystemClock } from "../../base/clock.ts";
import type { NewApproval } from "../../contracts/approval.ts";
import type { ApprovalId, SessionKey, TurnId } from "../../contracts/ids.ts";
import type { Store } from "../../contracts/store.ts";
import { buildLayout, openStore } from "../../store/index.ts";
import { buildApprovalsCommand } from "./approvals.ts";

let world: CliWorld;
let store: Store | undefined;
beforeEach(async () => {
  world = await createCliWorld({ approvals: buildApprovalsCommand });
  await mkdir(world.dataDir);
});
afterEach(async () => {
  await store?.close();
  store = undefined;
  await world.close();
});

const operator = `cli:${userInfo().username}`;
const run = (...args: string[]) => world.run(["approvals", ...args]);

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

async function ask(owner: Store, id: string, more: Partial<NewApproval> = {}): Promise<ApprovalId> {
  const text = "ls -l notes\nrm c\u0430t \u202e";
  const approval = await owner.approvals.request({
    id: id as ApprovalId,
    turnId: "t1" as TurnId,
    toolCallId: id,
    sessionKey: "agent:main:main" as SessionKey,
    agentId: "main",
    channel: { adapter: "slack", channelId: "C1" },
    sender: "slack:U1",
    subject: { tool: "bash", text, exact: { argv: ["bash", "-c", text], cwd: "/w", env: { A: "b" } } },
    hash: "h",
    reason: "because of a page",
    rules: [{ program: "/usr/bin/ls", args: [{ type: "exact", text: "-l" }, { type: "path" }] }],
    expiresAt: Date.now() + 300_000,
    ...more,
  });
  return approval.id;
}

test("where mom was never started there is nothing to list and nothing to answer", async () => {
  assert.match((await run("list")).err, /nothing waits for an approval/);
  assert.equal((await run("list", "--json")).out, "[]\n");
  const { code, err } = await run("approve", "k2m4p7");
  assert.equal(code, 1);
  assert.match(err, /APPROVAL_UNKNOWN/);
  assert.match((await run("remove", "a1")).err, /RULE_UNKNOWN/);
});

test("what waits is shown whole, and nothing of it hides", async () => {
  const owner = await openOwner();
  await ask(owner, "k2m4p7");
  await ask(owner, "zz2222", { rules: [], expiresAt: Date.now() - 1 });
  const { out } = await run("list");
  assert.match(
    out,
    /^k2m4p7 {2}bash for slack:U1 \(agent main\), until \S+ \S+\n {4}\| ls -l notes\n {4}\| rm c⟨U\+0430⟩t ⟨U\+202E⟩\n {4}in \/w\n {4}with A=b\n {4}because because of a page\n {4}--always would allow: \/usr\/bin\/ls -l <any path below the folder>\n$/,
  );
  const all = (await run("list", "--all")).out;
  assert.match(all, /^zz2222 {2}bash .*, expired\n[\s\S]*only once at a time[\s\S]*\nk2m4p7/);
  assert.deepEqual(
    JSON.parse((await run("list", "--json")).out).map(({ id }: { id: string }) => id),
    ["k2m4p7"],
  );
});

test("an answer is the operator's, and the running mom finds it", async () => {
  const owner = await openOwner();
  const [once, always, deny] = [await ask(owner, "aaa222"), await ask(owner, "bbb222"), await ask(owner, "ccc222")];
  assert.equal((await run("approve", "AAA222")).out, "aaa222 allowed, this once\n");
  assert.equal((await run("approve", always, "--always")).out, "bbb222 allowed, and from now on\n");
  const denied = JSON.parse((await run("deny", deny, "--json")).out);
  assert.deepEqual([denied.state, denied.answeredBy], ["denied", operator]);
  assert.equal((await owner.approvals.get(once))?.answeredBy, operator);
  assert.equal(await owner.approvals.use(once, "h"), true);
  assert.match(
    (await run("rules")).out,
    new RegExp(`^ID +COMMAND.*\na1 +/usr/bin/ls -l <any path below the folder> +${operator} `),
  );
  assert.match((await run("rules", "--agent", "other")).err, /nothing is allowed for good for the agent other/);
  assert.equal((await run("remove", "a1")).out, "a1 is gone; it will be asked again\n");
  assert.deepEqual(await owner.approvals.rules("main"), []);
  const { code, err } = await run("remove", "a1");
  assert.deepEqual([code, /RULE_UNKNOWN/.test(err)], [1, true]);
});

test("twice, too late, and for good where that cannot be had: nothing changes and it says so", async () => {
  const owner = await openOwner();
  const id = await ask(owner, "aaa222", { rules: [] });
  assert.match((await run("approve", id, "--always")).err, /APPROVAL_ONCE_ONLY/);
  assert.equal((await owner.approvals.get(id))?.state, "pending");
  await run("deny", id);
  const twice = await run("approve", id);
  assert.equal(twice.code, 1);
  assert.match(twice.err, new RegExp(`It was refused by ${operator} at [\\s\\S]*APPROVAL_LATE`));
  const over = await ask(owner, "bbb222", { expiresAt: Date.now() - 1 });
  assert.match((await run("approve", over)).err, /Its time was over at [\s\S]*APPROVAL_LATE/);
  assert.equal((await owner.approvals.get(over))?.state, "expired");
});

test("an answer for a mom that does not run waits for her", async () => {
  const owner = await openOwner();
  const id = await ask(owner, "aaa222");
  await owner.close();
  store = undefined;
  assert.match((await run("approve", id)).out, /^aaa222 allowed, this once; no mom is running there/);
  assert.equal((await (await openOwner()).approvals.get(id))?.state, "allowed");
});

test("a command is allowed before it is asked for, by the rules that always would make", async () => {
  const configPath = buildLayout(world.dataDir).configPath;
  await writeFile(configPath, '{ sandbox: { mode: "host" } }');
  assert.match((await run("allow", "ls")).err, /STORE_MISSING/);
  const owner = await openOwner();
  const path = "<any path below the folder>";
  assert.match(
    (await run("allow", "ls -l notes")).out,
    new RegExp(`^ID +COMMAND.*\na1 +\\S+/ls -l ${path} +${operator} `),
  );
  const again = JSON.parse((await run("allow", "ls -l other", "--json")).out);
  assert.deepEqual(
    again.map(({ id }: { id: string }) => id),
    ["a1"],
  );
  assert.equal((await run("allow", "ls | wc -l", "--agent", "other")).code, 0);
  assert.equal((await owner.approvals.rules("other")).length, 2);
  for (const [command, why] of [
    ["ls > x", /because it has a redirection/],
    ["./run", /because `\.\/run` is no program/],
    ["git status", /because git runs/],
  ] as const) {
    const { code, err } = await run("allow", command);
    assert.equal(code, 2, command);
    assert.match(err, why);
    assert.match(err, /RULE_NOT_SIMPLE/);
  }
  assert.equal((await owner.approvals.rules("main")).length, 1);
});

test("an answer to what was stopped says so", async () => {
  const owner = await openOwner();
  const id = await ask(owner, "aaa222");
  await owner.approvals.answer(id, "deny", "mom:stopped");
  assert.match((await run("approve", id)).err, /what asked for it was stopped[\s\S]*APPROVAL_LATE/);
});
