/** What an adapter tells of itself: the state of its connection, and what has really come through. */
import type { AdapterHealth } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Offer } from "./offer.ts";

export interface HealthBook {
  /** `detail` and `fix` hold until the next call; the account until another is named. */
  set(state: AdapterHealth["state"], more?: Pick<AdapterHealth, "detail" | "fix" | "account">): void;
  /** The platform has taken something. */
  sent(): void;
  /** A connection that was lost is there again. */
  reconnected(): void;
  readonly state: AdapterHealth["state"];
  toHealth(offer: Pick<Offer, "lastTakenAt" | "lagMs">): AdapterHealth;
}

export function createHealthBook({ clock }: { clock: Clock }): HealthBook {
  let state: AdapterHealth["state"] = "stopped";
  let reasons: Pick<AdapterHealth, "detail" | "fix"> = {};
  let account: string | undefined;
  let lastOutboundAt: number | undefined;
  let reconnects = 0;
  return {
    set(next, { detail, fix, account: named } = {}) {
      state = next;
      reasons = { ...(detail !== undefined && { detail }), ...(fix !== undefined && { fix }) };
      account = named ?? account;
    },
    sent() {
      lastOutboundAt = clock.now();
    },
    reconnected() {
      reconnects++;
    },
    get state() {
      return state;
    },
    toHealth: ({ lastTakenAt, lagMs }) => ({
      state,
      reconnects,
      ...(lastTakenAt !== undefined && { lastInboundAt: lastTakenAt }),
      ...(lastOutboundAt !== undefined && { lastOutboundAt }),
      ...(lagMs !== undefined && { lagMs }),
      ...(account !== undefined && { account }),
      ...reasons,
    }),
  };
}
