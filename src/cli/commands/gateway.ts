/** `mom gateway`: how the gateway of a running mom is, who is connected, a link for a browser, and any method by hand. */
import { Command } from "commander";
import { createSystemClock } from "../../base/clock.ts";
import { formatBytes, formatCount, formatMoment } from "../../base/format-values.ts";
import type { Clock } from "../../contracts/clock.ts";
import { buildProtocolSchema, type Presence, type Result } from "../../gateway/protocol/index.ts";
import { dataOption, findDataDir } from "../data-dir.ts";
import { type Column, formatTable } from "../format-table.ts";
import { formatAge } from "../format-values.ts";
import { ensureGateway, type FoundGateway, readToken, tokenPathOf } from "../gateway/find-gateway.ts";
import { withGateway } from "../gateway/open-client.ts";
import { parseCall } from "../gateway/parse-call.ts";
import type { CliIo } from "../io.ts";
import { parseCount } from "../parse-count.ts";
import { note, printJson, printLines } from "../print.ts";
import { readTextOption } from "../read-text-option.ts";

interface Options {
  data?: string;
  json?: true;
}

const usualTimeoutSeconds = 60;

export function buildGatewayCommand(io: CliIo): Command {
  const gateway = new Command("gateway").description(
    "Talks to the gateway of a running mom: the web page, the API and the WebSocket that other programs use.",
  );
  const add = (name: string, description: string) =>
    gateway
      .command(name)
      .description(description)
      .option(...dataOption);
  add("status", "where it listens, how mom is, and who is connected")
    .option("--json", "print JSON")
    .action((options: Options) => showStatus(io, options));
  add("call", "call a method and print what it gives, as JSON")
    .argument("<method>", "for example health, sessions.list, chat.send")
    .argument("[params]", "an object, JSON5; - reads it from stdin")
    .option("--timeout <seconds>", "how long to wait for the answer", parseCount, usualTimeoutSeconds)
    .action((method: string, params: string | undefined, options: Options & { timeout: number }) =>
      call(io, options, method, params),
    );
  gateway
    .command("schema")
    .description("print the protocol as JSON Schema: frames, methods, events")
    .action(() => printJson(io, buildProtocolSchema()));
  add("link", "print a link that lets one browser in, once")
    .option("--url <address>", "the address under which the browser reaches mom, if it is another one")
    .option("--json", "print JSON")
    .action((options: Options & { url?: string }) => link(io, options));
  add("token", "say where the token is that lets programs in")
    .option("--show", "print the token itself")
    .action((options: Options & { show?: true }) => showToken(io, options));
  return gateway;
}

async function findPlace(io: CliIo, data: string | undefined) {
  const clock = createSystemClock();
  const dataDir = await findDataDir(io, data);
  return { dataDir, clock, found: await ensureGateway(dataDir, clock) };
}

async function showStatus(io: CliIo, { data, json }: Options): Promise<void> {
  const { found, ...place } = await findPlace(io, data);
  const [status, health, { clients }] = await withGateway(place, (client) =>
    Promise.all([client.call("status", {}), client.call("health", {}), client.call("system-presence", {})]),
  );
  if (json)
    return printJson(io, { url: found.url, pid: found.pid, ...status, isReady: health.isReady, connected: clients });
  printLines(io, formatStatus(found, status, health.isReady, place.clock));
  printLines(io, formatTable(buildColumns(place.clock), clients));
}

function formatStatus({ url, pid }: FoundGateway, status: Result<"status">, isReady: boolean, clock: Clock): string[] {
  const since = clock.now() - status.uptimeMs;
  return [
    `${url}, process ${pid}, since ${formatMoment(since)} (${formatAge(status.uptimeMs)})${isReady ? "" : ", not ready yet"}`,
    `mom ${status.version} · ${status.model} · ${formatBytes(status.memoryBytes)} of memory`,
    `turns: ${status.running} running, ${status.waiting} waiting; posts to deliver: ${status.pendingPosts}; sessions: ${formatCount(status.sessions)}`,
    `channels: ${status.channels.map(({ name, state }) => `${name} ${state}`).join(", ") || "none"}`,
    `connected: ${status.clients}`,
  ];
}

const buildColumns = (clock: Clock): Column<Presence>[] => [
  { title: "CLIENT", toText: ({ name }) => name },
  { title: "KIND", toText: ({ mode, role }) => (role === "node" ? "node" : mode) },
  { title: "PLATFORM", toText: ({ platform }) => platform },
  { title: "ADDRESS", toText: ({ address }) => address },
  { title: "SINCE", toText: ({ since }) => formatAge(clock.now() - since) },
];

async function call(
  io: CliIo,
  { data, timeout }: Options & { timeout: number },
  method: string,
  given: string | undefined,
): Promise<void> {
  const text = given === "-" ? await readTextOption(io, given) : given;
  const { method: name, params } = parseCall(method, text);
  const place = await findPlace(io, data);
  printJson(io, await withGateway(place, (client) => client.call(name, params, { timeoutMs: timeout * 1_000 })));
}

async function link(io: CliIo, { data, json, url }: Options & { url?: string }): Promise<void> {
  const { found, ...place } = await findPlace(io, data);
  const { code, expiresAt } = await withGateway(place, (client) => client.call("device-pair.code", {}));
  // After the hash, so that it is never sent to a server nor written to its log.
  const address = `${(url ?? found.url).replace(/[#?].*$/, "").replace(/\/+$/, "")}/#code=${code}`;
  if (json) return printJson(io, { link: address, expiresAt });
  printLines(io, [address]);
  note(io, `it lets one browser in, once, until ${formatMoment(expiresAt)}; \`mom devices list\` shows who was`);
}

async function showToken(io: CliIo, { data, show }: Options & { show?: true }): Promise<void> {
  const dataDir = await findDataDir(io, data);
  if (show) return printLines(io, [await readToken(dataDir)]);
  printLines(io, [tokenPathOf(dataDir)]);
  note(io, "whoever has what is in this file may do everything; --show prints it");
}
