/** Remembers the newest values and forgets the oldest. */
export interface BoundedSet {
  has(value: string): boolean;
  add(value: string): void;
}

export function createBoundedSet(most = 1_000): BoundedSet {
  const values = new Set<string>();
  return {
    has: (value) => values.has(value),
    add(value) {
      values.add(value);
      for (const oldest of values) {
        if (values.size <= most) return;
        values.delete(oldest);
      }
    },
  };
}
