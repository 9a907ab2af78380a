/** What the scopes allow, in words, and which of them one may give away. */
import { mayCall, type Role, type Scope, scopes } from "../../../src/gateway/protocol/index.ts";

export const scopeWords: Record<Scope, string> = {
  read: "look at everything",
  write: "talk, and change conversations",
  approvals: "answer what waits for a person's word",
  pairing: "let people and devices in",
  admin: "change how mom behaves, and all of the above",
};

/** In the order in which a form shows them: `admin`, which covers the others, last. */
export const scopeOrder: readonly Scope[] = [...scopes].sort(
  (one, other) => Number(one === "admin") - Number(other === "admin"),
);

/** Nobody gives away more than they hold. */
export const grantable = (identity: { role: Role; scopes: readonly Scope[] } | undefined): readonly Scope[] =>
  identity ? scopeOrder.filter((scope) => mayCall(identity, scope)) : [];

export const formatScopes = (role: Role, held: readonly Scope[]): string => {
  if (role === "node") return "its own commands only";
  if (held.includes("admin")) return "everything";
  return held.length === 0 ? "nothing" : scopeOrder.filter((scope) => held.includes(scope)).join(", ");
};
