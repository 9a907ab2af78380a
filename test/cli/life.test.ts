/** What a command that runs the app does when something breaks, or when it is asked to end twice. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder, startMom } from "./mom.ts";

const entry = join(import.meta.dirname, "life-child.ts");

for (const crash of ["throws", "rejects"]) {
  test(`something that ${crash} where nobody looks is logged, and everything is stopped in order`, async (t) => {
    const { code, out, err } = await startMom(t, [crash], { cwd: await makeFolder(t), entry }).ended;
    assert.equal(code, 1);
    assert.equal(out, "ready\nstopping\nstopped\nclosed\nreleased\n");
    const line = JSON.parse(err.trim());
    assert.equal(line.level, "error");
    assert.match(line.error.message, crash === "throws" ? /JSON/ : /nobody waits for this/);
  });
}

test("a second signal leaves at once, with the terminal given back", async (t) => {
  const mom = startMom(t, ["lives", "hangs"], { cwd: await makeFolder(t), entry });
  await mom.until("out", /ready/);
  mom.child.kill("SIGTERM");
  await mom.until("out", /stopping/);
  mom.child.kill("SIGINT");
  const { code, out } = await mom.ended;
  assert.deepEqual([code, out], [1, "ready\nstopping\nclosed\n"]);
});
