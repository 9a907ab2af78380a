/** Puts away what is over: sessions that were not to be kept, and runs that are too old or too many. May be called at any time. */
import { MomError } from "../../base/errors.ts";
import type { RunBook } from "./run-book.ts";
import { isOpen, type SubagentData, source } from "./subagent-data.ts";
import type { SubagentDeps } from "./subagent-deps.ts";

const mostKept = 200;
const keptMs = 30 * 24 * 3600_000;

export function createTidy(
  { due, clock, forgetSession }: Pick<SubagentDeps, "due" | "clock" | "forgetSession">,
  book: RunBook,
): () => Promise<void> {
  /** False: it is busy, because somebody talks to it; the next time will do. */
  const forget = async ({ run }: SubagentData): Promise<boolean> => {
    try {
      await forgetSession(run.sessionKey);
      return true;
    } catch (error) {
      if (error instanceof MomError && error.code === "SESSION_BUSY") return false;
      throw error;
    }
  };
  return async () => {
    const over = (await book.list()).filter(({ run }) => !isOpen(run.state));
    const oldest = clock.now() - keptMs;
    for (const [n, data] of over.entries()) {
      const { run } = data;
      const isOld = n >= mostKept || (run.endedAt ?? run.createdAt) < oldest;
      const isUnwanted = run.cleanup === "delete" && !data.isForgotten && data.unsaid === undefined;
      if ((!isOld && !isUnwanted) || !(data.isForgotten || (await forget(data)))) continue;
      if (isOld) await due.remove(source, run.runId);
      else await book.change(run.runId, (now) => ({ ...now, isForgotten: true }));
    }
  };
}
