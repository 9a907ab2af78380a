/** What `mom doctor` says of event files: how many lie in `failed/`, folder by folder. Changes nothing. */
import type { Finding } from "../../contracts/gateway.ts";
import { countFailed, type EventPlace, listEventNames, openEvents } from "./event-folder.ts";

const check = "events";
/** Beyond it the number does not matter. */
const mostCounted = 1000;

/** `roots`: as for `createEventFiles`. Never throws. */
export async function checkEvents(roots: readonly (EventPlace & { label: string })[]): Promise<Finding[]> {
  let files = 0;
  const findings: Finding[] = [];
  for (const root of roots) {
    try {
      files += await countFiles(root);
      const failed = await countFailed(root, mostCounted);
      if (failed > 0) findings.push(toFinding(root.label, failed));
    } catch (error) {
      const detail = `${root.label} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
      findings.push({ check, level: "warn", detail, fix: "Give the folder to the user that mom runs as." });
    }
  }
  return [{ check, level: "ok", detail: files === 1 ? "1 file waits" : `${files} files wait` }, ...findings];
}

async function countFiles(root: EventPlace): Promise<number> {
  const folder = await openEvents(root);
  if (!folder) return 0;
  try {
    return (await listEventNames(folder)).names.length;
  } finally {
    await folder.close();
  }
}

function toFinding(label: string, failed: number): Finding {
  const count = failed >= mostCounted ? `${mostCounted} or more` : String(failed);
  const fix = "Read the .reason.txt beside each, mend and move it back up, or delete both.";
  return { check, level: "warn", detail: `${label}/failed has ${count} that could not be used`, fix };
}
