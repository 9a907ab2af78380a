/**
 * Counts failed attempts to get in, per address and of everybody together; loopback counts like any other address. While too
 * many have failed nobody gets in from there, also with the right secret: else guessing would go on and only be answered later.
 */
import { isIPv6 } from "node:net";
import type { Clock } from "../../contracts/clock.ts";

export interface AttemptLimiter {
  /** Milliseconds until an attempt from there is looked at again; 0: now. Asked before and after a secret is looked at. */
  waitMs(address: string): number;
  failed(address: string): void;
}

interface LimiterOptions {
  /** Failures within `windowMs` that are one too many. */
  perAddress: number;
  inAll: number;
  windowMs: number;
  /** Addresses that are remembered; `inAll` bounds what those that are not can do. */
  addresses: number;
}

const usual: LimiterOptions = { perAddress: 10, inAll: 60, windowMs: 60_000, addresses: 1000 };

export function createAttemptLimiter({ clock }: { clock: Clock }, options: LimiterOptions = usual): AttemptLimiter {
  const { perAddress, inAll, windowMs } = options;
  /** When attempts failed, oldest first. */
  const byAddress = new Map<string, number[]>();
  const everywhere: number[] = [];

  /** How long until fewer than `most` have failed within the window. */
  const waitFor = (failures: readonly number[], most: number): number => {
    const decisive = failures.at(-most);
    return failures.length < most || decisive === undefined ? 0 : Math.max(0, decisive + windowMs - clock.monotonic());
  };
  const note = (failures: number[], most: number) => {
    failures.push(clock.monotonic());
    if (failures.length > most) failures.shift();
  };

  return {
    waitMs: (address) =>
      Math.ceil(Math.max(waitFor(byAddress.get(toKey(address)) ?? [], perAddress), waitFor(everywhere, inAll))),
    failed(address) {
      const key = toKey(address);
      const failures = byAddress.get(key) ?? [];
      note(failures, perAddress);
      note(everywhere, inAll);
      // Last in the map: the address that has been quiet for longest is forgotten first.
      byAddress.delete(key);
      byAddress.set(key, failures);
      const quietest = byAddress.keys().next().value;
      if (byAddress.size > options.addresses && quietest !== undefined) byAddress.delete(quietest);
    },
  };
}

/** Whoever has one IPv6 address has its whole network of 2^64. */
function toKey(address: string): string {
  if (!isIPv6(address)) return address;
  const whole = URL.parse(`http://[${address.split("%")[0]}]`)?.hostname.slice(1, -1) ?? address;
  const [head = "", tail] = whole.split("::");
  if (tail === undefined) return head.split(":").slice(0, 4).join(":");
  const before = head === "" ? [] : head.split(":");
  const after = tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].slice(0, 4).join(":");
}
