/** Devices and their requests as rows of the store. A row that is not as it was written counts as none: it lets nobody in. */
import { Type } from "typebox";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { KeyValue } from "../../contracts/store.ts";
import { check, type Role, roles, type Scope, scopes } from "../protocol/index.ts";
import type { PublicKey } from "./device-key.ts";

export interface DeviceRow {
  publicKey: PublicKey;
  name: string;
  platform: string;
  role: Role;
  scopes: Scope[];
  approvedAt: number;
  approvedBy: string;
  /** SHA-256 of its token. Absent: it has been let in and gets a token when it comes next. */
  tokenHash?: string;
  lastSeenAt?: number;
}

export interface RequestRow {
  deviceId: string;
  publicKey: PublicKey;
  name: string;
  platform: string;
  address: string;
  /** What it wishes to be. Never more than a wish. */
  role: Role;
  scopes: Scope[];
  createdAt: number;
  expiresAt: number;
}

export interface DeviceRows {
  device(id: string): Promise<DeviceRow | undefined>;
  devices(): Promise<Map<string, DeviceRow>>;
  saveDevice(id: string, row: DeviceRow): Promise<void>;
  deleteDevice(id: string): Promise<void>;
  /** Those that are too old are removed first. */
  requests(): Promise<Map<string, RequestRow>>;
  saveRequest(id: string, row: RequestRow): Promise<void>;
  deleteRequest(id: string): Promise<void>;
}

const deviceScope = "gateway-devices";
const requestScope = "gateway-device-requests";

const common = {
  publicKey: Type.Object({ x: Type.String(), y: Type.String() }),
  name: Type.String(),
  platform: Type.String(),
  role: Type.Enum([...roles]),
  scopes: Type.Array(Type.Enum([...scopes])),
};
const deviceSchema = Type.Object({
  ...common,
  approvedAt: Type.Number(),
  approvedBy: Type.String(),
  tokenHash: Type.Optional(Type.String({ minLength: 40 })),
  lastSeenAt: Type.Optional(Type.Number()),
});
const requestSchema = Type.Object({
  ...common,
  deviceId: Type.String(),
  address: Type.String(),
  createdAt: Type.Number(),
  expiresAt: Type.Number(),
});

export function createDeviceRows({ kv, clock, log }: { kv: KeyValue; clock: Clock; log: Log }): DeviceRows {
  const isDevice = (value: unknown): value is DeviceRow => isRow(deviceSchema, value, deviceScope);
  const isRequest = (value: unknown): value is RequestRow => isRow(requestSchema, value, requestScope);
  const isRow = (schema: typeof deviceSchema | typeof requestSchema, value: unknown, scope: string): boolean => {
    const checked = check(schema, value);
    if (checked.type === "invalid") log.error("A stored device is unreadable and ignored", { scope, ...checked });
    return checked.type === "ok";
  };
  return {
    async device(id) {
      const value = await kv.get(deviceScope, id);
      return value !== undefined && isDevice(value) ? value : undefined;
    },
    devices: async () => keep(await kv.list(deviceScope), isDevice),
    saveDevice: (id, row) => kv.set(deviceScope, id, row),
    deleteDevice: (id) => kv.delete(deviceScope, id),
    async requests() {
      const found = keep(await kv.list(requestScope), isRequest);
      for (const [id, { expiresAt }] of found) {
        if (expiresAt > clock.now()) continue;
        found.delete(id);
        await kv.delete(requestScope, id);
      }
      return found;
    },
    saveRequest: (id, row) => kv.set(requestScope, id, row),
    deleteRequest: (id) => kv.delete(requestScope, id),
  };
}

function keep<Row>(found: Map<string, unknown>, isRow: (value: unknown) => value is Row): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const [id, value] of found) if (isRow(value)) rows.set(id, value);
  return rows;
}
