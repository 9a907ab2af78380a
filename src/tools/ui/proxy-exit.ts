/**
 * The far side of the guard proxy: decides whether a host may be reached, connects to exactly the addresses that were
 * checked, and remembers why a host was not reached so that the tool can say it.
 */
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import type { AddressGuard, ResolvedAddress } from "../../base/address-guard.ts";
import { MomError, systemCode, ToolError } from "../../base/errors.ts";

export interface ProxyExit {
  /** A request to an `http:` address, not sent yet. Rejects where the address is refused. */
  request(url: URL, incoming: IncomingMessage): Promise<ClientRequest>;
  /** An open connection. Rejects where the address is refused or does not answer. */
  connect(url: URL): Promise<Socket>;
  /** Remembers why there is no connection, in the house's words. */
  fail(url: URL, error: unknown): MomError;
  /** By `name:port`: why the newest connection was not made. */
  failureOf(host: string): MomError | undefined;
  close(): void;
}

const connectTimeoutMs = 15_000;
/** A connection on which nothing moves. */
const silenceMs = 5 * 60_000;
const maxFailures = 200;
/** They belong to one leg of the way and must not be passed on. */
const hopHeaders = ["connection", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer", "upgrade"];

export function createProxyExit(guard: AddressGuard): ProxyExit {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 32, timeout: silenceMs });
  const failures = new Map<string, MomError>();

  const reach = async (url: URL) => {
    const checked = guard.checkUrl(url);
    const port = portOf(checked);
    const addresses = await guard.resolve(checked.hostname, port);
    failures.delete(hostOf(url));
    return toConnectOptions(checked.hostname, port, addresses);
  };

  return {
    async request(url, incoming) {
      const upstream = request({
        ...(await reach(url)),
        agent,
        method: incoming.method ?? "GET",
        path: `${url.pathname}${url.search}`,
        headers: { ...dropHopHeaders(incoming.headers), host: url.host },
        setHost: false,
      });
      upstream.on("socket", limitConnecting);
      return upstream;
    },
    async connect(url) {
      const upstream = connect({ ...(await reach(url)), noDelay: true });
      limitConnecting(upstream);
      await new Promise<void>((resolve, reject) => {
        upstream.once("connect", resolve);
        upstream.on("error", reject);
      });
      return upstream;
    },
    fail(url, error) {
      const failure = error instanceof MomError ? error : unreachable(hostOf(url), error);
      failures.delete(hostOf(url));
      failures.set(hostOf(url), failure);
      // The newest ones only: a page may try any number of hosts.
      const [oldest] = failures.keys();
      if (failures.size > maxFailures && oldest !== undefined) failures.delete(oldest);
      return failure;
    },
    failureOf: (host) => failures.get(host),
    close: () => agent.destroy(),
  };
}

export const portOf = (url: URL) => Number(url.port) || (url.protocol === "https:" ? 443 : 80);
/** The same for a plain request and a tunnel to one port. */
export const hostOf = (url: URL) => `${url.hostname}:${portOf(url)}`;

/** The name is never looked up again: whoever asks gets the addresses that were checked, to be tried in turn. */
function toConnectOptions(hostname: string, port: number, addresses: ResolvedAddress[]) {
  const name = hostname.replace(/^\[(.*)\]$/, "$1");
  const lookup: LookupFunction = (_name, options, done) => {
    const [first] = addresses;
    if (options.all === true) done(null, addresses);
    else done(null, first?.address ?? "", first?.family);
  };
  return { host: isIP(name) === 0 ? name : (addresses[0]?.address ?? ""), port, lookup, autoSelectFamily: true };
}

function limitConnecting(socket: Socket): void {
  if (!socket.connecting) return;
  socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error("no answer in time")));
  socket.once("connect", () => socket.setTimeout(silenceMs));
}

export function dropHopHeaders(headers: IncomingMessage["headers"]): IncomingMessage["headers"] {
  const named = String(headers.connection ?? "").toLowerCase();
  const dropped = new Set([...hopHeaders, ...named.split(",").map((name) => name.trim())]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)));
}

function unreachable(host: string, cause: unknown): ToolError {
  return new ToolError("BROWSER_PAGE_FAILED", `${host} cannot be reached (${systemCode(cause) ?? "no answer"})`, {
    hint: "Check the address, or try again later.",
    retryable: true,
    cause,
  });
}
