/** What the methods of the gateway stand on, and the shape of a group of them: one file per group, joined in `create-handlers`. */
import type { Clock } from "../../contracts/clock.ts";
import type { GatewayHouse } from "../../contracts/gateway.ts";
import type { Log } from "../../contracts/log.ts";
import type { Connections, Devices, EventLog, FileTickets, Handlers, TurnFeed } from "../parts.ts";
import type { MethodName } from "../protocol/index.ts";

export interface MethodDeps {
  house: GatewayHouse;
  devices: Devices;
  connections: Connections;
  files: FileTickets;
  feed: TurnFeed;
  events: EventLog;
  clock: Clock;
  log: Log;
}

/** The handlers of some methods; asking for exactly these names keeps a group complete. */
export type Group<Names extends MethodName> = Pick<Handlers, Names>;
