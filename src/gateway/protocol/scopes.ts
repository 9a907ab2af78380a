/** Who may do what. A scope comes from the stored identity of whoever connects, never from what a client says of itself. */
export const roles = ["operator", "node"] as const;
export type Role = (typeof roles)[number];

/**
 * `read` looks; `write` talks and changes conversations; `approvals` answers what waits for a person's word; `pairing` lets
 * people and devices in; `admin` changes how mom behaves, and may do everything else too.
 */
export const scopes = ["read", "write", "admin", "approvals", "pairing"] as const;
export type Scope = (typeof scopes)[number];

/** What one must hold to call a method. `any`: everybody who is let in. `node`: only a device in that role. */
export type Requirement = Scope | "any" | "node";

export function mayCall(identity: { role: Role; scopes: readonly Scope[] }, needs: Requirement): boolean {
  if (needs === "any") return true;
  if (identity.role === "node") return needs === "node";
  if (needs === "node") return false;
  return identity.scopes.includes("admin") || identity.scopes.includes(needs);
}

/** Nobody can grant more than they hold. */
export function holds(identity: { role: Role; scopes: readonly Scope[] }, wanted: readonly Scope[]): boolean {
  return identity.role === "operator" && wanted.every((scope) => mayCall(identity, scope));
}
