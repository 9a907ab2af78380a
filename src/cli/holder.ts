/** Who is running on a data directory right now. */
import { existsSync } from "node:fs";
import { buildLayout, isLocked, readHolder } from "../store/index.ts";

export interface Holder {
  pid: number;
  host: string;
  /** ISO 8601. */
  startedAt: string;
}

/** Undefined when nobody is. Makes nothing: asking the lock of a folder without one would. */
export function readHolderNow(dataDir: string): Holder | undefined {
  const layout = buildLayout(dataDir);
  if (!existsSync(layout.lockPath) || !isLocked(layout)) return undefined;
  // The word is left just after the lock is taken; whoever asks in between gets the fact without the name.
  return readHolder(layout) ?? { pid: 0, host: "unknown", startedAt: "" };
}
