/**
 * Approvals: a person with the right to it says yes or no to one exact call, before it runs (spec 5.5). Rows that survive
 * a crash: a question asked before it is answered after it.
 */
import type { ApprovalId, SessionKey, TurnId } from "./ids.ts";
import type { ChannelRef } from "./message.ts";

/** One exact thing that somebody may allow. */
export interface ApprovalSubject {
  tool: string;
  /** All that will happen, as it will happen: the whole command, or the arguments of another tool. Never shortened. */
  text: string;
  /** What makes two calls the same. Anything else here is another subject, with another hash. */
  exact: { argv: string[] /** Absolute and real. */; cwd: string; env: Record<string, string> };
}

/** One argument of a rule: this very text, or any plain path below the working folder. */
export type ArgumentShape = { type: "exact"; text: string } | { type: "path" };

/** What `always` stores: a program by its resolved path and the shape of its arguments, never a piece of text. */
export interface AllowRule {
  program: string;
  args: ArgumentShape[];
}

/** What would allow a command line for good; `why`: why nothing can, as it goes on behind "because". */
export type SuggestedRules = { type: "rules"; rules: AllowRule[] } | { type: "none"; why: string };

export interface StoredRule extends AllowRule {
  /** Short; for `/allowlist remove`. */
  id: string;
  agentId: string;
  /** `adapter:id` of who allowed it. */
  by: string;
  createdAt: number;
}

export interface NewApproval {
  /** Short enough to be typed. */
  id: ApprovalId;
  turnId: TurnId;
  toolCallId: string;
  sessionKey: SessionKey;
  agentId: string;
  /** Where the turn runs. */
  channel: ChannelRef;
  /** `adapter:id` of who asked for the turn. */
  sender: string;
  subject: ApprovalSubject;
  /** Of `subject.tool` and `subject.exact`. */
  hash: string;
  /** Why it is asked, for people: one sentence. */
  reason: string;
  /** What `always` would store; empty where it cannot be had. */
  rules: AllowRule[];
  /** Milliseconds since the epoch. After that it counts as denied. */
  expiresAt: number;
}

/** `used`: allowed, and the call has been let through; it will not be a second time. */
export type ApprovalState = "pending" | "allowed" | "denied" | "expired" | "used";
export type ApprovalVerdict = "once" | "always" | "deny";

export interface Approval extends NewApproval {
  state: ApprovalState;
  createdAt: number;
  answeredAt?: number;
  /** `adapter:id`; `mom:policy` and `mom:stopped` where nobody had to answer any more. */
  answeredBy?: string;
}

export type AnswerResult =
  | { type: "answered"; approval: Approval }
  /** Somebody was first, or its time was over: nothing was changed. */
  | { type: "late"; approval: Approval }
  | { type: "unknown" };

export interface Approvals {
  /** Durable when it resolves. The same turn and call give the same row, whatever has become of it. */
  request(approval: NewApproval): Promise<Approval>;
  /** A pending one whose time is over comes as `expired`. */
  get(id: ApprovalId): Promise<Approval | undefined>;
  find(turnId: TurnId, toolCallId: string): Promise<Approval | undefined>;
  /** Newest first. */
  list(filter: { states?: ApprovalState[]; limit: number }): Promise<Approval[]>;
  /** The first answer counts. `always` keeps the rules in the same step. Whether `by` may answer is decided by the caller. */
  answer(id: ApprovalId, verdict: ApprovalVerdict, by: string): Promise<AnswerResult>;
  /** Lets the call through: true exactly once, and only for an allowed one with this very hash. Durable before it resolves. */
  use(id: ApprovalId, hash: string): Promise<boolean>;
  /** Oldest first. */
  rules(agentId: string): Promise<StoredRule[]>;
  /** A rule that is there already stays as it is. */
  addRule(agentId: string, rule: AllowRule, by: string): Promise<StoredRule>;
  removeRule(agentId: string, id: string): Promise<boolean>;
}
