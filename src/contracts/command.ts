/** Slash commands: answered by the house itself, without a model. */
import type { SessionEntry } from "./session.ts";
import type { DeliveryBody } from "./store.ts";
import type { NewStep, Turn, TurnStep } from "./turn.ts";

export interface CommandCall {
  turn: Turn;
  /** What follows the name, trimmed. */
  args: string;
  session: SessionEntry;
  /** Type of the adapter it came through. */
  adapterType: string;
  /** By the adapter's rules and the sender's immutable id. */
  isAdmin: boolean;
  /** What an earlier, interrupted attempt at this command recorded. */
  steps: readonly TurnStep[];
  /** Makes a change of the transcript durable, as a turn's step. Only for commands that wait their turn in the lane. */
  record(step: NewStep): Promise<void>;
}

/** Markdown, or Markdown with files that are posted after it. */
export type CommandReply =
  | string
  | { text: string; files: Extract<DeliveryBody, { type: "file" }>[] }
  /** The turn was stopped or parked while the command worked: nothing is posted. */
  | { aborted: true };

export interface Command {
  /** Without the slash. */
  name: string;
  /** Other names for the same. */
  aliases?: string[];
  summary: string;
  /** What may follow the name, for help: `[name]`, `add <text> | list`. */
  usage?: string;
  /** Only admins may call it; the others are told so. */
  adminOnly?: true;
  /** Answered at once, beside a running turn. Absent or false: waits its turn in the session's lane. */
  immediate?: boolean;
  /** Only on these adapter types. Absent: everywhere. */
  onlyOn?: string[];
  /**
   * Gives the reply. May be called again for the same turn after a crash, so its effect must be the same twice.
   * Throws a coded error to refuse.
   */
  run(call: CommandCall): Promise<CommandReply>;
}

export type FoundCommand =
  | { type: "command"; command: Command; args: string }
  /** A template or a skill: a turn for the agent, which puts the text together. */
  | { type: "prompt" }
  | { type: "unknown"; name: string; nearest?: string }
  | { type: "none" };

/** Where a text was said, as far as it decides what there is to call. */
export interface CommandPlace {
  adapterType: string;
  /** Who answers there: templates are looked for in this agent's workspace alone. */
  agentId: string;
}

export interface Commands {
  /** The command that a text calls, if any: `/name rest`. An unknown name gives the nearest one. */
  find(text: string, where: CommandPlace): Promise<FoundCommand>;
  list(adapterType: string): Command[];
}
