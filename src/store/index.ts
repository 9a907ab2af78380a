/** The store's face: open a data directory, know its layout, ask who holds it. */
export { createAuthFile } from "./auth-file.ts";
export { inspectDatabase } from "./inspect-database.ts";
export type { JsonlFiles } from "./jsonl-files.ts";
export { buildLayout } from "./layout.ts";
export { type MigratedChannel, migrateSlackLogs } from "./migrate-slack-logs.ts";
export { openStore } from "./open-store.ts";
export { isLocked, readHolder } from "./process-lock.ts";
