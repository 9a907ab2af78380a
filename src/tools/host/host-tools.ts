/**
 * The custom tools of this host: found, loaded, started, replaced when their files change, stopped. One that is broken
 * never stands in the way of the others, nor a broken edit in the way of what worked before it.
 */
import { errorText, ToolError } from "../../base/errors.ts";
import { within } from "../../base/within.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { importTool } from "./catalog.ts";
import { findModuleFault } from "./find-fault.ts";
import { type FoundTool, findTools, type ToolProblem } from "./find-tools.ts";
import { callTool, type LoadedTools, makeTools, startTools, stopTools } from "./loaded-tools.ts";
import { createModuleHooks, type ModuleHooks, toPlainMessage } from "./module-hooks.ts";
import type { MomCustomTool } from "./sdk.ts";
import { createToolApi, type ToolApiDeps } from "./tool-api.ts";

export interface HostTools {
  /** The first look, waited for to its end. Never rejects: what is broken is in `problems`. */
  start(): Promise<void>;
  /**
   * Takes in what has changed on the disk; looks at most once a second. Called before every turn, which waits two seconds at
   * most: what takes longer to load goes on meanwhile, and the one before serves until then. Never rejects.
   */
  refresh(): Promise<void>;
  /** Also those that are being replaced just now. */
  list(): MomCustomTool[];
  /** What could not be taken, and why; of the last look. */
  problems(): ToolProblem[];
  /** Throws `HOST_TOOL_GONE` for one that is not there any more, or is just being replaced (`retryable`). */
  run(name: string, work: (tool: MomCustomTool) => Promise<unknown>): Promise<unknown>;
  /** Stops them all. */
  close(): Promise<void>;
}

/** What is known of a tool without loading it. */
export interface KnownTool {
  name: string;
  description: string;
  /** Its folder, absolute and real. */
  path: string;
}

export interface HostToolsDeps extends ToolApiDeps {
  clock: Clock;
  log: Log;
  /** Where tools are looked for, in order; absolute. */
  roots: readonly string[];
  /** What the agent can write: nothing there is ever loaded. Absolute. */
  agentFolders(): readonly string[];
  /** Names of mom's own tools: no custom tool may take one. */
  isTaken(name: string): boolean;
  isDisabled(name: string): boolean;
  /** Gets all that are loaded, disabled ones too, after the first look and whenever they have changed. Absent: nobody asks. */
  onChange?(tools: readonly KnownTool[]): Promise<void>;
}

const freshMs = 1000;
const turnWaitMs = 2000;

export function createHostTools(deps: HostToolsDeps): HostTools {
  const { clock } = deps;
  const log = deps.log.with({ room: "tools" });
  const api = createToolApi(deps);
  const loaded = new Map<string, LoadedTools>();
  /** By folder: what was wrong with the files as they are now. */
  const broken = new Map<string, ToolProblem & { stamp: string }>();
  let unsafe: ToolProblem[] = [];
  let hooks: ModuleHooks | undefined;
  let looking: Promise<void> | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isClosing = false;
  let told: string | undefined;
  let loads = 0;

  const load = async ({ folder, index, stamp }: FoundTool): Promise<LoadedTools> => {
    hooks ??= createModuleHooks((path) => findModuleFault(path, deps.agentFolders()));
    const others = [...loaded].flatMap(([of, { tools }]) => (of === folder ? [] : tools));
    const findClash = (name: string) => {
      if (deps.isTaken(name)) return `"${name}" is the name of one of mom's own tools; choose another.`;
      return others.some((other) => other.name === name) ? `Another custom tool is called "${name}" too.` : undefined;
    };
    const tools = await makeTools(importTool(hooks.toUrl(index, folder, ++loads)), { api, clock, findClash });
    return { stamp, tools, running: new Set(), isClosed: true };
  };

  /** The old one is stopped before the new one starts: both may want the same port. */
  const replace = async (folder: string, before: LoadedTools | undefined, next: LoadedTools) => {
    if (before) await stopTools(before, clock, log);
    try {
      await startTools(next, clock);
      loaded.set(folder, next);
    } catch (error) {
      if (!before) throw error;
      await startTools(before, clock).catch((again: unknown) => {
        loaded.delete(folder);
        throw new Error(`${errorText(error)} The one before cannot be started again: ${errorText(again)}`);
      });
      throw error;
    }
  };

  const take = async (found: FoundTool): Promise<void> => {
    const { folder, stamp } = found;
    const before = loaded.get(folder);
    if (before?.stamp === stamp || broken.get(folder)?.stamp === stamp) return;
    try {
      const next = await load(found);
      if (isClosing) return;
      await replace(folder, before, next);
      broken.delete(folder);
      log.info("custom tool ready", { folder, tools: next.tools.map(({ name }) => name) });
    } catch (error) {
      const message = toPlainMessage(errorText(error));
      broken.set(folder, { path: folder, message, stamp });
      const kept = loaded.has(folder) && { kept: "the one before" };
      log.warn("A custom tool cannot be used", { folder, problem: message, ...kept });
    }
  };

  const drop = async (isThere: (folder: string) => boolean) => {
    for (const folder of broken.keys()) if (!isThere(folder)) broken.delete(folder);
    for (const [folder, old] of loaded) {
      if (isThere(folder)) continue;
      loaded.delete(folder);
      await stopTools(old, clock, log);
      log.info("custom tool gone", { folder });
    }
  };

  const tell = async () => {
    const known = [...loaded].flatMap(([path, { tools }]) =>
      tools.map(({ name, description }): KnownTool => ({ name, description, path })),
    );
    const text = JSON.stringify(known);
    if (text === told) return;
    try {
      await deps.onChange?.(known);
      told = text;
    } catch (error) {
      log.warn("The list of custom tools cannot be kept", { error });
    }
  };

  const look = async () => {
    const found = await findTools(deps.roots, deps.agentFolders());
    const known = new Set(unsafe.map(({ path, message }) => `${path}\n${message}`));
    for (const { path, message } of found.problems) {
      if (!known.has(`${path}\n${message}`))
        log.warn("A custom tool cannot be used", { folder: path, problem: message });
    }
    unsafe = found.problems;
    const here = new Set(found.tools.map(({ folder }) => folder));
    await drop((folder) => here.has(folder));
    for (const each of found.tools) if (!isClosing) await take(each);
    await tell();
  };

  /** One look at a time; whoever comes meanwhile waits for the same. */
  const lookOnce = (): Promise<void> => {
    if (looking) return looking;
    if (isClosing || clock.monotonic() - lookedAt < freshMs) return Promise.resolve();
    lookedAt = clock.monotonic();
    looking = look()
      .catch((error: unknown) => log.error("Custom tools cannot be looked for", { error }))
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };

  return {
    start: lookOnce,
    refresh() {
      const look = lookOnce();
      const leftMs = lookedAt + turnWaitMs - clock.monotonic();
      return leftMs > 0 ? within(clock, leftMs, look, () => undefined) : Promise.resolve();
    },
    list: () => [...loaded.values()].flatMap(({ tools }) => tools).filter(({ name }) => !deps.isDisabled(name)),
    problems: () => [...unsafe, ...[...broken.values()].map(({ path, message }) => ({ path, message }))],
    async run(name, work) {
      for (const owner of loaded.values()) {
        const tool = owner.tools.find((each) => each.name === name);
        if (tool && !deps.isDisabled(name)) return callTool(owner, tool, work);
      }
      throw new ToolError("HOST_TOOL_GONE", `There is no custom tool "${name}" any more`, {
        hint: "Look at the list of custom tools in your instructions.",
      });
    },
    async close() {
      isClosing = true;
      await looking;
      await Promise.all([...loaded.values()].map((each) => stopTools(each, clock, log)));
      loaded.clear();
      hooks?.close();
      hooks = undefined;
    },
  };
}
