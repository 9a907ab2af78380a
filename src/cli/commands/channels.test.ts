/** `mom channels` beside a running mom, and without one: what there is, how it is, and the end of a login. */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, test } from "node:test";
import { type CliWorld, createCliWorld } from "../../../test/fakes/cli-io.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { createSystemClock } from "../../base/clock.ts";
import type { Store } from "../../contracts/store.ts";
import { buildLayout, openStore } from "../../store/index.ts";
import { buildChannelsCommand } from "./channels.ts";

let world: CliWorld;
let store: Store | undefined;
beforeEach(async () => {
  world = await createCliWorld({ channels: (io) => buildChannelsCommand(io, { letGoMs: 0 }) });
  await mkdir(world.dataDir);
  await configure({ desk: { type: "cli" }, spare: { type: "cli" } });
});
afterEach(async () => {
  await store?.close();
  store = undefined;
  await world.close();
});

const run = (...args: string[]) => world.run(["channels", ...args]);
const configure = (adapters: object) => writeFile(buildLayout(world.dataDir).configPath, JSON.stringify({ adapters }));

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

const note = (owner: Store, name: string, health: object) =>
  owner.kv.set("channel-health", name, { reconnects: 0, at: Date.now(), ...health });

test("what there is, with the account as it was last known", async () => {
  const { code, out } = await run("list");
  assert.equal(code, 0);
  const rules = "1 admin; direct: nobody else; groups: all";
  assert.equal(
    out,
    `NAME   TYPE  ACCOUNT  ENABLED  WHO MAY TALK\ndesk   cli   -        yes      ${rules}\nspare  cli   -        yes      ${rules}\n`,
  );
  await note(await openOwner(), "desk", { state: "connected", account: "@mom on Acme\u001b[31m" });
  assert.match((await run("list")).out, /\ndesk +cli +@mom on Acme\S+ +yes /);
  const [first] = JSON.parse((await run("list", "--json")).out);
  assert.deepEqual(first, {
    name: "desk",
    type: "cli",
    enabled: true,
    access: { admins: ["local"], dm: "none" },
    account: "@mom on Acme\u001b[31m",
  });
  await configure({});
  assert.match((await run("list")).err, /the config has no adapters/);
  assert.equal((await run("list", "--json")).out, "[]\n");
});

test("a running mom's channels as she says they are, with what to do", async () => {
  const owner = await openOwner();
  const now = Date.now();
  await note(owner, "desk", {
    state: "connected",
    account: "@mom",
    lastInboundAt: now - 125_000,
    lastOutboundAt: now - 10_000,
    lagMs: 120,
    reconnects: 3,
  });
  await note(owner, "spare", { state: "failed", detail: "The token is not valid.", fix: "Put in a new one." });
  const { out, err } = await run("status");
  assert.equal(err, "");
  const [titles, desk, spare, ...trouble] = out.split("\n");
  assert.match(titles ?? "", /^NAME +TYPE +STATE +ACCOUNT +LAST IN +LAST OUT +LAG +RECONNECTS$/);
  assert.match(desk ?? "", /^desk +cli +connected +@mom +2 min ago +just now +120 ms +3$/);
  assert.match(spare ?? "", /^spare +cli +failed +- +- +- +- +0$/);
  assert.deepEqual(trouble, ["spare: The token is not valid.", "  fix: Put in a new one.", ""]);
  const { running, channels } = JSON.parse((await run("status", "--json")).out);
  assert.equal(running.pid, process.pid);
  assert.deepEqual(
    channels.map(({ name, now: state, health }: { name: string; now: string; health: { state: string } }) => [
      name,
      state,
      health.state,
    ]),
    [
      ["desk", "connected", "connected"],
      ["spare", "failed", "failed"],
    ],
  );
});

test("what an earlier life wrote down is not what is true now", async () => {
  const earlier = await openOwner();
  await note(earlier, "desk", { state: "failed", detail: "The token is not valid.", at: Date.now() - 7200_000 });
  await earlier.kv.set("channel-health", "spare", { mood: "good" });
  const now = await run("status");
  assert.match(now.out, /\ndesk +cli +starting [^\n]*\nspare +cli +starting /);
  assert.doesNotMatch(now.out, /token/);

  await earlier.close();
  store = undefined;
  const { out, err } = await run("status");
  assert.match(err, /no mom is running there; this is what was last known/);
  assert.match(out, /\ndesk +cli +not running, was failed 2 h ago [^\n]*\nspare +cli +not running +-/);
  assert.match(out, /desk: The token is not valid\.\n$/);
  assert.equal(JSON.parse((await run("status", "--json")).out).running, false);
});

test("a name that is not there is guessed at; a terminal has no login to end", async () => {
  const unknown = await run("logout", "desc");
  assert.equal(unknown.code, 2);
  assert.match(unknown.err, /no adapter "desc"[\s\S]*Did you mean "desk"\?[\s\S]*UNKNOWN_ADAPTER/);
  assert.match((await run("logout", "constructor")).err, /The config has: desk, spare\./);
  const none = await run("logout", "desk");
  assert.equal(none.code, 2);
  assert.match(none.err, /is of the type cli, which has no login[\s\S]*CHANNEL_HAS_NO_LOGIN/);
});

const telegram = `// my logins
{
  adapters: {
    // the family's
    "home.bot": { type: "telegram", botToken: "123456789:AAE-not-a-real-token-not-a-real-token", admins: ["42"] },
  },
}
`;
const configPath = () => buildLayout(world.dataDir).configPath;

test("a login is ended: off in the config, its connection forgotten, what was said kept", async () => {
  await writeFile(configPath(), telegram);
  const owner = await openOwner();
  const chat = { adapter: "home.bot", channelId: "42" };
  const message = {
    id: "m1",
    channelId: "42",
    timestamp: "2026-01-01T00:00:00.000Z",
    sender: { id: "42", username: "ann", isBot: false },
    text: "hello",
    attachments: [],
    isMention: true,
  };
  await owner.inbox.accept({ adapter: chat.adapter, message, verdict: { type: "heard" } });
  for (const scope of ["channel:home.bot", "channel:home"]) await owner.kv.set(scope, "offset", 7);
  await note(owner, "home.bot", { state: "stopped" });
  const { code, out, err } = await run("logout", "home.bot");
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, /^home\.bot is logged out: it is off in the config/);
  assert.match(
    out,
    /\nThe login itself is still good\. Where it can be taken back on Telegram:\n {2}\S[^\n]*BotFather/,
  );
  assert.match(out, /\nTo use it again: mom config set adapters\."home\.bot"\.enabled true\n$/);
  assert.doesNotMatch(out, /not-a-real-token/);

  const text = await readFile(configPath(), "utf8");
  assert.match(text, /\/\/ the family's\n[\s\S]*not-a-real-token[\s\S]*enabled: false/);
  assert.equal(await owner.kv.get("channel:home.bot", "offset"), undefined);
  assert.equal(await owner.kv.get("channel:home", "offset"), 7);
  assert.equal((await owner.channels.tail(chat, 9)).length, 1);
  assert.match(
    (await run("list")).out,
    /\nhome\.bot +telegram +- +no +1 admin; direct: nobody else or by code; groups: none\n$/,
  );
  assert.match((await run("status")).out, /\nhome\.bot +telegram +off /);
  const again = JSON.parse((await run("logout", "home.bot", "--json")).out);
  assert.deepEqual([again.name, again.enabled, again.isLetGo], ["home.bot", false, true]);
});

test("a mom that has not let go yet is told of; one that does not run need not", async () => {
  await writeFile(configPath(), telegram);
  const owner = await openOwner();
  await note(owner, "home.bot", { state: "connected" });
  assert.match((await run("logout", "home.bot")).err, /has not let go of it yet/);
  await writeFile(configPath(), telegram);
  await owner.close();
  store = undefined;
  assert.equal((await run("logout", "home.bot")).err, "");
});
