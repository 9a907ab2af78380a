/** Two processes on one data directory: an answer from either counts once, and the other one sees it. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import type { NewApproval } from "../contracts/approval.ts";
import type { ApprovalId, SessionKey, TurnId } from "../contracts/ids.ts";
import type { Store } from "../contracts/store.ts";
import { buildLayout } from "./layout.ts";
import { openStore } from "./open-store.ts";

const clock = createFakeClock();
const asked: NewApproval = {
  id: "k2m4p7" as ApprovalId,
  turnId: "t1" as TurnId,
  toolCallId: "c1",
  sessionKey: "agent:main:main" as SessionKey,
  agentId: "main",
  channel: { adapter: "slack", channelId: "C1" },
  sender: "slack:U1",
  subject: { tool: "bash", text: "ls", exact: { argv: ["bash", "-c", "ls"], cwd: "/w", env: {} } },
  hash: "h",
  reason: "asked",
  rules: [{ program: "/bin/ls", args: [] }],
  expiresAt: clock.now() + 60_000,
};

async function openBoth(context: TestContext): Promise<{ owner: Store; guest: Store }> {
  const { dir } = await createTempFolder(context);
  const open = (role: "owner" | "guest") =>
    openStore({ layout: buildLayout(dir), clock, log: silentLog, role, routesOf: () => [] });
  const owner = await open("owner");
  context.after(() => owner.close());
  const guest = await open("guest");
  context.after(() => guest.close());
  return { owner, guest };
}

test("an answer given beside a running mom is the one that counts there", async (context) => {
  const { owner, guest } = await openBoth(context);
  await owner.approvals.request(asked);
  assert.deepEqual(await guest.approvals.get(asked.id), await owner.approvals.get(asked.id));
  const changed = Promise.withResolvers<void>();
  context.after(owner.onOutsideChange(() => changed.resolve()));
  assert.equal((await guest.approvals.answer(asked.id, "always", "cli:ann")).type, "answered");
  const ticking = setInterval(() => void clock.advance(400), 5);
  await changed.promise.finally(() => clearInterval(ticking));
  assert.deepEqual(await owner.approvals.answer(asked.id, "deny", "slack:U1"), {
    type: "late",
    approval: await guest.approvals.get(asked.id),
  });
  assert.equal((await owner.approvals.rules("main"))[0]?.by, "cli:ann");
  assert.deepEqual([await owner.approvals.use(asked.id, "h"), await guest.approvals.use(asked.id, "h")], [true, false]);
  assert.equal(await guest.approvals.removeRule("main", "a1"), true);
  assert.deepEqual(await owner.approvals.rules("main"), []);
});
