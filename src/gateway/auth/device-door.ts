/**
 * The door for devices: judges what one says of itself in its signed hello. Id, key and signature must hold, then the code or
 * the token; one that has neither is written down as asking. What it may do is what the store or the code says.
 */
import { randomUUID } from "node:crypto";
import { toPrintable } from "../../base/printable.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { EventLog, Identity } from "../parts.ts";
import type { DeviceRequest, Hello, Scope } from "../protocol/index.ts";
import { deviceIdOf, isSignedBy, type PublicKey } from "./device-key.ts";
import type { DeviceRow, DeviceRows, RequestRow } from "./device-rows.ts";
import type { Grant, OneTimeCodes } from "./one-time-codes.ts";
import { hashSecret, isSameSecret, newSecret } from "./secrets.ts";

export interface DeviceClaim {
  device: NonNullable<NonNullable<Hello["auth"]>["device"]> & { signature: string };
  /** The challenge of this very connection. */
  nonce: string;
  client: Hello["client"];
  address: string;
  /** Asked right before the secrets are looked at. */
  isBlocked(): boolean;
}

export type DoorAnswer =
  | { type: "in"; identity: Identity; deviceToken?: string }
  | { type: "waiting"; requestId: string }
  /** A secret or signature is wrong: counts as a failed attempt. */
  | { type: "wrong"; reason: string }
  | { type: "blocked" }
  | { type: "full"; reason: string };

interface DoorDeps {
  rows: DeviceRows;
  codes: OneTimeCodes;
  events: Pick<EventLog, "publish">;
  clock: Clock;
}

const usualWish: readonly Scope[] = ["read", "write", "approvals"];
const requestGoodForMs = 60 * 60_000;
const mostRequests = 20;
const mostDevices = 500;
const seenEveryMs = 60_000;

export type DeviceDoor = (claim: DeviceClaim) => Promise<DoorAnswer>;

export function createDeviceDoor({ rows, codes, events, clock }: DoorDeps): DeviceDoor {
  const letIn = async (id: string, row: DeviceRow): Promise<DoorAnswer> => {
    const deviceToken = row.tokenHash === undefined ? newSecret() : undefined;
    const isFresh = row.lastSeenAt !== undefined && clock.now() - row.lastSeenAt < seenEveryMs;
    if (deviceToken !== undefined || !isFresh) {
      const tokenHash = deviceToken === undefined ? row.tokenHash : hashSecret(deviceToken);
      await rows.saveDevice(id, { ...row, lastSeenAt: clock.now(), ...(tokenHash !== undefined && { tokenHash }) });
    }
    return { type: "in", identity: toIdentity(id, row), ...(deviceToken !== undefined && { deviceToken }) };
  };

  const pair = async (claim: DeviceClaim, publicKey: PublicKey, grant: Grant): Promise<DoorAnswer> => {
    const { id } = claim.device;
    await dropRequestsOf(rows, id);
    const answer = await letIn(id, {
      publicKey,
      ...describe(claim),
      role: grant.role,
      scopes: [...grant.scopes],
      approvedAt: clock.now(),
      approvedBy: grant.byName,
    });
    events.publish("device-pair.resolved", { deviceId: id, outcome: "approved" });
    return answer;
  };

  const ask = async (claim: DeviceClaim, publicKey: PublicKey): Promise<DoorAnswer> => {
    const { device, address } = claim;
    const found = await rows.requests();
    for (const [requestId, { deviceId }] of found) if (deviceId === device.id) return { type: "waiting", requestId };
    if (found.size >= mostRequests) return { type: "full", reason: "Too many devices wait to be let in already." };
    const role = device.role ?? "operator";
    const row: RequestRow = {
      deviceId: device.id,
      publicKey,
      ...describe(claim),
      address,
      role,
      scopes: role === "node" ? [] : [...new Set(device.scopes ?? usualWish)],
      createdAt: clock.now(),
      expiresAt: clock.now() + requestGoodForMs,
    };
    const requestId = randomUUID();
    await rows.saveRequest(requestId, row);
    events.publish("device-pair.requested", { request: toRequest(requestId, row) });
    return { type: "waiting", requestId };
  };

  return async (claim) => {
    const { device, nonce } = claim;
    const known = await rows.device(device.id);
    const isFull = !known && device.code !== undefined && (await rows.devices()).size >= mostDevices;
    // From here to the verdict nothing waits: of many guesses at once only so many are looked at as the limiter lets through.
    if (claim.isBlocked()) return { type: "blocked" };
    const publicKey = device.publicKey ?? known?.publicKey;
    if (!publicKey || deviceIdOf(publicKey) !== device.id)
      return wrong("The device's id and key do not belong together.");
    if (!isSignedBy(publicKey, device.signature, nonce, device)) return wrong("The device's signature is not good.");
    if (isFull) return { type: "full", reason: "As many devices as can be are let in: revoke some first." };
    if (device.code !== undefined) {
      const grant = codes.take(device.code);
      return grant ? pair(claim, publicKey, grant) : wrong("The code is wrong, was used, or is too old.");
    }
    if (!known) return ask(claim, publicKey);
    if (known.tokenHash === undefined) return letIn(device.id, known);
    // It has lost its token: with the key alone nobody gets in, but may ask.
    if (device.token === undefined) return ask(claim, publicKey);
    return isSameSecret(hashSecret(device.token), known.tokenHash)
      ? letIn(device.id, known)
      : wrong("The device's token is not good.");
  };
}

export async function dropRequestsOf(rows: DeviceRows, deviceId: string): Promise<void> {
  for (const [id, request] of await rows.requests()) if (request.deviceId === deviceId) await rows.deleteRequest(id);
}

export function toRequest(requestId: string, { publicKey: _, ...row }: RequestRow): DeviceRequest {
  return { requestId, ...row };
}

const wrong = (reason: string): DoorAnswer => ({ type: "wrong", reason });
const toIdentity = (id: string, { name, role, scopes }: DeviceRow): Identity => ({ id, name, role, scopes });

/** Names come from strangers and are shown to people who decide. */
function describe({ client }: DeviceClaim): { name: string; platform: string } {
  const clean = (text: string) => toPrintable(text).replace(/\s+/g, " ").trim().slice(0, 64);
  return { name: clean(client.displayName ?? client.id) || "a device", platform: clean(client.platform) };
}
