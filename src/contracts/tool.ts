/** Tools: what the model may do, behind one gate (spec 5). */
import type { Static, TSchema } from "typebox";
import type { Approval, ApprovalSubject } from "./approval.ts";
import type { Principal } from "./errand.ts";
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
  /**
   * Set where the content came from outside the house: the address of a page, the file of somebody. The text may inform,
   * it may not trigger: from then on calls that act on the world need an approval.
   */
  outside?: string;
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
  /** For a door: what this call means twice, by its unchecked arguments. Absent: `effect`. Must not throw. */
  effectOf?(args: Record<string, unknown>): ToolEffect | undefined;
  /** The tool that the call is really of, where this one is only the door to it: policy and standing orders are asked for both. */
  actsAs?(params: Static<Params>): string | undefined;
  /** What a person would have to allow, where policy wants this call approved. Absent: the arguments as they are. Throws like `execute`. */
  approvalSubject?(params: Static<Params>): Promise<ApprovalSubject>;
  /** A person must allow this call whatever policy says of the tool. Absent: no. */
  needsApproval?(params: Static<Params>): boolean;
  /** Acts on the world beyond the sandbox and this chat (spec 5.5, provenance). Absent: no. */
  isOutward?(params: Static<Params>): boolean;
  /** What the call may bring in from outside even where it fails; counts from before it runs. Absent: nothing. */
  mayBring?(params: Static<Params>): string | undefined;
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
  /** Type of the adapter: `slack`, `cli` … */
  adapterType: string;
  sender: MessageSender;
  /** By the adapter's rules and the sender's immutable id. */
  isAdmin: boolean;
  /** `provider/model` that asks; some policy layers look at it. */
  model: string;
  /**
   * For whom an errand works: `channel`, `sender` and `isAdmin` are theirs, and nothing is allowed that their own session is
   * not.
   */
  principal?: Principal;
  /** Only these of the allowed tools are there. Absent: all of them. */
  only?: readonly string[];
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
  /** Custom tools of the host that `invoke_tool` may call here. */
  hostTools: ToolDeclaration[];
  /** What confines programs; absent: nothing does. */
  sandbox?: { mode: string; hasNetwork: boolean };
  /** Every registered tool with its verdict. */
  decisions: ToolDecision[];
  /** What running the call twice would mean. Undefined for a name that no tool has. */
  effectOf(call: Pick<ToolCall, "name" | "arguments">): ToolEffect | undefined;
  /** One line for people, also for calls that will be refused. Never throws. */
  describe(call: ToolCall): string;
  /**
   * The gate: known? allowed? arguments valid? then runs it. Never throws and never rejects: an unknown tool, a refusal,
   * bad arguments and a failing tool are all error outcomes that say what to do instead. `onApproval` is called when the
   * call waits for a person, and again when it does not any more.
   */
  run(
    call: ToolCall,
    signal: AbortSignal,
    onUpdate: (partial: ToolResult) => void,
    onApproval?: (approval: Approval, state: "waiting" | "over") => void,
  ): Promise<ToolOutcome>;
  /** Asked after a crash of a call that was started: false when it certainly never got through the gate. */
  mayHaveRun(call: ToolCall): Promise<boolean>;
}

export interface Toolbox {
  /** The tools for one turn, policy applied. */
  open(scope: ToolScope): Promise<ToolSet>;
}
