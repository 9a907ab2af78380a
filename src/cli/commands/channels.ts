/**
 * `mom channels`: the logins to chat platforms that a data directory has, how a running mom says they are, and the end of
 * one. Looks at the config and at what the running mom writes down; connects to nothing.
 */
import { Command } from "commander";
import { configSchema } from "../../app/index.ts";
import { UsageError } from "../../base/errors.ts";
import { accessRulesOf, formatAccess, loadLogin } from "../../channels/index.ts";
import { buildInvalidError, editConfig, loadConfig, saveConfigText, toParseDeps } from "../../config/index.ts";
import type { AccessRules } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Store } from "../../contracts/store.ts";
import { createSilentLog } from "../cli-log.ts";
import { dataOption } from "../data-dir.ts";
import { type AdapterConfig, findAdapter } from "../find-adapter.ts";
import { type Column, formatTable } from "../format-table.ts";
import { formatAge } from "../format-values.ts";
import { type Holder, readHolderNow } from "../holder.ts";
import type { CliIo } from "../io.ts";
import { loadValidConfig } from "../load-valid-config.ts";
import { note, printJson, printLines } from "../print.ts";
import { type ChannelHealth, readChannelHealth } from "../read-channel-health.ts";
import { withGuestStore } from "../with-guest-store.ts";

interface Options {
  data?: string;
  json?: true;
}

interface Channel {
  name: string;
  type: string;
  enabled: boolean;
  access: AccessRules;
  /** As it was last written down. */
  health?: ChannelHealth;
}

/** How long a running mom is given to disconnect. */
const defaultLetGoMs = 15_000;

export function buildChannelsCommand(io: CliIo, { letGoMs = defaultLetGoMs } = {}): Command {
  const channels = new Command("channels").description("The logins to chat platforms: what there is, and how it is.");
  const add = (name: string, description: string) =>
    channels
      .command(name)
      .description(description)
      .option("--json", "print JSON")
      .option(...dataOption);
  add("list", "list them, and who may talk through each").action((options: Options) => list(io, options));
  add("status", "show how the running mom says they are").action((options: Options) => showStatus(io, options));
  add("logout", "switch one off and forget its connection; what was said there stays")
    .argument("<name>", "as `mom channels list` prints it")
    .action((name: string, options: Options) => logOut(io, options, { name, letGoMs }));
  return channels;
}

async function readChannels(io: CliIo, dataDir: string, store: Store | undefined): Promise<Channel[]> {
  const { config } = await loadValidConfig(io, dataDir, { create: false });
  const found = Object.entries(config.adapters).map(async ([name, adapter]): Promise<Channel> => {
    const health = await readChannelHealth(store?.kv, name);
    const access = accessRulesOf(adapter);
    return { name, type: adapter.type, enabled: isEnabled(adapter), access, ...(health && { health }) };
  });
  return Promise.all(found);
}

const isEnabled = (config: AdapterConfig): boolean => !("enabled" in config) || config.enabled !== false;

async function list(io: CliIo, { data, json }: Options): Promise<void> {
  await withGuestStore(io, data, async ({ store, dataDir }) => {
    const channels = await readChannels(io, dataDir, store);
    if (json) {
      const shown = channels.map(({ health, ...channel }) => ({ ...channel, account: health?.account }));
      return printJson(io, shown);
    }
    if (channels.length === 0) return note(io, "the config has no adapters");
    printLines(io, formatTable(listColumns, channels));
  });
}

const listColumns: Column<Channel>[] = [
  { title: "NAME", toText: ({ name }) => name },
  { title: "TYPE", toText: ({ type }) => type },
  { title: "ACCOUNT", toText: ({ health }) => health?.account ?? "-" },
  { title: "ENABLED", toText: ({ enabled }) => (enabled ? "yes" : "no") },
  { title: "WHO MAY TALK", toText: ({ access }) => formatAccess(access) },
];

async function showStatus(io: CliIo, { data, json }: Options): Promise<void> {
  await withGuestStore(io, data, async ({ store, dataDir, clock }) => {
    const running = readHolderNow(dataDir);
    const channels = await readChannels(io, dataDir, store);
    if (json) {
      const shown = channels.map(({ access: _, ...channel }) => ({ ...channel, now: pickState(channel, running) }));
      return printJson(io, { running: running ?? false, channels: shown });
    }
    if (!running) note(io, "no mom is running there; this is what was last known");
    if (channels.length === 0) return note(io, "the config has no adapters");
    printLines(io, [
      ...formatTable(buildStatusColumns(running, clock.now()), channels),
      ...channels.flatMap((channel) => formatTrouble(channel, running)),
    ]);
  });
}

/** What is true now; what was written down in an earlier life is not. */
function pickState({ enabled, health }: Pick<Channel, "enabled" | "health">, running: Holder | undefined): string {
  if (!enabled) return "off";
  if (!running) return "not running";
  if (!health || health.at < Date.parse(running.startedAt)) return "starting";
  return health.state;
}

function buildStatusColumns(running: Holder | undefined, nowMs: number): Column<Channel>[] {
  const age = (atMs: number | undefined) => (atMs === undefined ? "-" : formatAge(nowMs - atMs));
  const state = (channel: Channel) => {
    const { enabled, health } = channel;
    const then = !running && enabled && health ? `, was ${health.state} ${formatAge(nowMs - health.at)}` : "";
    return `${pickState(channel, running)}${then}`;
  };
  return [
    { title: "NAME", toText: ({ name }) => name },
    { title: "TYPE", toText: ({ type }) => type },
    { title: "STATE", toText: state },
    { title: "ACCOUNT", toText: ({ health }) => health?.account ?? "-" },
    { title: "LAST IN", toText: ({ health }) => age(health?.lastInboundAt) },
    { title: "LAST OUT", toText: ({ health }) => age(health?.lastOutboundAt) },
    {
      title: "LAG",
      align: "right",
      toText: ({ health }) => (health?.lagMs === undefined ? "-" : `${health.lagMs} ms`),
    },
    { title: "RECONNECTS", align: "right", toText: ({ health }) => String(health?.reconnects ?? "-") },
  ];
}

function formatTrouble(channel: Channel, running: Holder | undefined): string[] {
  const { name, enabled, health } = channel;
  const isStale = running !== undefined && pickState(channel, running) === "starting";
  if (!enabled || isStale || health?.detail === undefined) return [];
  return [`${name}: ${health.detail}`, ...(health.fix === undefined ? [] : [`  fix: ${health.fix}`])];
}

async function logOut(io: CliIo, { data, json }: Options, asked: { name: string; letGoMs: number }): Promise<void> {
  const { name } = asked;
  await withGuestStore(io, data, async ({ store, dataDir, clock }) => {
    const { config } = await loadValidConfig(io, dataDir, { create: false });
    const adapter = findAdapter(config, name);
    const login = await loadLogin(adapter.type, { clock, log: createSilentLog(clock) });
    if (!login) {
      throw new UsageError("CHANNEL_HAS_NO_LOGIN", `"${name}" is of the type ${adapter.type}, which has no login.`, {
        hint: `To be rid of it, take it out of the config: mom config unset ${toPath(name)}`,
      });
    }
    const wasOn = isEnabled(adapter);
    if (wasOn) await switchOff(io, dataDir, name);
    // An adapter writes down where it was when it stops: only then is there nothing more to forget.
    const isLetGo = !wasOn || (await waitUntilStopped({ store, clock, dataDir }, asked));
    await store?.kv.clear(`channel:${name}`);
    const revoke = login.fields.filter(({ isSecret }) => isSecret).map(({ label, hint }) => ({ label, hint }));
    if (json) return printJson(io, { name, enabled: false, isLetGo, revoke });
    if (!isLetGo) note(io, "the running mom has not let go of it yet; `mom channels status` shows it");
    printLines(io, [
      `${name} is logged out: it is off in the config, and nothing of its connection is kept. What was said there stays.`,
      `The login itself is still good. Where it can be taken back on ${login.label}:`,
      ...revoke.map(({ label, hint }) => `  ${label}: ${hint}`),
      `To use it again: mom config set ${toPath(name)}.enabled true`,
    ]);
  });
}

const toPath = (name: string) => `adapters.${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}`;

async function switchOff(io: CliIo, dataDir: string, name: string): Promise<void> {
  const deps = { schema: configSchema, env: io.env };
  const { text } = await loadConfig(dataDir, deps);
  const edited = await editConfig(text, `${toPath(name)}.enabled`, false, toParseDeps(dataDir, deps));
  if (edited.type === "invalid") throw await buildInvalidError(dataDir, edited.problems);
  if (edited.type === "ok") await saveConfigText(dataDir, edited.text);
}

interface Watched {
  store: Store | undefined;
  clock: Clock;
  dataDir: string;
}

async function waitUntilStopped(
  { store, clock, dataDir }: Watched,
  { name, letGoMs }: { name: string; letGoMs: number },
): Promise<boolean> {
  const until = clock.monotonic() + letGoMs;
  for (;;) {
    const isOver = readHolderNow(dataDir) === undefined;
    const health = isOver ? undefined : await readChannelHealth(store?.kv, name);
    if (health === undefined || health.state === "stopped") return true;
    if (clock.monotonic() >= until) return false;
    await clock.sleep(100);
  }
}
