/** Slash commands: answered by the house itself, without a model. */
import type { SessionEntry } from "./session.ts";
import type { Turn } from "./turn.ts";

export interface CommandCall {
  turn: Turn;
  /** What follows the name, trimmed. */
  args: string;
  session: SessionEntry;
  /** Type of the adapter it came through. */
  adapterType: string;
}

export interface Command {
  /** Without the slash. */
  name: string;
  summary: string;
  /** Answered at once, beside a running turn. Absent or false: waits its turn in the session's lane. */
  immediate?: boolean;
  /** Only on these adapter types. Absent: everywhere. */
  onlyOn?: string[];
  /**
   * Gives the reply, Markdown. May be called again for the same turn after a crash, so its effect must be the same twice.
   * Throws a coded error to refuse.
   */
  run(call: CommandCall): Promise<string>;
}

export interface Commands {
  /** The command that a text calls, if any: `/name rest`. An unknown name gives the nearest one. */
  find(
    text: string,
    adapterType: string,
  ):
    | { type: "command"; command: Command; args: string }
    | { type: "unknown"; name: string; nearest?: string }
    | { type: "none" };
  list(adapterType: string): Command[];
}
