/** What the gate asks the desk for approvals about a call, and what it hears: the one place where the two agree. */
import type { Approval } from "../contracts/approval.ts";
import type { ToolCall } from "../contracts/model.ts";
import type { Tool } from "../contracts/tool.ts";

export interface PassRequest {
  call: ToolCall;
  tool: Tool;
  /** Validated. */
  params: unknown;
  /** Aborted with the reason `parked`, the call will be made later; with any other one it is over. */
  signal: AbortSignal;
  /** The call waits for a person. */
  onApproval(approval: Approval): void;
}

export type PassResult = { type: "pass" } | { type: "refused"; text: string; code: string };
