/** Saying something as an operator: the same key from the same client is the same message, also after a restart. */
import { createHash } from "node:crypto";
import type { GatewayHouse, OperatorSaid } from "../../contracts/gateway.ts";
import type { CallContext, Identity } from "../parts.ts";
import { type MethodName, mayCall, type Result } from "../protocol/index.ts";
import { invalid, notFound } from "./refusals.ts";

/** An id that a call makes the same again, and no other client can make. */
export function deriveId({ id }: Identity, method: MethodName, key: string): string {
  return createHash("sha256")
    .update(JSON.stringify([id, method, key]))
    .digest("hex")
    .slice(0, 32);
}

export async function sayAs(
  { say }: Pick<GatewayHouse, "say">,
  { identity }: CallContext,
  said: Omit<OperatorSaid, "deviceName" | "isAdmin">,
): Promise<Result<"chat.send">> {
  const result = await say({ ...said, deviceName: identity.name, isAdmin: mayCall(identity, "admin") });
  if (result.type === "unknown") throw notFound(result.what);
  if (result.type === "refused") throw invalid(result.reason);
  const { turnId, sessionKey, isRepeat } = result;
  return { turnId, sessionKey, messageId: said.messageId, isRepeat };
}
