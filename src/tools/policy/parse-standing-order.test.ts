/** What of a standing order code can check, and what only the model can read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStandingOrder } from "./parse-standing-order.ts";

const cases: [text: string, tools: string[], recipients: string[]][] = [
  ["always answer in German", [], []],
  ["deny bash: no commands on this machine", ["bash"], []],
  ["deny bash, group:fs", ["bash", "group:fs"], []],
  ["deny exec; not to #general: keep it between us", ["exec"], ["#general"]],
  ["not to bob, @carol: they are on holiday", [], ["bob", "@carol"]],
  ["never use bash", ["bash"], []],
  ["please don't run the `exec` tool, and do not use cron", ["exec", "cron"], []],
  ["don’t use bash", ["bash"], []],
  ["Don’t run “bash” please", ["bash"], []],
  ["never use bash: it is dangerous", ["bash"], []],
  ["do not use write or edit", ["write", "edit"], []],
  ["do not use write, edit, or the exec tool", ["write", "edit", "exec"], []],
  ["never use the tools `bash` and `cron`.", ["bash", "cron"], []],
  ["do not use bash, curl or write", ["bash"], []],
  ["do not use curl or bash", [], []],
  ["don't use group:fs or attach", ["group:fs", "attach"], []],
  ["never use read*", [], []],
  ["deny bash and write or edit: look only", ["bash", "write", "edit"], []],
  ["deny bash\nno commands on this machine", ["bash"], []],
  ["not to mention prices to customers", [], []],
  ["not to forget: never use bash", ["bash"], ["forget"]],
  ["not to #general", [], ["#general"]],
  ["not to #general, @bob and @carol", [], ["#general", "@bob", "@carol"]],
  ["not to #general #random", [], ["#general", "#random"]],
  ["not to #general or customers", [], []],
  ["not to Bob Smith, general; keep it between us", [], ["Bob Smith", "general"]],
  ["not to bob:", [], ["bob"]],
  ["do not use swear words", [], []],
  ["never run away", [], []],
  ["do not send mail until I say so", [], []],
];
for (const [text, tools, recipients] of cases) {
  test(`what code can check of: ${text}`, async () => {
    const order = await parseStandingOrder(text);
    assert.equal(order.text, text);
    assert.deepEqual(order.denyTools, tools);
    assert.deepEqual(order.denyRecipients, recipients);
    assert.deepEqual(order.unknown, []);
  });
}

test("a name after deny that means no tool is told, with the nearest", async () => {
  const { unknown } = await parseStandingOrder("deny bsh: no commands");
  assert.deepEqual(unknown, ['"bsh" means no tool; did you mean "bash"?']);
});
