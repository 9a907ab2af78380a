/** The hello-ok: what this server can do for this client, and where things stand. */
import type { Clock } from "../../contracts/clock.ts";
import type { GatewayHouse } from "../../contracts/gateway.ts";
import type { Dispatcher, Identity } from "../parts.ts";
import {
  type EventName,
  eventSpecs,
  type HelloOk,
  isEventName,
  mayCall,
  methodSpecs,
  protocolVersion,
} from "../protocol/index.ts";
import type { ServerEventLog } from "./event-log.ts";

interface GreetingDeps {
  house: Pick<GatewayHouse, "version" | "mainSessionKey" | "isSetUp">;
  events: Pick<ServerEventLog, "lastId">;
  dispatcher: Pick<Dispatcher, "methods">;
  clock: Clock;
}

export function createGreeting({ house, events, dispatcher, clock }: GreetingDeps) {
  const names: readonly EventName[] = Object.keys(eventSpecs).filter(isEventName);

  return async (identity: Identity, connId: string): Promise<Omit<HelloOk, "deviceToken">> => {
    const isNew = mayCall(identity, "admin") && !(await house.isSetUp());
    const { id, name, role, scopes } = identity;
    return {
      type: "hello-ok",
      protocol: protocolVersion,
      server: { version: house.version, connId },
      features: {
        methods: dispatcher.methods.filter((method) => mayCall(identity, methodSpecs[method].needs)),
        events: names.filter((event) => mayCall(identity, eventSpecs[event].needs)),
      },
      identity: { id, name, role, scopes: [...scopes] },
      snapshot: {
        lastEventId: events.lastId,
        at: clock.now(),
        mainSessionKey: house.mainSessionKey() ?? "",
        needsSetup: isNew,
      },
    };
  };
}
