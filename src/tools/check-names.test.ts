import assert from "node:assert/strict";
import { test } from "node:test";
import { checkToolNames } from "./check-names.ts";
import { agentToolsConfig, toolsConfig } from "./config.ts";

test("warns of a name that means nothing, in every list of the house", async () => {
  const slip = { allow: ["raed"], deny: ["bsah"] };
  const places = {
    ...slip,
    byProvider: { openai: slip },
    byModel: { "lab/m.1": slip },
    bySession: { group: slip },
    byChannel: { "slack/C1": slip },
    bySender: { "slack:U1": slip },
    sandbox: slip,
    approve: ["wirte"],
  };
  const warnings = await checkToolNames(toolsConfig.parse(places));
  const paths = [
    "tools",
    "tools.byProvider.openai",
    'tools.byModel."lab/m.1"',
    "tools.bySession.group",
    "tools.byChannel.slack/C1",
    "tools.bySender.slack:U1",
    "tools.sandbox",
  ];
  assert.deepEqual(warnings, [
    ...paths.flatMap((path) => [
      `${path}.allow: "raed" means no tool; did you mean "read"?`,
      `${path}.deny: "bsah" means no tool; did you mean "bash"?`,
    ]),
    'tools.approve: "wirte" means no tool; did you mean "write"?',
  ]);
});

test("warns of the agents' own lists too, and takes one agent's lists by themselves", async () => {
  const own = agentToolsConfig.parse({ deny: ["bsah"], byProvider: { lab: { allow: ["group:fss"] } } });
  const agents = { main: {}, dev: { tools: own } };
  assert.deepEqual(await checkToolNames(toolsConfig.parse({}), { agents }), [
    'agents.dev.tools.deny: "bsah" means no tool; did you mean "bash"?',
    'agents.dev.tools.byProvider.lab.allow: "group:fss" means no tool; did you mean "group:fs"?',
  ]);
  assert.equal((await checkToolNames(own))[0], 'tools.deny: "bsah" means no tool; did you mean "bash"?');
});

test("knows tools that are yet to come, and those that are not native where they are named", async () => {
  const config = toolsConfig.parse({ deny: ["canvas", "nodes", "group:nodes", "weather"] });
  const tools = [{ name: "weather", group: "host", origin: "host" as const }];
  assert.deepEqual(await checkToolNames(config, { tools }), []);
  assert.deepEqual(await checkToolNames(config), ['tools.deny: "weather" means no tool']);
});

test("says what it cannot know: custom tools that nobody has loaded yet may have the name, but never a group", async () => {
  const config = toolsConfig.parse({ deny: ["weather", "bsah", "group:fss"], approve: ["lamp*"] });
  assert.deepEqual(await checkToolNames(config, { hasUnlisted: true }), [
    'tools.deny: "weather" means no tool, unless a custom tool is called so',
    'tools.deny: "bsah" means no tool, unless a custom tool is called so; did you mean "bash"?',
    'tools.deny: "group:fss" means no tool; did you mean "group:fs"?',
    'tools.approve: "lamp*" means no tool, unless a custom tool is called so',
  ]);
});

test("warns of a chat or person on an adapter that is not there", async () => {
  const config = toolsConfig.parse({
    byChannel: { wrok: {}, "work/C1": {}, slack: {} },
    bySender: { "telegram:7": {}, "slack:U1": {} },
  });
  assert.deepEqual(await checkToolNames(config, { adapters: { work: { type: "slack" } } }), [
    'tools.byChannel.wrok: there is no adapter or type "wrok"; did you mean "work"?',
    'tools.bySender.telegram:7: there is no adapter or type "telegram"',
  ]);
});
