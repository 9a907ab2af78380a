/**
 * The life of a command that runs the app: start, ready, until a signal, a crash or the end of the terminal's input; then an
 * orderly stop within ten seconds. What `mom run`, `mom chat` and `mom agent` have in common.
 */
import type { App } from "../app/index.ts";
import type { Clock } from "../contracts/clock.ts";
import type { CliLog } from "./cli-log.ts";
import type { CliIo } from "./io.ts";

export interface AppRun {
  io: CliIo;
  clock: Clock;
  logging: CliLog;
  /** `onRestart`: for the app, when somebody wants mom to begin anew. */
  start(onRestart: () => void): Promise<App>;
  /** The whole work, from ready to end: gives the exit code. Never settling is fine: a signal ends it. */
  work(app: App): Promise<number>;
  /** Asked at the first signal, before the app is stopped. Resolves true when `work` will end by itself soon. */
  onSignal?(): Promise<boolean>;
  /** Gives the terminal back. Synchronous, also on the way out; may be called twice. */
  close(): void;
}

const stopWithinMs = 10_000;
const echoMs = 300;
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Resolves with the exit code when everything is stopped, or with the wish to begin anew; rejects as `start` does. */
export async function runApp(run: AppRun): Promise<number | "restart"> {
  const { log } = run.logging;
  const ended = Promise.withResolvers<number | "restart">();
  let isLeaving = false;
  const leaveAtOnce = () => {
    run.close();
    run.io.exit(1);
  };
  const leave = async (code: number) => {
    if (isLeaving) return leaveAtOnce();
    isLeaving = true;
    const endsByItself = code === 0 && (await run.onSignal?.());
    if (!endsByItself) ended.resolve(code);
  };
  let last: { signal: string; at: number } | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    // One request can come twice: to the whole process group, and passed on by the launcher.
    const isEcho = last?.signal === signal && run.clock.monotonic() - last.at < echoMs;
    last = { signal, at: run.clock.monotonic() };
    if (isEcho) return;
    log.info("Asked to stop", { signal });
    void leave(0);
  };
  const onCrash = (error: unknown, origin: string) => {
    log.error("Something unexpected happened; stopping", { error, origin });
    void leave(1);
  };
  for (const signal of signals) process.on(signal, onSignal);
  process.on("uncaughtException", onCrash);
  try {
    const app = await run.start(() => {
      log.info("Asked to begin anew");
      ended.resolve("restart");
    });
    if (!isLeaving) run.work(app).then(ended.resolve, ended.reject);
    try {
      return await ended.promise;
    } finally {
      if (!(await stopInTime(app, run.clock))) log.error("Not everything could be stopped in time");
    }
  } finally {
    run.close();
    run.logging.release();
    await log.close();
    process.off("uncaughtException", onCrash);
    for (const signal of signals) process.off(signal, onSignal);
  }
}

/** False when it took too long. What was cut off is taken up at the next start, like after a crash. */
async function stopInTime(app: App, clock: Clock): Promise<boolean> {
  const inTime = new AbortController();
  const tooLate = clock.sleep(stopWithinMs, inTime.signal).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([app.stop().then(() => true), tooLate]);
  } finally {
    inTime.abort();
  }
}

/** How a command that runs the app ends its process. */
export function leave({ exit, restart }: Pick<CliIo, "exit" | "restart">, end: number | "restart"): void {
  if (end === "restart" && restart) restart();
  else exit(end === "restart" ? 0 : end);
}
