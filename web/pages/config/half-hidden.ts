/**
 * Texts of which only a part is a secret are shown with stars inside. The gateway puts back secrets that are hidden as a
 * whole; one of these, sent back inside something that was edited, would be written with its stars.
 */
import type { ChangeSet } from "./change-set.ts";
import type { Slip } from "./check-value.ts";
import { isObject } from "./json-schema.ts";
import type { Path } from "./path.ts";

export function findHalfHidden(changes: ChangeSet): Slip[] {
  return changes.flatMap(({ path, value }) => find(value, path));
}

function find(value: unknown, path: Path): Slip[] {
  if (typeof value === "string") {
    const isHalf = value.includes("***") && value !== "***";
    return isHalf ? [{ path, message: "A part of this is hidden. Type the whole of it again." }] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item, i) => find(item, [...path, String(i)]));
  return isObject(value) ? Object.entries(value).flatMap(([key, child]) => find(child, [...path, key])) : [];
}
