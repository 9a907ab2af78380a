/**
 * Opens the connections of the guarded fetch: asks the guard for the addresses of a host and connects to exactly these.
 * The name is looked up once per connection, so an answer that changes in between has nothing to slip through.
 */
import { isIP, type Socket } from "node:net";
import type { buildConnector } from "undici";
import type { AddressGuard, ResolvedAddress } from "../../base/address-guard.ts";

export interface ConnectTarget {
  hostname: string;
  port: number;
  isSecure: boolean;
  /** Checked; the first that answers is used. Never empty. */
  addresses: ResolvedAddress[];
}

/** Tests hand in one that records. */
export type Connect = (target: ConnectTarget) => Promise<Socket>;

type BuildConnector = typeof buildConnector;

export function createPinnedConnector(guard: AddressGuard, connect: Connect): buildConnector.connector {
  return ({ hostname, port, protocol }, callback) => {
    const isSecure = protocol === "https:";
    const number = Number(port) || (isSecure ? 443 : 80);
    guard
      .resolve(hostname, number)
      .then((addresses) => connect({ hostname, port: number, isSecure, addresses }))
      .then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      );
  };
}

export function createConnect(build: BuildConnector, timeoutMs: number): Connect {
  return ({ hostname, port, isSecure, addresses }) => {
    const options = {
      timeout: timeoutMs,
      allowH2: false,
      autoSelectFamily: true,
      lookup: buildLookup(addresses),
    };
    const target = {
      hostname,
      port: String(port),
      protocol: isSecure ? "https:" : "http:",
      // An address is no server name; TLS then checks the certificate for the address itself.
      ...(isIP(hostname) === 0 ? { servername: hostname, host: hostname } : { host: hostname }),
    };
    return new Promise((resolve, reject) => {
      build(options as Parameters<BuildConnector>[0])(target, (error, socket) =>
        error === null ? resolve(socket) : reject(error),
      );
    });
  };
}

type LookupCallback = (error: null, address: string | ResolvedAddress[], family?: number) => void;

/** Answers from the checked list, without asking anybody. */
function buildLookup(addresses: ResolvedAddress[]) {
  return (_hostname: string, options: { all?: boolean }, callback: LookupCallback) => {
    const [first] = addresses;
    if (options.all === true || first === undefined) callback(null, addresses);
    else callback(null, first.address, first.family);
  };
}
