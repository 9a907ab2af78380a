/**
 * Decides which addresses may be reached on behalf of a model (spec 10.2, SSRF): public ones, and what the operator
 * permits. Everything that connects for a model (web_fetch, web_search, the browser's proxy) asks it, and connects to the
 * very addresses that `resolve` returned: a name that is looked up a second time may lead elsewhere.
 */
import { lookup } from "node:dns/promises";
import { buildAllowList, parseAllowEntry } from "./allow-list.ts";
import { isBlockedPort } from "./blocked-ports.ts";
import { ToolError } from "./errors.ts";
import { type IpAddress, isMetadataAddress, judgeAddress, parseIpAddress } from "./public-address.ts";

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

export type ResolveHost = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

export interface AddressGuard {
  /**
   * Every address of the name, each one checked; if one is refused all are. A literal address comes back as it is.
   * `port` matters for entries of `allow` that name one. Rejects with `ADDRESS_REFUSED`, `ADDRESS_INVALID` or
   * `ADDRESS_NOT_FOUND`.
   */
  resolve(hostname: string, port?: number): Promise<ResolvedAddress[]>;
  /**
   * What an address tells before its name is looked up: http or https, nobody's password, a sane port, no private name,
   * no literal that is refused. Throws `ADDRESS_REFUSED` or `ADDRESS_INVALID`. Does not replace `resolve`.
   */
  checkUrl(url: string | URL): URL;
  /** May this address be connected to under this name? False for what is no address. */
  isAllowed(hostname: string, address: string, port?: number): boolean;
}

export interface AddressGuardOptions {
  /** Absent: the system's resolver. */
  resolve?: ResolveHost;
  /** Host names, `*.suffix`, addresses, ranges; with `:port` that port only. Throws for an entry that is none of these. */
  allow?: readonly string[];
}

const hint = "Only public addresses are reached; the operator can permit others under tools.web.allowPrivate.";
const privateNames = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;

export function createAddressGuard(options: AddressGuardOptions = {}): AddressGuard {
  const resolveHost = options.resolve ?? ((hostname) => lookup(hostname, { all: true }));
  const allowed = buildAllowList((options.allow ?? []).map(toAllowEntry));

  /** Undefined: it may be reached. Else what it is. */
  const findFault = (name: string, address: IpAddress, port: number | undefined): string | undefined => {
    if (allowed.hasAddress(address, port)) return undefined;
    if (allowed.hasName(name, port) && !isMetadataAddress(address)) return undefined;
    const verdict = judgeAddress(address);
    return verdict.type === "public" ? undefined : verdict.what;
  };
  const checkName = (name: string, port: number | undefined) => {
    if (privateNames.test(name) && !allowed.hasName(name, port)) throw refused(name, "is a name of a private network");
  };
  const checkAddress = (name: string, address: string, port: number | undefined): ResolvedAddress => {
    const parsed = parseIpAddress(address);
    const fault = parsed === undefined ? "an unusable address" : findFault(name, parsed, port);
    if (fault !== undefined) throw refused(name, `${address === name ? "is" : "leads to"} ${fault}`);
    return { address, family: address.includes(":") ? 6 : 4 };
  };

  return {
    async resolve(hostname, port) {
      const name = toName(hostname);
      if (parseIpAddress(name) !== undefined) return [checkAddress(name, name, port)];
      checkName(name, port);
      const found = await resolveHost(name).catch((cause: unknown) => {
        throw notFound(name, cause);
      });
      if (found.length === 0) throw notFound(name);
      return found.map(({ address }) => checkAddress(name, address, port));
    },
    checkUrl(url) {
      const parsed = parseUrl(url);
      const name = toName(parsed.hostname);
      const port = Number(parsed.port) || (parsed.protocol === "https:" ? 443 : 80);
      if (isBlockedPort(parsed.port === "0" ? 0 : port)) {
        throw new ToolError("ADDRESS_REFUSED", `Port ${parsed.port} of ${name} is not for web pages`);
      }
      if (parseIpAddress(name) === undefined) checkName(name, port);
      else checkAddress(name, name, port);
      return parsed;
    },
    isAllowed(hostname, address, port) {
      const parsed = parseIpAddress(address);
      return parsed !== undefined && findFault(stripDots(hostname.toLowerCase()), parsed, port) === undefined;
    },
  };
}

function toAllowEntry(text: string) {
  const entry = parseAllowEntry(text);
  if (entry !== undefined) return entry;
  throw new ToolError("ADDRESS_INVALID", `"${text}" is no host name, address or range`, {
    hint: "Write wiki.lan, *.corp.example, 10.0.0.5, 10.0.0.0/8 or wiki.lan:8080.",
  });
}

function parseUrl(url: string | URL): URL {
  // A copy: the caller's object may change after it was checked.
  const parsed = URL.parse(String(url));
  if (parsed === null) {
    throw new ToolError("ADDRESS_INVALID", `"${shorten(String(url))}" is no address of a web page`, {
      hint: "Give a whole address, like https://example.com/page.",
    });
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw new ToolError("ADDRESS_REFUSED", `"${shorten(parsed.href)}" is neither http nor https`);
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new ToolError("ADDRESS_REFUSED", `The address of ${parsed.hostname} has a user name or password in it`, {
      hint: "Leave out what stands before the @.",
    });
  }
  return parsed;
}

/** As the URL standard writes it: lower case, Unicode forms folded, odd spellings of IPv4 made plain, no brackets or last dot. */
function toName(hostname: string): string {
  const isBareIpv6 = hostname.includes(":") && !hostname.startsWith("[");
  const parsed = /[/?#@\\\s]/.test(hostname) ? null : URL.parse(`http://${isBareIpv6 ? `[${hostname}]` : hostname}`);
  const name = stripDots(parsed?.hostname ?? "").replace(/^\[(.*)\]$/, "$1");
  if (parsed === null || parsed.port !== "" || name === "" || name.includes("..")) {
    throw new ToolError("ADDRESS_INVALID", `"${shorten(hostname)}" is no host name`);
  }
  return name;
}

const stripDots = (name: string) => name.replace(/\.+$/, "");
const shorten = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
const refused = (name: string, fault: string) =>
  new ToolError("ADDRESS_REFUSED", `${name} ${fault}; it is not reached`, { hint });
const notFound = (name: string, cause?: unknown) =>
  new ToolError("ADDRESS_NOT_FOUND", `No address is known for ${name}`, {
    hint: "Check the spelling of the host name.",
    retryable: true,
    ...(cause === undefined ? {} : { cause }),
  });
