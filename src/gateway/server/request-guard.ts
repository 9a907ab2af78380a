/**
 * What every request and every upgrade must pass before anybody looks at its path. Against pages in the operator's own browser:
 * a name that was made to point here (Host), a page of another site (Origin). And no secrets in addresses, which are logged.
 */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import type { HttpError } from "./answer.ts";

export interface GuardSettings {
  host: string;
  hosts: readonly string[];
  origins: readonly string[];
  trustedProxies: readonly string[];
}

export type GuardVerdict = { type: "ok"; path: string; address: string } | { type: "refused"; error: HttpError };
export type RequestGuard = (request: IncomingMessage) => GuardVerdict;

export function createRequestGuard(settings: GuardSettings): RequestGuard {
  const names = new Set(["localhost", ...[settings.host, ...settings.hosts].map(toPlainHost)]);
  const origins = new Set(settings.origins);
  const proxies = buildBlockList(settings.trustedProxies);
  const isOurs = (name: string, localAddress: string | undefined) =>
    names.has(name) || isLoopback(name) || (isIP(name) !== 0 && name === toPlainAddress(localAddress ?? ""));

  return (request) => {
    const target = parseTarget(request.url ?? "");
    if (target.type === "refused") return target;
    // Node refuses a request without Host by itself; of several it would take the first, and a proxy maybe another.
    const [host = "", ...others] = request.headersDistinct["host"] ?? [];
    const name = parseHost(host);
    if (name === undefined || others.length > 0) return refuse(400, "The Host header is missing or no host.");
    if (!isOurs(name, request.socket.localAddress)) {
      return refuse(403, "mom is not known by this name. Add it to gateway.hosts if it should be.");
    }
    const { origin } = request.headers;
    if (origin !== undefined && !origins.has(origin) && !isSameOrigin(origin, host)) {
      return refuse(403, "Pages of other sites may not talk to mom. Add theirs to gateway.origins if it should.");
    }
    return { type: "ok", path: target.path, address: pickAddress(request, proxies) };
  };
}

/** Secrets in an address end up in logs, histories and Referer headers. */
const secretNames: readonly string[] = ["token", "access_token", "password"];

function parseTarget(url: string): { type: "ok"; path: string } | { type: "refused"; error: HttpError } {
  const [rawPath = "", ...rest] = url.split("?");
  for (const name of new URLSearchParams(rest.join("?")).keys()) {
    if (secretNames.includes(name.toLowerCase())) {
      return refuse(400, "Tokens are not taken from addresses: they would stay in logs. Use the Authorization header.");
    }
  }
  const path = decodePath(rawPath);
  return path === undefined ? refuse(400, "The path is not usable.") : { type: "ok", path };
}

/** Undefined for what is no plain way down from the root. */
function decodePath(rawPath: string): string | undefined {
  try {
    const path = decodeURIComponent(rawPath);
    const isPlain = path.startsWith("/") && !/[\0\\]/.test(path) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(path);
    return isPlain ? path : undefined;
  } catch {
    return undefined;
  }
}

/** The name without port, as the URL standard writes it. */
function parseHost(host: string): string | undefined {
  if (!/^[\w.:[\]-]+$/.test(host)) return undefined;
  const name = URL.parse(`http://${host}`)?.hostname;
  return name === undefined || name === "" ? undefined : toPlainHost(name);
}

const toPlainHost = (name: string) =>
  name
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");

function isLoopback(name: string): boolean {
  return name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
}

/** Same name and same port: another port of this machine is another page. `null` is nobody's origin. */
function isSameOrigin(origin: string, host: string): boolean {
  const parsed = URL.parse(origin);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return false;
  return URL.parse(`${parsed.protocol}//${host}`)?.host === parsed.host;
}

function buildBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(address, bits === undefined ? (family === "ipv6" ? 128 : 32) : Number(bits), family);
  }
  return list;
}

/** Where it came from; what proxies say of it counts as far as they are trusted, from the nearest on. */
function pickAddress(request: IncomingMessage, proxies: BlockList): string {
  const told = (request.headersDistinct["x-forwarded-for"] ?? []).join(",").split(",");
  let address = toPlainAddress(request.socket.remoteAddress ?? "");
  while (isIn(proxies, address)) {
    const before = toPlainAddress(told.pop()?.trim() ?? "");
    if (isIP(before) === 0) break;
    address = before;
  }
  return address === "" ? "unknown" : address;
}

function isIn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
}

const toPlainAddress = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "");

const refuse = (status: number, message: string): { type: "refused"; error: HttpError } => ({
  type: "refused",
  error: { status, code: status === 403 ? "FORBIDDEN" : "INVALID_REQUEST", message },
});
