/** Says once per file and problem what in the workspace cannot be used: turns come by often, the log line need not. */
import type { Log } from "../contracts/log.ts";

/** `problem` is a sentence about the file, without its name: `it is not a regular file`. */
export type Complain = (path: string, problem: string) => void;

/** The agent can make as many bad files as it likes; what is remembered of them has an end. */
const maxRemembered = 1000;

export function createComplaints(log: Log): Complain {
  const said = new Set<string>();
  return (path, problem) => {
    const complaint = `${path}\0${problem}`;
    if (said.has(complaint)) return;
    if (said.size >= maxRemembered) said.clear();
    said.add(complaint);
    log.warn("A file of the workspace cannot be used as it is", { path, problem });
  };
}
