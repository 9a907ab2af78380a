/**
 * What an operator permits beyond public addresses: host names, `*.suffix`, addresses, ranges; names and addresses may
 * be limited to one port (`searx.lan:8888`, `[::1]:8080`). Parsed once, asked by the address guard.
 */
import ipaddr from "ipaddr.js";
import { type IpAddress, isMetadataAddress, parseIpAddress } from "./public-address.ts";

type AllowEntry =
  | { type: "name"; name: string; port: number | undefined }
  | { type: "suffix"; suffix: string; port: number | undefined }
  | { type: "address"; address: string; port: number | undefined }
  | { type: "range"; range: [IpAddress, number] };

export interface AllowList {
  /** Is the name itself permitted, whatever it leads to? An unknown port fits only entries without one. */
  hasName(name: string, port?: number): boolean;
  hasAddress(address: IpAddress, port?: number): boolean;
}

const label = "[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?";
const namePattern = new RegExp(`^(\\*\\.)?(${label}(?:\\.${label})*)$`);

/** Undefined for what is none of the forms above. */
export function parseAllowEntry(text: string): AllowEntry | undefined {
  const entry = text.trim().toLowerCase();
  if (entry.includes("/")) return parseRange(entry);
  const bare = parseIpAddress(entry);
  if (bare !== undefined) return { type: "address", address: bare.toString(), port: undefined };
  const [, host = "", digits] = /^(\[.*\]|[^:]+?)\.?(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const address = parseIpAddress(host.replace(/^\[(.*)\]$/, "$1"));
  if (address !== undefined) return { type: "address", address: address.toString(), port };
  const [, star, name] = namePattern.exec(host) ?? [];
  // Digits and dots alone are a mistyped address, which no name is.
  if (name === undefined || /^[\d.]+$/.test(name)) return undefined;
  return star === undefined ? { type: "name", name, port } : { type: "suffix", suffix: `.${name}`, port };
}

function parseRange(text: string): AllowEntry | undefined {
  const isRange = ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text);
  return isRange ? { type: "range", range: ipaddr.parseCIDR(text) } : undefined;
}

export function buildAllowList(entries: readonly AllowEntry[]): AllowList {
  const fits = (limit: number | undefined, port: number | undefined) => limit === undefined || limit === port;
  return {
    hasName: (name, port) =>
      entries.some(
        (entry) =>
          (entry.type === "name" && entry.name === name && fits(entry.port, port)) ||
          (entry.type === "suffix" && name.endsWith(entry.suffix) && fits(entry.port, port)),
      ),
    hasAddress: (address, port) =>
      entries.some(
        (entry) =>
          (entry.type === "address" && entry.address === address.toString() && fits(entry.port, port)) ||
          // Credentials of the whole machine are never opened by a wide range.
          (entry.type === "range" && !isMetadataAddress(address) && isWithin(address, entry.range)),
      ),
  };
}

const isWithin = (address: IpAddress, [start, bits]: [IpAddress, number]) =>
  address.kind() === start.kind() && address.match(start, bits);
