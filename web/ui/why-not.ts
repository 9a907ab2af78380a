/** Why a button cannot be used: what whoever is connected lacks for a method. */

import { type MethodName, mayCall, methodSpecs } from "../../src/gateway/protocol/index.ts";
import { can, identity } from "../connection.ts";

/** Undefined: it may be called. */
export function whyNot(method: MethodName): string | undefined {
  if (can(method)) return undefined;
  const who = identity.value;
  if (!who) return "Not connected.";
  const { needs } = methodSpecs[method];
  return mayCall(who, needs)
    ? "This mom does not offer it."
    : `This needs the scope "${needs}", and "${who.name}" does not hold it.`;
}
