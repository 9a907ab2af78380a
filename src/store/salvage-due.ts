/** Reminders and jobs out of a damaged database, with how their due times ended: people count on them, and no file has them. */
import { StoreError } from "../base/errors.ts";
import { type Database, openDatabase } from "./database.ts";

/** A subagent belongs to turns that are lost with the database. */
const tables = [
  {
    name: "due",
    columns: ["source", "id", "due_at", "data", "created_at", "updated_at"],
    where: "source <> 'subagent' AND json_valid(data)",
  },
  {
    name: "occurrences",
    columns: ["source", "id", "due_at", "state", "reason", "settled_at", "turn_id"],
    where: "source <> 'subagent'",
  },
];

/** Returns how many items were found; undefined when the damage is where they, or how they ended, were written. */
export function salvageDue(db: Database, damagedPath: string): number | undefined {
  try {
    const damaged = openDatabase(damagedPath, { readOnly: true });
    try {
      const found = tables.map((table) => {
        const columns = table.columns.join(", ");
        const rows = damaged.prepare(`SELECT ${columns} FROM ${table.name} WHERE ${table.where}`).all();
        const marks = table.columns.map(() => "?").join(", ");
        return { rows, add: db.prepare(`INSERT OR IGNORE INTO ${table.name} (${columns}) VALUES (${marks})`) };
      });
      // Both or neither: an item without its ledger might run a second time.
      db.transaction(() => {
        for (const { rows, add } of found) for (const row of rows) add.run(...Object.values(row));
      });
      return found[0]?.rows.length ?? 0;
    } finally {
      damaged.close();
    }
  } catch (error) {
    const isDamage = error instanceof StoreError && error.code === "DATABASE_DAMAGED";
    // Anything else means that there were no such tables yet.
    return isDamage ? undefined : 0;
  }
}
