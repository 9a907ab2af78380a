/** Devices that are let in and those that ask: what operators see and decide. Letting one in at its hello is `device-door.ts`. */
import { createKeyedQueue } from "../../base/keyed-queue.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Devices, EventLog, Identity } from "../parts.ts";
import type { DeviceSummary } from "../protocol/index.ts";
import { createDeviceDoor, type DeviceClaim, type DoorAnswer, dropRequestsOf, toRequest } from "./device-door.ts";
import type { DeviceRow, DeviceRows } from "./device-rows.ts";
import type { OneTimeCodes } from "./one-time-codes.ts";

export interface DeviceDesk extends Devices {
  /** `admit` is called before any later decision about devices: one that is revoked then is found among the connections. */
  enter(claim: DeviceClaim, admit: (answer: DoorAnswer) => void): Promise<void>;
}

interface DeskDeps {
  rows: DeviceRows;
  codes: OneTimeCodes;
  events: Pick<EventLog, "publish">;
  clock: Clock;
  connections: {
    isConnected(identityId: string): boolean;
    /** Closes what this identity has open, and takes back what was given to it. */
    hangUp(identityId: string): void;
  };
}

export function createDevices({ rows, codes, events, clock, connections }: DeskDeps): DeviceDesk {
  const door = createDeviceDoor({ rows, codes, events, clock });
  const queue = createKeyedQueue();
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => queue.run("devices", task);
  const summarise = (deviceId: string, { publicKey: _, tokenHash: __, ...row }: DeviceRow): DeviceSummary => ({
    deviceId,
    ...row,
    isConnected: connections.isConnected(deviceId),
  });
  const end = (deviceId: string) => {
    codes.dropOf(deviceId);
    connections.hangUp(deviceId);
  };

  return {
    enter: (claim, admit) => inTurn(async () => admit(await door(claim))),
    list: async () => [...(await rows.devices())].map(([id, row]) => summarise(id, row)),
    requests: async () => [...(await rows.requests())].map(([id, row]) => toRequest(id, row)),
    approve: (requestId, by, scopes) =>
      inTurn(async () => {
        const request = (await rows.requests()).get(requestId);
        if (!request) return undefined;
        const { deviceId, publicKey, name, platform, role } = request;
        const granted = role === "node" ? [] : [...new Set(scopes)];
        const row = { publicKey, name, platform, role, scopes: granted, approvedAt: clock.now(), approvedBy: by.name };
        // Without a token of its own yet: it gets one when it comes next. What it had before is worth nothing now.
        await rows.saveDevice(deviceId, row);
        await rows.deleteRequest(requestId);
        end(deviceId);
        events.publish("device-pair.resolved", { deviceId, outcome: "approved" });
        return summarise(deviceId, row);
      }),
    reject: (requestId) =>
      inTurn(async () => {
        const request = (await rows.requests()).get(requestId);
        if (!request) return false;
        await rows.deleteRequest(requestId);
        events.publish("device-pair.resolved", { deviceId: request.deviceId, outcome: "rejected" });
        return true;
      }),
    revoke: (deviceId) =>
      inTurn(async () => {
        // Also where the row is unreadable: what is asked for is that it does not get in.
        const isKnown = (await rows.devices()).has(deviceId);
        await rows.deleteDevice(deviceId);
        await dropRequestsOf(rows, deviceId);
        end(deviceId);
        if (isKnown) events.publish("device-pair.resolved", { deviceId, outcome: "revoked" });
        return isKnown;
      }),
    createCode: async ({
      role,
      scopes,
      by,
    }: {
      role: "operator" | "node";
      scopes: DeviceRow["scopes"];
      by: Identity;
    }) => codes.create({ role, scopes: role === "node" ? [] : [...new Set(scopes)], byName: by.name, byId: by.id }),
  };
}
