/**
 * Lifecycle hooks (spec 6.4): scripts of the operator's that are told what happens in the house. Those that look on are run
 * behind the message path, a few at a time, from a short line that drops what is too much. Only `tool:before` is waited for.
 */
import { createPump } from "../../base/pump.ts";
import type { Hooks } from "../../contracts/hook.ts";
import type { Log } from "../../contracts/log.ts";
import type { HookScript } from "./config.ts";
import { runScript, type ScriptDeps, type ScriptResult } from "./run-script.ts";

export interface RunningHooks extends Hooks {
  /** Ends scripts that run and forgets what waits. May be called twice. */
  close(): Promise<void>;
}

interface HooksDeps extends ScriptDeps {
  log: Log;
}

/** What waits for one script. */
interface Line {
  script: HookScript;
  waiting: string[];
  isRunning: boolean;
  dropped: number;
  /** It failed the last time, which has been said. */
  isFailing: boolean;
}

const mostWaiting = 100;
const mostAtOnce = 4;
const maxTextChars = 16_000;
const maxInputChars = 1024 * 1024;

/** `scripts`: asked with every event; what waits for one that is no more is dropped. */
export function createHooks(deps: HooksDeps, scripts: () => readonly HookScript[]): RunningHooks {
  const { log } = deps;
  const closed = new AbortController();
  const lines = new Map<HookScript, Line>();

  const report = (line: Line, result: ScriptResult) => {
    if (result.type === "failed" && !line.isFailing) {
      log.warn("A hook's script failed", { script: line.script.run[0], reason: result.reason });
    }
    line.isFailing = result.type === "failed";
  };
  const work = async (line: Line, input: string) => {
    report(line, await runScript(deps, line.script, input, closed.signal));
    line.isRunning = false;
    if (line.waiting.length > 0 || line.dropped === 0) return;
    log.warn("Events were not told to a hook's script: it is too slow", {
      script: line.script.run[0],
      dropped: line.dropped,
    });
    line.dropped = 0;
  };
  const pump = createPump({
    async take() {
      for (const line of lines.values()) {
        const input = line.isRunning ? undefined : line.waiting.shift();
        if (input === undefined) continue;
        line.isRunning = true;
        return () => work(line, input);
      }
      return undefined;
    },
    maxActive: () => mostAtOnce,
    onFailure: (error) => log.error("Hooks cannot be told", { error }),
  });
  const lineOf = (script: HookScript): Line => {
    const line = lines.get(script) ?? { script, waiting: [], isRunning: false, dropped: 0, isFailing: false };
    lines.set(script, line);
    return line;
  };
  const forgetOld = (present: readonly HookScript[]) => {
    for (const script of lines.keys()) if (!present.includes(script)) lines.delete(script);
  };
  const isHeard: Hooks["isHeard"] = (type) => scripts().some(({ on }) => on.includes(type));
  const ask = async (script: HookScript, event: object, signal: AbortSignal): Promise<ScriptResult> => {
    const input = toInput(event);
    if (input === undefined) return { type: "failed", reason: "the call is too large to be shown to it" };
    return runScript(deps, script, input, AbortSignal.any([signal, closed.signal]));
  };
  return {
    isHeard,
    tell(event) {
      if (closed.signal.aborted || !isHeard(event.type)) return;
      const present = scripts();
      forgetOld(present);
      const input = toInput("text" in event ? { ...event, text: cut(event.text) } : event);
      if (input === undefined) return;
      for (const script of present) {
        if (!script.on.includes(event.type)) continue;
        const line = lineOf(script);
        if (line.waiting.length < mostWaiting) line.waiting.push(input);
        else line.dropped++;
      }
      pump.wake();
    },
    async askTool(event, signal) {
      for (const script of scripts()) {
        if (!script.on.includes(event.type)) continue;
        const result = await ask(script, event, signal);
        if (result.type === "refused") return result;
        if (signal.aborted) return { type: "refused", reason: "The turn was stopped." };
        if (result.type === "go") continue;
        log.warn("A hook's script failed before a tool", {
          script: script.run[0],
          tool: event.tool,
          reason: result.reason,
        });
        if (script.required)
          return { type: "refused", reason: "A check that the operator requires before tools failed." };
      }
      return { type: "go" };
    },
    async close() {
      closed.abort();
      lines.clear();
      await pump.drain();
    },
  };
}

/** Undefined: too large, or not JSON. */
function toInput(event: object): string | undefined {
  try {
    const input = JSON.stringify(event);
    return input.length <= maxInputChars ? `${input}\n` : undefined;
  } catch {
    return undefined;
  }
}

const cut = (text: string) => (text.length <= maxTextChars ? text : `${text.slice(0, maxTextChars).toWellFormed()}…`);
