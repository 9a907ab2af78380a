/** Devices that are let in. Nobody can grant more than they hold, or send away who holds more. */
import type { Identity } from "../parts.ts";
import { scopes as allScopes, holds, type Scope } from "../protocol/index.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { forbidden, notFound } from "./refusals.ts";

type Names =
  | "device-pair.list"
  | "device-pair.approve"
  | "device-pair.reject"
  | "device-pair.revoke"
  | "device-pair.code";

export function buildDeviceMethods({ devices }: MethodDeps): Group<Names> {
  return {
    "device-pair.list": async () => ({ devices: await devices.list(), requests: await devices.requests() }),
    async "device-pair.approve"({ requestId, scopes }, { identity }) {
      const request = (await devices.requests()).find((each) => each.requestId === requestId);
      if (!request) throw notFound(`request ${requestId}`);
      const granted = scopes ?? request.scopes;
      ensureHolds(identity, granted);
      const device = await devices.approve(requestId, identity, granted);
      if (!device) throw notFound(`request ${requestId} any more`);
      return device;
    },
    async "device-pair.reject"({ requestId }) {
      if (!(await devices.reject(requestId))) throw notFound(`request ${requestId}`);
      return { ok: true };
    },
    async "device-pair.revoke"({ deviceId }, { identity }) {
      const device = (await devices.list()).find((each) => each.deviceId === deviceId);
      if (!device) throw notFound(`device ${deviceId}`);
      if (deviceId !== identity.id) ensureHolds(identity, device.scopes, "send away who holds");
      if (!(await devices.revoke(deviceId))) throw notFound(`device ${deviceId}`);
      return { ok: true };
    },
    async "device-pair.code"({ role = "operator", scopes }, { identity }) {
      const granted = scopes ?? (role === "node" ? [] : allScopes.filter((scope) => holds(identity, [scope])));
      ensureHolds(identity, granted);
      return devices.createCode({ role, scopes: granted, by: identity });
    },
  };
}

function ensureHolds(identity: Identity, scopes: readonly Scope[], act = "grant"): void {
  if (holds(identity, scopes)) return;
  const missing = scopes.filter((scope) => !holds(identity, [scope]));
  throw forbidden(`You cannot ${act} what you do not hold: ${missing.join(", ")}`, { missing });
}
