/**
 * The config of a running mom. Loads it at the start (or refuses), then follows the file: parse → validate → apply →
 * health → else back to the last good one, saying why. What runs is always a config that was whole and worked.
 */
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { errorText } from "../base/errors.ts";
import { createKeyedQueue } from "../base/keyed-queue.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import { configPath, readConfigText, saveLastGood } from "./config-files.ts";
import { buildInvalidError, type LoadDeps, loadConfig, toParseDeps } from "./load-config.ts";
import { type ParsedConfig, parseConfig } from "./parse-config.ts";
import { buildProblem, type ConfigProblem, type ConfigWarning } from "./problem.ts";
import { createFileWatch, type FileWatch } from "./watch-file.ts";

/** An editor's burst of writes is one edit. */
const quietMs = 200;
/** A file that does not parse may be half written: this long it has to become whole. */
const settleMs = 500;

export interface ConfigSourceDeps<Schema extends z.ZodType> extends LoadDeps<Schema> {
  dir: string;
  /**
   * Makes the running app follow `next`. Called for edits only, never for the first config, never twice at a time. May
   * throw: then it is called again the other way round, on an app that may have taken over only a part. Must settle.
   */
  apply(next: z.output<Schema>, previous: z.output<Schema>): Promise<void>;
  /** Asked after each apply: the reasons why the app does not work, none when it does. A throw is a reason. Must settle. */
  checkHealth(): Promise<readonly string[]>;
  /** Told what became of every edit, whoever asked for it to be read. Must not throw. */
  onOutcome?(outcome: ReloadOutcome): void;
  /** Gets every secret text of a config before that config is used, the first one included. Must not throw. */
  learnSecrets(secrets: readonly string[]): void;
  clock: Clock;
  log: Log;
}

/** What became of an edit. */
export type ReloadOutcome =
  | { type: "applied" }
  /** The file says what already runs. */
  | { type: "unchanged" }
  /** Refused before anything was touched. */
  | { type: "invalid"; problems: ConfigProblem[] }
  /** Tried and taken back; `restored` is false when going back failed too. */
  | { type: "rolled-back"; reasons: string[]; restored: boolean }
  | { type: "closed" };

export interface ConfigSource<Config> {
  /** The config that runs: the last good one. */
  readonly current: Config;
  /** The unknown keys of `current`'s file. */
  readonly warnings: readonly ConfigWarning[];
  /** The file was not there and has just been made. */
  readonly created: boolean;
  /** Called by the app once it works with `current`: keeps that as the last good one and follows the file from now on. */
  start(): Promise<void>;
  /** Takes the file over now, behind an edit that is under way. Never rejects. */
  reload(): Promise<ReloadOutcome>;
  /** Stops following; resolves when an edit under way has ended. */
  close(): Promise<void>;
}

type ParsedFile<Config> = ParsedConfig<Config> & { text: string };

/** Rejects with `CONFIG_INVALID` (all problems in it) or as `loadConfig` does; nothing has been started then. */
export async function createConfigSource<Schema extends z.ZodType>(
  deps: ConfigSourceDeps<Schema>,
): Promise<ConfigSource<z.output<Schema>>> {
  const { dir, log } = deps;
  const loaded = await loadConfig(dir, deps);
  if (loaded.type === "invalid") throw await buildInvalidError(dir, loaded.problems);
  deps.learnSecrets(loaded.secrets);
  logWarnings(log, loaded.warnings);

  const closing = new AbortController();
  const queue = createKeyedQueue();
  let current = loaded.config;
  let goodText = loaded.text;
  let warnings = loaded.warnings;
  let waiting: Promise<ReloadOutcome> | undefined;
  let fileWatch: FileWatch | undefined;

  const keepLastGood = async (text: string) => {
    goodText = text;
    try {
      await saveLastGood(dir, text);
    } catch (error) {
      log.warn("The last good config could not be kept.", { error });
    }
  };

  const takeOver = async (): Promise<ReloadOutcome> => {
    const read = await readSettled(deps, closing.signal);
    if (!read) return { type: "closed" };
    if (read.type === "invalid") return reportInvalid(log, read.problems);
    deps.learnSecrets(read.secrets);
    const isNew = !isDeepStrictEqual(read.config, current);
    const failed = isNew ? await applyStaged(deps, read.config, current) : undefined;
    if (failed) return failed;
    if (isNew) log.info("The edited config is in use.");
    if (isNew || read.text !== goodText) {
      current = read.config;
      warnings = read.warnings;
      logWarnings(log, warnings);
      await keepLastGood(read.text);
    }
    return { type: isNew ? "applied" : "unchanged" };
  };

  const reload = (): Promise<ReloadOutcome> => {
    // One edit may wait behind the one under way; it reads the file when its turn comes, so it stands for all later ones.
    waiting ??= queue.run("config", async () => {
      waiting = undefined;
      const outcome: ReloadOutcome = closing.signal.aborted ? { type: "closed" } : await takeOver();
      deps.onOutcome?.(outcome);
      return outcome;
    });
    return waiting;
  };

  return {
    get current() {
      return current;
    },
    get warnings() {
      return warnings;
    },
    created: loaded.created,
    async start() {
      await keepLastGood(goodText);
      fileWatch = await createFileWatch(deps, { path: configPath(dir), quietMs, onChange: () => void reload() });
      // An edit between loading and watching would otherwise wait for the next one.
      await reload();
    },
    reload,
    async close() {
      closing.abort();
      await fileWatch?.close();
      await queue.idle();
    },
  };
}

/** The file as it stands; if it is not usable, once more after a pause, because somebody may be in the middle of writing. */
async function readSettled<Schema extends z.ZodType>(
  deps: ConfigSourceDeps<Schema>,
  signal: AbortSignal,
): Promise<ParsedFile<z.output<Schema>> | undefined> {
  const first = await readFileNow(deps);
  if (first.type === "ok") return first;
  try {
    await deps.clock.sleep(settleMs, signal);
  } catch {
    return undefined;
  }
  return readFileNow(deps);
}

async function readFileNow<Schema extends z.ZodType>(
  deps: ConfigSourceDeps<Schema>,
): Promise<ParsedFile<z.output<Schema>>> {
  try {
    const text = await readConfigText(deps.dir);
    if (text !== undefined) return { ...(await parseConfig(text, toParseDeps(deps.dir, deps))), text };
    return { type: "invalid", text: "", problems: [buildFileProblem("no file", "Put the file back.")] };
  } catch (error) {
    return {
      type: "invalid",
      text: "",
      problems: [buildFileProblem(errorText(error), "Make the file readable again.")],
    };
  }
}

function buildFileProblem(found: string, hint: string): ConfigProblem {
  return buildProblem([], found, "a readable file", hint);
}

/** Undefined: `next` is in use and works. Otherwise `previous` has been put back, as far as that went. */
async function applyStaged<Schema extends z.ZodType>(
  { apply, checkHealth, log }: ConfigSourceDeps<Schema>,
  next: z.output<Schema>,
  previous: z.output<Schema>,
): Promise<ReloadOutcome | undefined> {
  const reasons = await listFailures(async () => {
    await apply(next, previous);
    return checkHealth();
  });
  if (reasons.length === 0) return undefined;
  const failures = await listFailures(async () => {
    await apply(previous, next);
    return [];
  });
  const restored = failures.length === 0;
  if (restored) log.error("The edited config did not work; the last good one is in use again.", { reasons });
  else log.error("The edited config did not work, and going back failed too: restart mom.", { reasons, failures });
  return { type: "rolled-back", reasons, restored };
}

async function listFailures(run: () => Promise<readonly string[]>): Promise<string[]> {
  try {
    return [...(await run())];
  } catch (error) {
    return [errorText(error)];
  }
}

function reportInvalid(log: Log, problems: ConfigProblem[]): ReloadOutcome {
  const lines = problems.map(({ message, hint }) => `${message} (${hint})`);
  log.error("The edited config is not usable; the last good one stays in use.", { problems: lines });
  return { type: "invalid", problems };
}

function logWarnings(log: Log, warnings: readonly ConfigWarning[]): void {
  for (const { path, message, hint } of warnings) log.warn(`config.json: ${message}. ${hint}`, { path });
}
