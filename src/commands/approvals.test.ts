/** `/approve` and `/allowlist`: who may answer, what is said to whom comes late, twice or with a wrong id. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCommandPorts } from "../../test/fakes/command-ports.ts";
import type { ApprovalId } from "../contracts/ids.ts";

const admin = { isAdmin: true };
const idOf = (text: string) => text as ApprovalId;

test("an admin's answer counts, in each of its words", async () => {
  for (const [word, state, reply] of [
    ["once", "allowed", "Allowed, this once (approval k2m4p7)."],
    ["ALWAYS", "allowed", /^Allowed \(approval k2m4p7\), and the like of it from now on/],
    ["deny", "denied", "Refused (approval k2m4p7)."],
  ] as const) {
    const { ask, approvals } = createCommandPorts();
    await approvals.ask();
    const said = String(await ask(`/approve K2M4P7 ${word}`, admin));
    if (typeof reply === "string") assert.equal(said, reply);
    else assert.match(said, reply);
    const approval = await approvals.get(idOf("k2m4p7"));
    assert.deepEqual([approval?.state, approval?.answeredBy], [state, "chat:U1"]);
    assert.equal((await approvals.rules("main")).length, word === "ALWAYS" ? 1 : 0);
  }
});

test("whoever is no admin changes nothing and sees nothing", async () => {
  const { ask, approvals } = createCommandPorts();
  await approvals.ask();
  for (const text of ["/approve k2m4p7 once", "/approve", "/allowlist", "/allowlist add ls", "/allowlist remove a1"]) {
    const said = String(await ask(text));
    assert.match(said, /is for admins only, and you are none here/);
    assert.doesNotMatch(said, /notes/);
  }
  assert.equal((await approvals.get(idOf("k2m4p7")))?.state, "pending");
});

test("too late, twice, unknown, half said: each is told what happened, and nothing changes", async () => {
  const { ask, askAgain, approvals, clock } = createCommandPorts();
  await approvals.ask();
  assert.match(
    String(await ask("/approve nobody once", admin)),
    /There is no approval `nobody`; `\/approve` alone shows/,
  );
  assert.match(String(await ask("/approve k2m4p7", admin)), /Say once, always or deny behind k2m4p7/);
  assert.match(String(await ask("/approve k2m4p7 alway", admin)), /`alway` is none of .*did you mean `always`/);
  const first = await ask("/approve k2m4p7 once", admin);
  assert.equal(await askAgain(), first, "resumed after a crash");
  const second = String(await ask("/approve k2m4p7 deny", admin));
  assert.match(
    second,
    /^Approval k2m4p7 was allowed already, by `chat:U1` at 20\d\d-\S+ \d\d:\d\d\. Nothing has changed\.$/,
  );
  assert.match(String(await askAgain()), /allowed already/, "the answer that counted was another one");
  assert.equal((await approvals.get(idOf("k2m4p7")))?.state, "allowed");
  await approvals.ask({ id: idOf("zz2222") });
  await clock.advance(300_000);
  assert.match(
    String(await ask("/approve zz2222 once", admin)),
    /^Too late: the time for approval zz2222 was over at /,
  );
  assert.equal((await approvals.get(idOf("zz2222")))?.state, "expired");
});

test("what cannot be had for good is not answered by `always`", async () => {
  const { ask, approvals } = createCommandPorts();
  await approvals.ask({ rules: [] });
  assert.match(String(await ask("/approve k2m4p7 always", admin)), /^Not answered: .*only once at a time/);
  assert.equal((await approvals.get(idOf("k2m4p7")))?.state, "pending");
});

test("what is open is shown whole: in a chat what was asked for there, to the owner all", async () => {
  const { ask, approvals, house } = createCommandPorts();
  assert.equal(await ask("/approve", admin), "Nothing waits for an approval here.");
  await approvals.ask();
  const text = `echo ${"x".repeat(9000)} c\u0430t`;
  await approvals.ask({
    id: idOf("zz2222"),
    channel: { adapter: "chat", channelId: "C2" },
    rules: [],
    subject: { tool: "bash", text, exact: { argv: ["bash", "-c", text], cwd: "/w", env: {} } },
  });
  const here = String(await ask("/approve", admin));
  assert.match(
    here,
    /^\*\*k2m4p7\*\*: `bash` for `chat:U1`, until \S+ \S+\n```\nls -l notes\n```\nin `\/data\/workspace`\n`\/approve k2m4p7 once\|always\|deny`$/,
  );
  house.session = { ...house.session, type: "main" };
  const all = String(await ask("/approve", admin));
  assert.ok(all.includes(`echo ${"x".repeat(9000)} c⟨U+0430⟩t\n`));
  assert.match(all, /`\/approve zz2222 once\|deny`/);
  assert.ok(all.includes("k2m4p7"));
});

test("what was asked elsewhere is answered there, or by the owner", async () => {
  const { ask, approvals, house } = createCommandPorts();
  await approvals.ask({ channel: { adapter: "chat", channelId: "C2" } });
  const unknown = /^There is no approval `k2m4p7`; `\/approve` alone shows what is open/;
  assert.match(String(await ask("/approve k2m4p7 once", admin)), unknown);
  assert.match(String(await ask("/approve k2m4p7", admin)), unknown, "nor told that there is one");
  assert.equal((await approvals.get(idOf("k2m4p7")))?.state, "pending");
  house.session = { ...house.session, type: "main" };
  assert.match(String(await ask("/approve k2m4p7 once", admin)), /^Allowed, this once/);
});

test("an answer to what was stopped says so", async () => {
  const { ask, approvals } = createCommandPorts();
  await approvals.ask();
  await approvals.answer(idOf("k2m4p7"), "deny", "mom:stopped");
  assert.match(
    String(await ask("/approve k2m4p7 once", admin)),
    /^Nothing waits for approval k2m4p7 any more: .*stopped/,
  );
});

test("/allowlist add keeps what always would, and says why it cannot", async () => {
  const { ask, askAgain, approvals } = createCommandPorts();
  assert.match(
    String(await ask("/allowlist add ls -l notes", admin)),
    /^Allowed for good, from now on without asking:\n- \*\*a1\*\* `\/usr\/bin\/ls -l notes` \(by `chat:U1`, /,
  );
  assert.match(String(await askAgain()), /\*\*a1\*\*/, "resumed after a crash");
  assert.equal((await approvals.rules("main")).length, 1);
  const refused = String(await ask("/allowlist add ls > x", admin));
  assert.match(refused, /^Not added: `ls > x` cannot be allowed for good, because it has a redirection\. /);
  assert.match(String(await ask("/allowlist add", admin)), /Say which command/);
  assert.equal((await approvals.rules("main")).length, 1);
});

test("/allowlist shows what is allowed for good and takes it away, once", async () => {
  const { ask, askAgain, approvals } = createCommandPorts();
  assert.match(String(await ask("/allowlist", admin)), /^Nothing is allowed for good/);
  await approvals.addRule(
    "main",
    { program: "/usr/bin/ls", args: [{ type: "exact", text: "it's `x`" }, { type: "path" }] },
    "cli:ann",
  );
  assert.match(
    String(await ask("/allowlist", admin)),
    /^Allowed for good:\n- \*\*a1\*\* `\/usr\/bin\/ls 'it'\\''s 'x'' <any path below the folder>` \(by `cli:ann`, /,
  );
  assert.match(String(await ask("/allowlist remove a2", admin)), /There is no rule `a2`/);
  assert.match(String(await ask("/allowlist remove", admin)), /Say which rule/);
  assert.match(String(await ask("/allowlist drop a1", admin)), /is none of add, remove/);
  assert.match(String(await ask("/allowlist remove A1", admin)), /^The rule `A1` is gone/);
  assert.match(String(await askAgain()), /is gone/);
  assert.deepEqual(await approvals.rules("main"), []);
});
