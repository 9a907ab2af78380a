import assert from "node:assert/strict";
import { test } from "node:test";
import { buildInput, buildPolicyConfig } from "../../test/fakes/policy-case.ts";
import type { StandingOrder } from "../contracts/standing-order.ts";
import { listTools } from "./list-tools.ts";

const order: StandingOrder = {
  id: "r1",
  agentId: "main",
  text: "no commands",
  denyTools: ["exec", "weather"],
  denyRecipients: [],
  by: "cli:me",
  createdAt: 0,
};

const others = [{ name: "weather", group: "host", origin: "host" as const }];

test("lists native and other tools with the verdict of policy and of standing orders", async () => {
  const listed = await listTools(buildPolicyConfig({ deny: ["cron", "weather"] }), buildInput(), [order], others);
  const find = (wanted: string) => listed.find(({ name }) => name === wanted) ?? assert.fail(wanted);
  assert.deepEqual([find("read").allowed, find("read").origin, find("read").group], [true, "native", "fs"]);
  assert.ok(listed.every(({ layers, origin }) => layers.length === (origin === "native" ? 10 : 11)));
  assert.equal(find("bash").removedBy?.layer, "standing orders");
  assert.equal(find("bash").layers.at(-1)?.verdict, "removed");
  assert.match(find("bash").layers.at(-1)?.rule ?? "", /r1 "no commands"/);
  assert.deepEqual(find("cron").removedBy, { layer: "global", rule: 'denied by "cron" in tools.deny' });
  assert.deepEqual(find("cron").layers.at(-1), { layer: "standing orders", verdict: "not asked" });
  assert.deepEqual([find("weather").origin, find("weather").removedBy?.layer], ["host", "global"]);
  assert.match(find("weather").layers.at(-2)?.rule ?? "", /r1/, "what would remove it too");
});

test("a custom tool that is disabled, or has no door to it, cannot be used whatever policy says", async () => {
  const list = async (...given: Parameters<typeof buildPolicyConfig>) =>
    (await listTools(buildPolicyConfig(...given), buildInput(), [], others)).at(-1) ?? assert.fail();
  const open = await list();
  assert.deepEqual([open.allowed, open.layers.at(-1)], [true, { layer: "custom tools", verdict: "kept" }]);
  const shut = await list({ deny: ["invoke_tool"] });
  assert.equal(shut.allowed, false);
  assert.match(shut.removedBy?.rule ?? "", /called through invoke_tool, which is not allowed/);
  const off = await list({ host: { disabled: ["weather"] } });
  assert.deepEqual(off.removedBy, { layer: "custom tools", rule: "it is in tools.host.disabled" });
  const denied = await list({ deny: ["weather"], host: { disabled: ["weather"] } });
  assert.equal(denied.removedBy?.layer, "global");
  assert.equal(denied.layers.at(-1)?.verdict, "not asked");
});
