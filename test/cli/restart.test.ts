/** `/restart` stops mom in order and begins anew in the same process, with the same arguments. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeFolder, startMom } from "./mom.ts";

test("the owner restarts mom from the chat: the reply comes first, and the next message is answered", async (t) => {
  const mom = startMom(t, ["./data"], { cwd: await makeFolder(t) });
  await mom.until("out", /^mom ready \S*\n/);
  const { pid } = mom.child;
  mom.say("/restart\n");
  await mom.until("out", /^mom ready \S*\n.+\n(?:.*\n)*mom ready \S*\n/);
  mom.say("hello\n");
  await mom.until("out", /built-in offline helper/);
  assert.equal(mom.child.pid, pid);
  mom.child.kill("SIGTERM");
  const { code, out } = await mom.ended;
  assert.equal(code, 0);
  assert.equal(out.match(/mom ready/g)?.length, 2, "it begins anew once");
});
