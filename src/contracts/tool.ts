/** Tools: what the model may do, behind one gate (spec 5). */
import type { Static, TSchema } from "typebox";
import type { TurnId } from "./ids.ts";
import type { ChannelRef, MessageSender } from "./message.ts";
import type { ImageContent, TextContent, ToolCall, ToolDeclaration } from "./model.ts";
import type { SessionEntry } from "./session.ts";

/**
 * What running it twice would mean. After a crash in the middle, `read` is simply run again; `write` and `external` come
 * back to the model as "interrupted; may have run".
 */
export type ToolEffect = "read" | "write" | "external";

export interface ToolResult<Details = unknown> {
  /** For the model. */
  content: (TextContent | ImageContent)[];
  /** For the UI only. JSON. */
  details: Details;
}

export interface Tool<Params extends TSchema = TSchema, Details = unknown> {
  name: string;
  /** For people, e.g. `Read`. */
  label: string;
  /** For the model; short, it is sent with every request. */
  description: string;
  parameters: Params;
  effect: ToolEffect;
  /** One line for the status display, e.g. `read notes.md`. Gets validated arguments; must not throw. */
  describe(params: Static<Params>): string;
  /**
   * Names of what the call writes; two calls that share one never run at the same time. Absent: none. Throws like `execute`.
   */
  locks?(params: Static<Params>): Promise<string[]>;
  /** Whom the call sends something to: ids and names of chats and people. Absent: nobody. Standing orders are held against it. */
  recipients?(params: Static<Params>): string[];
  /**
   * Gets arguments that passed the schema. Throws to fail: the text becomes an error result that the model can act on.
   * Must end soon after `signal` aborts and leave nothing running. `onUpdate` may be called until it settles.
   */
  execute(
    toolCallId: string,
    params: Static<Params>,
    signal: AbortSignal,
    onUpdate: (partial: ToolResult<Details>) => void,
  ): Promise<ToolResult<Details>>;
}

/** On whose behalf tools run. Comes from the turn, never from text. */
export interface ToolScope {
  session: SessionEntry;
  turnId: TurnId;
  channel: ChannelRef;
  sender: MessageSender;
  /** `provider/model` that asks; some policy layers look at it. */
  model: string;
}

/** Why a tool is or is not there: every tool has one (spec 5.4). */
export interface ToolDecision {
  name: string;
  allowed: boolean;
  /** The layer and rule that removed it. */
  removedBy?: { layer: string; rule: string };
}

export interface ToolOutcome {
  content: (TextContent | ImageContent)[];
  details: unknown;
  isError: boolean;
}

/** The tools of one turn. `run` is the only way to any of them. */
export interface ToolSet {
  /** The allowed ones, in a stable order (prompt caches). */
  declarations: ToolDeclaration[];
  /** Every registered tool with its verdict. */
  decisions: ToolDecision[];
  /** Undefined for a name that no tool has. */
  effectOf(name: string): ToolEffect | undefined;
  /** One line for people, also for calls that will be refused. Never throws. */
  describe(call: ToolCall): string;
  /**
   * The gate: known? allowed? arguments valid? then runs it. Never throws and never rejects: an unknown tool, a refusal,
   * bad arguments and a failing tool are all error outcomes that say what to do instead.
   */
  run(call: ToolCall, signal: AbortSignal, onUpdate: (partial: ToolResult) => void): Promise<ToolOutcome>;
}

export interface Toolbox {
  /** The tools for one turn, policy applied. */
  open(scope: ToolScope): Promise<ToolSet>;
}
