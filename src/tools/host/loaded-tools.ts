/** What one folder of custom tools gave: made from its module, started, called, stopped. `host-tools.ts` says when. */
import { errorText, ToolError } from "../../base/errors.ts";
import { within } from "../../base/within.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { inTime } from "./in-time.ts";
import { parseTool } from "./parse-tool.ts";
import type { CustomToolFactory, MomCustomTool, ToolAPI } from "./sdk.ts";

export interface LoadedTools {
  stamp: string;
  tools: MomCustomTool[];
  running: Set<Promise<unknown>>;
  /** Stopped, or about to be: takes no calls. */
  isClosed: boolean;
}

const startMs = 10_000;
const stopMs = 5000;

/** Throws with a sentence for the operator. `findClash`: why a name cannot be had. */
export async function makeTools(
  importing: Promise<unknown>,
  { api, clock, findClash }: { api: ToolAPI; clock: Clock; findClash(name: string): string | undefined },
): Promise<MomCustomTool[]> {
  const made = await inTime(clock, startMs, callFactory(importing, api), tooLate("It did not load", startMs));
  const tools = made.map((given) => {
    const parsed = parseTool(given);
    if (parsed.type === "bad") throw new Error(parsed.message);
    const clash = findClash(parsed.tool.name);
    if (clash !== undefined) throw new Error(clash);
    return parsed.tool;
  });
  const names = tools.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new Error(`It gives two tools of one name: ${names.join(", ")}.`);
  return tools;
}

async function callFactory(importing: Promise<unknown>, api: ToolAPI): Promise<unknown[]> {
  const exported = await importing;
  const made: unknown = typeof exported === "function" ? await (exported as CustomToolFactory)(api) : exported;
  return Array.isArray(made) ? made : [made];
}

/** Throws `HOST_TOOL_GONE` while the tool is being replaced. */
export async function callTool(
  { isClosed, running }: LoadedTools,
  tool: MomCustomTool,
  work: (tool: MomCustomTool) => Promise<unknown>,
): Promise<unknown> {
  if (isClosed) {
    throw new ToolError("HOST_TOOL_GONE", `The custom tool "${tool.name}" is being replaced`, {
      hint: "Try again in a few seconds.",
      retryable: true,
    });
  }
  const call = work(tool);
  running.add(call);
  try {
    return await call;
  } finally {
    running.delete(call);
  }
}

/** All of them, or none: those that were started are stopped again when a later one fails. */
export async function startTools(loaded: LoadedTools, clock: Clock): Promise<void> {
  const started: MomCustomTool[] = [];
  for (const tool of loaded.tools) {
    try {
      await callHook(tool, "onStart", startMs, clock);
      started.push(tool);
    } catch (error) {
      for (const each of started) await callHook(each, "onStop", stopMs, clock).catch(() => undefined);
      throw error;
    }
  }
  loaded.isClosed = false;
}

/** Calls under way may come to their end first; none can hold up an edit or the end of mom for long. */
export async function stopTools(loaded: LoadedTools, clock: Clock, log: Log): Promise<void> {
  loaded.isClosed = true;
  const calls = Promise.allSettled(loaded.running).then(() => undefined);
  await within(clock, stopMs, calls, () => undefined);
  for (const tool of loaded.tools) {
    try {
      await callHook(tool, "onStop", stopMs, clock);
    } catch (error) {
      log.warn("A custom tool did not stop cleanly", { tool: tool.name, error: errorText(error) });
    }
  }
}

async function callHook(tool: MomCustomTool, hook: "onStart" | "onStop", limitMs: number, clock: Clock): Promise<void> {
  // What throws at once rejects as well.
  const call = async () => tool[hook]?.();
  await inTime(clock, limitMs, call(), tooLate(`${hook} of "${tool.name}" did not end`, limitMs));
}

const tooLate = (what: string, limitMs: number) => () => new Error(`${what} within ${limitMs / 1000} s.`);
