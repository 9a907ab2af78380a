/** What was edited and not yet applied: a list of changes against the config as it was read. No change lies within another. */
import { isObject, isSame } from "./json-schema.ts";
import { formatPath, isWithin, type Path, valueAt, withValueAt } from "./path.ts";

/** `value` undefined: the key is removed. */
export interface Change {
  path: Path;
  value: unknown;
}

export type ChangeSet = readonly Change[];

/** The gateway takes no more in one go. */
export const mostChanges = 100;

/** Sets or, for undefined, removes what is at `path`. What is then as it was in `base` is no change. */
export function change(changes: ChangeSet, base: unknown, path: Path, value: unknown): ChangeSet {
  const around = changes.find((each) => each.path.length < path.length && isWithin(path, each.path));
  if (around) {
    const inner = withValueAt(around.value, path.slice(around.path.length), value);
    return change(changes, base, around.path, inner);
  }
  const others = changes.filter((each) => !isWithin(each.path, path));
  return isSame(valueAt(base, path), value) ? others : [...others, { path, value }];
}

/** The config as it would be. */
export function applyChanges(base: unknown, changes: ChangeSet): unknown {
  return changes.reduce((draft, { path, value }) => withValueAt(draft, path, value), base);
}

/** The same edits against a config that somebody else has changed meanwhile; what they did too is no change any more. */
export function rebase(changes: ChangeSet, base: unknown): ChangeSet {
  const next = changes.reduce<ChangeSet>((all, { path, value }) => change(all, base, path, value), []);
  return next.length === changes.length ? changes : next;
}

/** Takes back everything at and below `path`; a change around it loses only this part. */
export function takeBack(changes: ChangeSet, base: unknown, path: Path): ChangeSet {
  const others = changes.filter((each) => !isWithin(each.path, path));
  const isInside = others.some((each) => isWithin(path, each.path));
  return isInside ? change(others, base, path, valueAt(base, path)) : others;
}

/** Is the place inside something that was added as a whole? */
export function isInNew(changes: ChangeSet, base: unknown, path: Path): boolean {
  return changes.some((each) => each.path.length < path.length && isWithin(path, each.path) && isNew(base, each));
}

const isNew = (base: unknown, { path, value }: Change): boolean =>
  value !== undefined && valueAt(base, path) === undefined;

/** What a part of the form says of itself: `new`, `2 changed`, or nothing. */
export function describeChange(changes: ChangeSet, base: unknown, path: Path): string | undefined {
  const inside = changes.filter((each) => isWithin(each.path, path));
  const whole = inside.find((each) => each.path.length === path.length);
  if (inside.length === 0) return undefined;
  if (whole) return whole.value === undefined ? "removed" : isNew(base, whole) ? "new" : "changed";
  return `${inside.length} changed`;
}

/** As `config.patch` takes them. Removals first: a renamed entry must be gone before it comes back under its new name. */
export function toPatch(changes: ChangeSet): { path: string; value?: unknown }[] {
  const removed = changes.filter(({ value }) => value === undefined);
  const set = changes.filter(({ value }) => value !== undefined);
  return [
    ...removed.map(({ path }) => ({ path: formatPath(path) })),
    ...set.map(({ path, value }) => ({ path: formatPath(path), value })),
  ];
}

/** Stands for a secret in what the gateway gives. Sent back to the same place, the secret there stays. */
const hidden = "***";

export function isHidden(value: unknown): boolean {
  return typeof value === "string" && value.includes(hidden);
}

/** Does the file, as the gateway gives it, have these changes? Of a secret it only says that there is one. */
export function hasChanges(value: unknown, changes: ChangeSet): boolean {
  return changes.every((each) => isLike(each.value, valueAt(value, each.path)));
}

function isLike(wanted: unknown, found: unknown): boolean {
  if (isHidden(found)) return typeof wanted === "string" && wanted !== "";
  if (Array.isArray(wanted) && Array.isArray(found)) {
    return wanted.length === found.length && wanted.every((item, i) => isLike(item, found[i]));
  }
  if (!isObject(wanted) || !isObject(found)) return isSame(wanted, found);
  const keys = Object.keys(wanted);
  return keys.length === Object.keys(found).length && keys.every((key) => isLike(wanted[key], found[key]));
}

/** What can be moved to another place: hidden secrets cannot, nobody here knows them. */
export function withoutHidden(value: unknown): unknown {
  if (isHidden(value)) return "";
  if (Array.isArray(value)) return value.map(withoutHidden);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, child]) => !isHidden(child));
  return Object.fromEntries(entries.map(([key, child]) => [key, withoutHidden(child)]));
}

/** Gives an entry another name. Its secrets must be typed again. */
export function rename(changes: ChangeSet, base: unknown, record: Path, from: string, to: string): ChangeSet {
  if (from === to) return changes;
  const value = valueAt(applyChanges(base, changes), [...record, from]);
  const gone = change(changes, base, [...record, from], undefined);
  return change(gone, base, [...record, to], withoutHidden(value));
}

/** A list without one item. Those behind it move up, and leave their hidden secrets behind. */
export function withoutItem(list: readonly unknown[], at: number): unknown[] {
  return list.toSpliced(at, 1).map((item, i) => (i < at ? item : withoutHidden(item)));
}

export function withMovedItem(list: readonly unknown[], from: number, to: number): unknown[] {
  if (from === to || to < 0 || to >= list.length) return [...list];
  const moved = list.toSpliced(from, 1).toSpliced(to, 0, list[from]);
  const [low, high] = from < to ? [from, to] : [to, from];
  return moved.map((item, i) => (i < low || i > high ? item : withoutHidden(item)));
}
