/** Small facts that an index keeps about itself. */
import type { IndexFile } from "./index-file.ts";

export type MetaKey = "lastSyncAt" | "skipped" | "settled";

export function readMeta(index: IndexFile, key: MetaKey): string | undefined {
  const value = index.get("SELECT value FROM meta WHERE key = ?", key)?.["value"];
  return value === undefined ? undefined : String(value);
}

export function writeMeta(index: IndexFile, key: MetaKey, value: string): void {
  index.run(
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    key,
    value,
  );
}
