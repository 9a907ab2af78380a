/** Lifecycle hooks (spec 6.4): what happens in the house, told to a script of the operator's or a plugin. */
export type HookEvent =
  | {
      type: "message:received";
      adapter: string;
      channelId: string;
      messageId: string;
      senderId: string;
      text: string;
      turnId: string;
      sessionKey: string;
    }
  | { type: "message:sent"; adapter: string; channelId: string; messageId?: string; text: string; turnId?: string }
  | { type: "session:start"; sessionKey: string; sessionId: string; agentId: string }
  | { type: "session:end"; sessionKey: string; sessionId: string; agentId: string; reason: string }
  | { type: "tool:before"; sessionKey: string; turnId: string; tool: string; args: unknown }
  | { type: "tool:after"; sessionKey: string; turnId: string; tool: string; isError: boolean; durationMs: number }
  | { type: "compaction"; sessionKey: string; turnId: string };

export interface Hooks {
  /** For those that only look on. Never throws, never waits. */
  tell(event: HookEvent): void;
  /**
   * Before a tool runs, after policy and approvals: may only refuse. `reason`: for the model. A hook that fails or takes too
   * long refuses where its config says `required`, else it is passed over.
   */
  askTool(
    event: Extract<HookEvent, { type: "tool:before" }>,
    signal: AbortSignal,
  ): Promise<{ type: "go" } | { type: "refused"; reason: string }>;
  /** Is anybody told of this? Cheap. */
  isHeard(type: HookEvent["type"]): boolean;
}
