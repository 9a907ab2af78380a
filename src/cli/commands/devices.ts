/** `mom devices`: browsers, apps and nodes that are let in by their own key, and those that ask. Needs a running mom. */
import { Command, InvalidArgumentError } from "commander";
import { createSystemClock } from "../../base/clock.ts";
import { formatMoment } from "../../base/format-values.ts";
import { toVisible } from "../../base/visible-text.ts";
import type { GatewayClient } from "../../gateway/client/index.ts";
import {
  type DeviceRequest,
  type DeviceSummary,
  type Role,
  roles,
  type Scope,
  scopes,
} from "../../gateway/protocol/index.ts";
import { dataOption, findDataDir } from "../data-dir.ts";
import { type Column, formatTable } from "../format-table.ts";
import { ensureGateway } from "../gateway/find-gateway.ts";
import { withGateway } from "../gateway/open-client.ts";
import type { CliIo } from "../io.ts";
import { note, printJson, printLines } from "../print.ts";

interface Options {
  data?: string;
  json?: true;
}
interface GrantOptions extends Options {
  scopes?: Scope[];
  role?: Role;
}

const scopesOption = [
  "--scopes <list>",
  `what it may do, separated by commas: ${scopes.join(", ")} (admin includes the others)`,
  parseScopes,
] as const;

export function buildDevicesCommand(io: CliIo): Command {
  const devices = new Command("devices").description(
    "Lets in browsers, apps and nodes, each by its own key, and ends their trust.",
  );
  const add = (name: string, description: string) =>
    devices
      .command(name)
      .description(description)
      .option("--json", "print JSON")
      .option(...dataOption);
  add("list", "list the devices that are let in, and those that ask").action((options: Options) => list(io, options));
  add("approve", "let in a device that asks")
    .argument("<request-id>", "as `mom devices list` prints it")
    .option(...scopesOption)
    .action((requestId: string, options: GrantOptions) => approve(io, options, requestId));
  add("reject", "send a device away that asks")
    .argument("<request-id>", "as `mom devices list` prints it")
    .action((requestId: string, options: Options) =>
      end(io, options, `the request ${requestId} is gone`, (client) =>
        client.call("device-pair.reject", { requestId }),
      ),
    );
  add("revoke", "end a device's trust; it is hung up on at once")
    .argument("<device-id>", "as `mom devices list` prints it")
    .action((deviceId: string, options: Options) =>
      end(io, options, `${deviceId} is no longer let in`, (client) => client.call("device-pair.revoke", { deviceId })),
    );
  add("code", "make a one-time code that lets one device in")
    .option(...scopesOption)
    .option("--role <role>", `${roles.join(" or ")}; a node offers commands and may do nothing else`, parseRole)
    .action((options: GrantOptions) => makeCode(io, options));
  return devices;
}

async function ask<Value>(
  io: CliIo,
  { data }: Options,
  use: (client: GatewayClient) => Promise<Value>,
): Promise<Value> {
  const clock = createSystemClock();
  const dataDir = await findDataDir(io, data);
  await ensureGateway(dataDir, clock);
  return withGateway({ dataDir, clock }, use);
}

async function list(io: CliIo, options: Options): Promise<void> {
  const found = await ask(io, options, (client) => client.call("device-pair.list", {}));
  if (options.json) return printJson(io, found);
  const { devices, requests } = found;
  if (requests.length > 0) printLines(io, ["asking to be let in:", ...formatTable(requestColumns, requests)]);
  if (devices.length > 0) printLines(io, formatTable(deviceColumns, devices));
  if (devices.length + requests.length === 0)
    note(io, "no device is let in, and none asks; `mom gateway link` lets a browser in");
}

// A device chooses its name, and may choose one that looks like another's.
const deviceColumns: Column<DeviceSummary>[] = [
  { title: "DEVICE", toText: ({ deviceId }) => deviceId },
  { title: "CALLS ITSELF", toText: ({ name }) => toVisible(name).text },
  { title: "PLATFORM", toText: ({ platform }) => toVisible(platform).text },
  { title: "MAY", toText: ({ role, scopes }) => formatRights(role, scopes) },
  { title: "LET IN", toText: ({ approvedAt, approvedBy }) => `${formatMoment(approvedAt)} by ${approvedBy}` },
  { title: "SEEN", toText: ({ isConnected, lastSeenAt }) => (isConnected ? "now" : formatSeen(lastSeenAt)) },
];
const requestColumns: Column<DeviceRequest>[] = [
  { title: "REQUEST", toText: ({ requestId }) => requestId },
  { title: "CALLS ITSELF", toText: ({ name }) => toVisible(name).text },
  { title: "PLATFORM", toText: ({ platform }) => toVisible(platform).text },
  { title: "FROM", toText: ({ address }) => address },
  { title: "WANTS", toText: ({ role, scopes }) => formatRights(role, scopes) },
  { title: "UNTIL", toText: ({ expiresAt }) => formatMoment(expiresAt) },
];

const formatSeen = (at: number | undefined) => (at === undefined ? "-" : formatMoment(at));
const formatRights = (role: Role, held: readonly Scope[]) => (role === "node" ? "node" : held.join(",") || "nothing");

async function approve(io: CliIo, options: GrantOptions, requestId: string): Promise<void> {
  const { scopes: wanted } = options;
  const device = await ask(io, options, (client) =>
    client.call("device-pair.approve", { requestId, ...(wanted && { scopes: wanted }) }),
  );
  if (options.json) return printJson(io, device);
  printLines(io, [
    `${toVisible(device.name).text} (${device.deviceId}) is let in: ${formatRights(device.role, device.scopes)}`,
  ]);
}

async function end(
  io: CliIo,
  options: Options,
  said: string,
  use: (client: GatewayClient) => Promise<{ ok: boolean }>,
): Promise<void> {
  const result = await ask(io, options, use);
  if (options.json) printJson(io, result);
  else printLines(io, [said]);
}

async function makeCode(io: CliIo, options: GrantOptions): Promise<void> {
  const { role, scopes: wanted } = options;
  const made = await ask(io, options, (client) =>
    client.call("device-pair.code", { ...(role && { role }), ...(wanted && { scopes: wanted }) }),
  );
  if (options.json) return printJson(io, made);
  printLines(io, [made.code]);
  note(io, `it lets one device in, once, until ${formatMoment(made.expiresAt)}`);
}

function parseScopes(given: string): Scope[] {
  return given.split(",").map((word) => {
    const scope = scopes.find((each) => each === word.trim());
    if (!scope) throw new InvalidArgumentError(`"${word}" is none of ${scopes.join(", ")}.`);
    return scope;
  });
}

function parseRole(given: string): Role {
  const role = roles.find((each) => each === given);
  if (!role) throw new InvalidArgumentError(`Expected ${roles.join(" or ")}.`);
  return role;
}
