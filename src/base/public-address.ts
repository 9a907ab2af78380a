/**
 * Tells public internet addresses from all others: loopback, private, link-local, metadata services, tunnels and ranges
 * that nobody owns. Pure; the judge behind the address guard. What it does not know is not public.
 */
import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** Why an address is not public, in words for a message: `a loopback address`. */
type Verdict = { type: "public" } | { type: "other"; what: string };

/** Where clouds tell a machine its own credentials. Some lie in public ranges. */
const metadataAddresses: ReadonlySet<string> = new Set([
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
  "fd00:42::42",
]);

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
const nat64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/**
 * Undefined for anything but four decimal parts or IPv6 without a zone: the other spellings of IPv4 mean different
 * addresses to different programs.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!isIPv6(text) || text.includes("%")) return undefined;
  // The package reads `::8.8.8.8` as a mapped address, which it is not; written in hexadecimal there is no doubt.
  const hexadecimal = URL.parse(`http://[${text}]`)?.hostname.slice(1, -1);
  return hexadecimal === undefined ? undefined : toInner(ipaddr.IPv6.parse(hexadecimal));
}

/** An IPv4 address in the clothes of IPv6, mapped or for a NAT64 gateway, is judged as what it leads to. */
function toInner(address: ipaddr.IPv6): IpAddress {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (address.match(nat64)) return new ipaddr.IPv4(address.toByteArray().slice(-4));
  return address;
}

export function isMetadataAddress(address: IpAddress): boolean {
  return metadataAddresses.has(address.toString());
}

export function judgeAddress(address: IpAddress): Verdict {
  if (isMetadataAddress(address)) return { type: "other", what: "a metadata service" };
  const range: string = address.range();
  const isElsewhere = address instanceof ipaddr.IPv6 && !address.match(globalUnicast);
  if (range === "unicast" && !isElsewhere) return { type: "public" };
  return { type: "other", what: wordsFor[range] ?? "a reserved address" };
}

const wordsFor: Readonly<Record<string, string>> = {
  loopback: "a loopback address",
  private: "a private address",
  uniqueLocal: "a private address",
  deprecatedSiteLocal: "a private address",
  linkLocal: "a link-local address",
  carrierGradeNat: "an address of a provider's inner network",
  multicast: "a multicast address",
  broadcast: "a broadcast address",
  unspecified: "an unspecified address",
  "6to4": "a tunnel address",
  teredo: "a tunnel address",
};
