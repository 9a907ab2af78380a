/** Commands for whoever runs mom: standing orders, settings, keys, restart. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCommandPorts } from "../../test/fakes/command-ports.ts";
import type { ProviderStatus } from "../contracts/model.ts";

const admin = { isAdmin: true };

test("/rule add keeps an order once and says what of it is enforced", async () => {
  const { ask, askAgain, house } = createCommandPorts();
  assert.match(String(await ask("/rule", admin)), /There are no standing orders/);
  const first = await ask("/rule add deny bash: no programs, `ever`", admin);
  assert.match(
    String(first),
    /^Standing order \*\*r1\*\*: `deny bash: no programs, 'ever'`\n- enforced by mom herself: the tools `bash` are refused$/,
  );
  assert.equal(await askAgain(), first);
  assert.equal(house.orders.length, 1);
  assert.equal(house.orders[0]?.by, "chat:U1");
  assert.match(String(await ask("/rule add be kind", admin)), /nothing of it is enforced by mom herself/);
  assert.match(
    String(await ask("/rule add not to #all: no posts", admin)),
    /- enforced by mom herself: tools send nothing to `#all`, `C9` \(what I say myself in that chat is no tool\)$/,
  );
  assert.match(String(await ask("/rule LIST", admin)), /- \*\*r1\*\* .*\n {2}- enforced[\s\S]*- \*\*r3\*\*/);
});

test("/rule add finds whom its recipients are, as tools name them", async () => {
  const { ask, house } = createCommandPorts();
  house.channels = [
    { id: "C1", name: "general", type: "channel" },
    { id: "C2", name: "#Général", type: "group" },
    { id: "D7", name: "Bob Smith", type: "dm" },
    { id: "C3", name: "bob smith", type: "channel" },
    { id: "U8", name: "private", type: "dm" },
  ];
  house.users = [
    { id: "U7", username: "bob", displayName: "Bob Smith" },
    { id: "U8", username: "@Carol" },
    { id: "U9", username: "general" },
  ];
  const cases: [typed: string, recipients: string[]][] = [
    ["#General", ["#General", "C1", "U9"]],
    ["général", ["général", "C2"]],
    ["@bob", ["@bob", "U7", "D7"]],
    ["Bob Smith", ["Bob Smith", "D7", "C3", "U7"]],
    ["@carol", ["@carol", "U8"]],
    ["c1, u7", ["c1", "C1", "u7", "U7", "D7"]],
  ];
  for (const [typed, recipients] of cases) {
    await ask(`/rule add not to ${typed}: no posts`, admin);
    assert.deepEqual(house.orders.at(-1)?.denyRecipients, recipients, typed);
  }
});

test("/rule add keeps no order against somebody unknown, but says so to nobody whose order it has kept", async () => {
  const { ask, askAgain, house } = createCommandPorts();
  assert.match(
    String(await ask("/rule add not to #al, @`x`: no posts", admin)),
    /^Not saved: I know no chat or person `#al` \(did you mean `#all`\?\), `@'x'` here\. /,
  );
  assert.match(String(await ask("/rule add not to @anm: no posts", admin)), /did you mean `@ann`/);
  assert.equal(house.orders.length, 0);
  const kept = await ask("/rule add not to @ann: no posts", admin);
  house.users = [];
  assert.equal(await askAgain(), kept, "the platform may not have told of anybody yet after a restart");
  assert.equal(house.orders.length, 1);
});

test("/rule refuses what would not hold, what is too much, and everybody but admins", async () => {
  const { ask, house } = createCommandPorts();
  for (const text of ["/rule", "/rule list", "/rule add be kind", "/rule remove r1"]) {
    assert.match(String(await ask(text)), /is for admins only/, text);
  }
  assert.match(
    String(await ask("/rule add deny bsh: no", admin)),
    /^Not saved, because it would forbid less than it says: .*bsh/,
  );
  assert.match(String(await ask("/rule add deny bsh, gerp: no", admin)), /bsh; gerp/);
  assert.match(
    String(await ask("/rule add", admin)),
    /Say what the order is\. Usage: `\/rule add <text> \| list \| remove <id>`/,
  );
  assert.match(String(await ask(`/rule add ${"x".repeat(1001)}`, admin)), /at most 1000 characters, this has 1001/);
  assert.match(String(await ask("/rule ad x", admin)), /did you mean `add`/);
  assert.match(String(await ask("/rule list all", admin)), /takes nothing/);
  assert.equal(house.orders.length, 0);
  for (let n = 0; n < 50; n++) await ask(`/rule add order ${n}`, admin);
  assert.match(String(await ask("/rule add one more", admin)), /^Not saved: there are 50/);
});

test("/rule remove withdraws an order, and says so again when it is answered again", async () => {
  const { ask, askAgain, house } = createCommandPorts();
  await ask("/rule add be kind", admin);
  const removed = await ask("/rule remove R1", admin);
  assert.equal(removed, "The standing order `R1` is no longer in force.");
  assert.equal(await askAgain(), removed);
  assert.equal(house.orders.length, 0);
  assert.match(String(await ask("/rule remove r1", admin)), /There is no standing order `r1`/);
  assert.match(String(await ask("/rule remove", admin)), /Say which order/);
});

test("/settings shows and sets, and takes no secret in a chat", async () => {
  const { ask, askAgain, house } = createCommandPorts();
  assert.match(String(await ask("/settings", admin)), /^```json5\n\{"queue"/);
  assert.match(String(await ask("/settings queue", admin)), /^`queue`\n\n```json5\n\{ mode: 'steer' \}\n```$/);
  assert.equal(await ask("/settings no.such", admin), "no.such is not set.");
  assert.equal(await ask('/settings adapters."a b".dm everyone here', admin), 'adapters."a b".dm is set.');
  assert.equal(house.settings.get('adapters."a b".dm'), "everyone here");
  const before = house.settings.size;
  await askAgain();
  assert.equal(house.settings.size, before);
  assert.match(String(await ask('/settings "open', admin)), /A path has keys joined by dots.*Usage/);
  const refused = [
    "models.providers.openai.apiKey sk-12345",
    'adapters.slack."bot-token" xoxb-1',
    "models.providers.openai { apiKey: 'sk-12345' }",
    "models.providers.openai.apiKey { a: 'sk-12345' }",
  ];
  for (const args of refused) assert.match(String(await ask(`/settings ${args}`, admin)), /^Not set: .*logged/, args);
  assert.equal(house.settings.size, before);
  const taken = [
    "models.providers.openai.apiKey ${OPENAI_KEY}",
    "models.providers.a.apiKey { $file: '/run/key' }",
    "models.providers.b { apiKey: '${KEY}' }",
    "limits.maxTokens 4000",
  ];
  for (const args of taken) assert.match(String(await ask(`/settings ${args}`, admin)), /is set\./, args);
});

const createProviders = (): ProviderStatus[] => [
  {
    name: "anthropic",
    usable: true,
    profiles: [
      {
        id: "anthropic:work",
        type: "api_key",
        from: "auth.json",
        state: "ready",
        coolingModels: [{ model: "m`1", until: 0 }],
      },
      {
        id: "anthropic:env",
        type: "api_key",
        from: "environment",
        state: "disabled",
        until: 0,
        reason: "billing",
        coolingModels: [],
      },
    ],
  },
  { name: "openai", usable: false, missing: "No API key for openai.", profiles: [] },
];

test("/login shows how keys stand and how to add one on the host", async () => {
  const { ask, house } = createCommandPorts();
  assert.match(String(await ask("/login", admin)), /^No model provider is known/);
  house.providers = createProviders();
  const all = String(await ask("/login", admin));
  assert.match(
    all,
    /- `anthropic`: usable\n {2}- `anthropic:work` api key from auth\.json: ready; cooling: `m'1` until /,
  );
  assert.match(
    all,
    /`anthropic:env` api key from environment: disabled until .* \(`billing`\)\n- `openai`: not usable: No API key/,
  );
  assert.match(all, /`mom auth add <provider>`/);
  const one = String(await ask("/login OpenAI", admin));
  assert.match(one, /`mom auth add openai`/);
  assert.doesNotMatch(one, /anthropic/);
  assert.match(String(await ask("/login opnai", admin)), /no provider `opnai` \(did you mean `openai`\?\)/);
});

test("/logout removes what auth.json has, and nothing else", async () => {
  const { ask, askAgain, house } = createCommandPorts();
  house.providers = createProviders();
  assert.match(String(await ask("/logout", admin)), /Say which profile.*Usage: `\/logout <profile>`/);
  assert.match(String(await ask("/logout anthropic:wrok", admin)), /did you mean `anthropic:work`/);
  assert.match(String(await ask("/logout anthropic:env", admin)), /comes from the environment, so I cannot remove it/);
  const removed = await ask("/logout anthropic:work", admin);
  assert.equal(removed, "`anthropic:work` is removed; it is not used any more.");
  assert.equal(await askAgain(), removed);
  assert.deepEqual(
    house.providers.flatMap(({ profiles }) => profiles.map(({ id }) => id)),
    ["anthropic:env"],
  );
});

test("/reload and /restart", async () => {
  const { ask, house } = createCommandPorts();
  assert.equal(await ask("/reload", admin), "Read again; nothing changed.");
  assert.match(String(await ask("/restart", { ...admin, turn: {} })), /^Restarting/);
  assert.equal(house.restarts.length, 1);
  assert.match(String(await ask("/reload now", admin)), /takes nothing/);
  assert.match(String(await ask("/restart now", admin)), /takes nothing/);
  assert.deepEqual([house.reloads, house.restarts.length], [1, 1]);
});
