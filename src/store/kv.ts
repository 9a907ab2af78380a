/** Small facts that must survive: cursors, flags, what was told to whom. */
import type { KeyValue } from "../contracts/store.ts";
import type { Database } from "./database.ts";
import { json, text } from "./row.ts";

export function createKeyValue(db: Database): KeyValue {
  const read = db.prepare("SELECT value FROM kv WHERE scope = ? AND key = ?");
  const readAll = db.prepare("SELECT key, value FROM kv WHERE scope = ? ORDER BY key");
  const write = db.prepare(
    "INSERT INTO kv (scope, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  const drop = db.prepare("DELETE FROM kv WHERE scope = ? AND key = ?");
  const dropAll = db.prepare("DELETE FROM kv WHERE scope = ?");
  return {
    async get(scope, key) {
      const row = read.get(scope, key);
      return row && json(row, "value");
    },
    async list(scope) {
      return new Map(readAll.all(scope).map((row) => [text(row, "key"), json(row, "value")]));
    },
    async set(scope, key, value) {
      write.run(scope, key, JSON.stringify(value));
    },
    async delete(scope, key) {
      drop.run(scope, key);
    },
    async clear(scope) {
      dropAll.run(scope);
    },
  };
}
