/**
 * The programs that `bash` left running, per session, so that `process` finds them in later turns. Lives as long as the
 * toolbox; what runs ends with it.
 */
import { ToolError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import { type BackgroundRun, createBackgroundRun } from "./background-run.ts";
import { createRunOutput } from "./run-output.ts";

export interface RunRequest {
  operations: Operations;
  command: string;
  /** What its output may bring in from outside. */
  brings?: string | undefined;
  timeoutMs: number;
  /** Of the turn that starts it: when that turn is stopped, so is the run. */
  signal: AbortSignal;
}

/** The runs of one session. */
export interface SessionRuns {
  /** Throws `RUN_LIMIT` when too many run, and as `Operations.start` does. */
  start(request: RunRequest): Promise<BackgroundRun>;
  /** Throws `RUN_NOT_FOUND`, naming those there are. */
  get(id: string): BackgroundRun;
  /** Oldest first. Finished ones are forgotten after a while. */
  list(): BackgroundRun[];
}

export interface BackgroundRuns {
  of(session: SessionKey): SessionRuns;
  /** Ends and forgets what the session has left running. */
  closeSession(session: SessionKey): Promise<void>;
  /** Ends everything; nothing starts afterwards. */
  close(): Promise<void>;
}

const maxRunning = 8;
const maxFinished = 20;
const keepFinishedMs = 60 * 60 * 1000;
const maxKeptBytes = 200 * 1024;

interface SessionState {
  lastNumber: number;
  /** Being started: they count as running. */
  starting: number;
  runs: Map<string, BackgroundRun>;
}

export function createBackgroundRuns(dependencies: { clock: Clock; log: Log }): BackgroundRuns {
  const { clock } = dependencies;
  const log = dependencies.log.with({ room: "tools" });
  const sessions = new Map<SessionKey, SessionState>();
  let isClosed = false;

  const stateOf = (session: SessionKey): SessionState => {
    for (const [key, state] of sessions) {
      forget(state, clock.monotonic());
      if (key !== session && state.runs.size === 0 && state.starting === 0) sessions.delete(key);
    }
    const state = sessions.get(session) ?? { lastNumber: 0, starting: 0, runs: new Map() };
    sessions.set(session, state);
    return state;
  };
  const start = async (session: SessionKey, { operations, command, brings, timeoutMs, signal }: RunRequest) => {
    const state = stateOf(session);
    ensureRoom(state, isClosed);
    state.starting++;
    try {
      const output = createRunOutput(maxKeptBytes);
      const cwd = await operations.resolve(operations.cwd);
      const program = await operations.start({
        // Both streams in one pipe: only then does the order of their lines mean something.
        command: { shell: `exec 2>&1; ${command}` },
        timeoutMs,
        signal,
        onOutput: output.push,
      });
      const id = `b${++state.lastNumber}`;
      const onEnd: Parameters<typeof createBackgroundRun>[0]["onEnd"] = ({ ended, exitCode, durationMs }) =>
        log.debug("background run ended", { session, run: id, ended, exitCode, durationMs });
      const run = createBackgroundRun({ id, command, cwd, brings, output, program, clock, onEnd });
      state.runs.set(id, run);
      // Closed while it started: nobody will come for it.
      if (isClosed || sessions.get(session) !== state) await run.kill();
      return run;
    } finally {
      state.starting--;
    }
  };
  const end = async (state: SessionState) => {
    await Promise.all([...state.runs.values()].map((run) => run.kill()));
  };

  return {
    of: (session) => ({
      start: (request) => start(session, request),
      get(id) {
        const { runs } = stateOf(session);
        const run = runs.get(id);
        if (run !== undefined) return run;
        throw new ToolError("RUN_NOT_FOUND", `There is no background run "${id}"`, {
          hint: runs.size === 0 ? "None has been started." : `There are ${[...runs.keys()].join(", ")}.`,
        });
      },
      list: () => [...stateOf(session).runs.values()],
    }),
    async closeSession(session) {
      const state = sessions.get(session);
      sessions.delete(session);
      if (state !== undefined) await end(state);
    },
    async close() {
      isClosed = true;
      await Promise.all([...sessions.values()].map(end));
      sessions.clear();
    },
  };
}

function ensureRoom({ runs, starting }: SessionState, isClosed: boolean): void {
  if (isClosed) {
    throw new ToolError("EXECUTOR_CLOSED", "mom is shutting down and starts no programs any more", {
      hint: "Ask again when she is back.",
      retryable: true,
    });
  }
  const running = [...runs.values()].filter((run) => run.result === undefined);
  if (running.length + starting < maxRunning) return;
  throw new ToolError("RUN_LIMIT", `${maxRunning} programs run in the background already, which is the most`, {
    hint: `End one with process kill: ${running.map((run) => run.id).join(", ")}.`,
  });
}

/** Drops what ended long ago, and the oldest of what is too much. */
function forget({ runs }: SessionState, now: number): void {
  const finished = [...runs.values()].filter((run) => run.endedAt !== undefined);
  finished.sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0));
  for (const [age, run] of finished.entries()) {
    if (age >= maxFinished || now - (run.endedAt ?? now) > keepFinishedMs) runs.delete(run.id);
  }
}
