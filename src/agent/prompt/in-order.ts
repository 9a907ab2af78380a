/** Sets as lists that are the same to the byte whatever order they came in, and no longer than they may be. */

/** By code unit: the same on every machine and in every locale. */
export function inOrder<T>(items: readonly T[], toKey: (item: T) => string): T[] {
  return pickFirst(items, toKey, items.length);
}

interface ListForm<T> {
  /** Decides the order. Items with the same key must give the same line. */
  toKey(item: T): string;
  /** Empty: the item is not shown. */
  toLine(item: T): string;
  maxLines: number;
}

/** Distinct lines in order; items over `maxLines` are counted instead. */
export function toBoundedLines<T>(items: readonly T[], { toKey, toLine, maxLines }: ListForm<T>): string[] {
  const first = pickFirst(items, toKey, maxLines);
  const lines = new Set(first.map(toLine).filter((line) => line !== ""));
  const left = items.length - first.length;
  return left > 0 ? [...lines, `and ${left} more`] : [...lines];
}

/** A platform may have ten thousand users: what is not among the first is looked at once and never sorted. */
function pickFirst<T>(items: readonly T[], toKey: (item: T) => string, count: number): T[] {
  const first: { item: T; key: string }[] = [];
  for (const item of items) {
    const key = toKey(item);
    const last = first[count - 1];
    if (last !== undefined && key >= last.key) continue;
    first.splice(findPlace(first, key), 0, { item, key });
    if (first.length > count) first.pop();
  }
  return first.map(({ item }) => item);
}

/** Behind everything that is not greater. */
function findPlace(sorted: readonly { key: string }[], key: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.key ?? "") <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
