/** The house that commands find in tests: one session, two models, and whatever a test puts there. */
import type { ContextReport } from "../../src/contracts/agent.ts";
import type { SessionId, SessionKey, TurnId } from "../../src/contracts/ids.ts";
import type { ChannelInfo, UserInfo } from "../../src/contracts/message.ts";
import type { ModelInfo, ProviderStatus } from "../../src/contracts/model.ts";
import type { SessionEntry } from "../../src/contracts/session.ts";
import type { SpokenLine } from "../../src/contracts/session-door.ts";
import type { StandingOrder } from "../../src/contracts/standing-order.ts";
import type { UsageTotal } from "../../src/contracts/store.ts";
import type { SubagentRun } from "../../src/contracts/subagent.ts";
import type { TranscriptEntry } from "../../src/contracts/transcript.ts";
import type { PromptTemplate, Skill, SkillDiagnostic } from "../../src/contracts/workspace.ts";

export interface Life {
  id: SessionId;
  startedAt: number;
  entries: TranscriptEntry[];
}

/** What tests look at and set up. */
export interface CommandHouse {
  session: SessionEntry;
  lives: Life[];
  orders: StandingOrder[];
  /** What the platform has told of. */
  channels: ChannelInfo[];
  users: UserInfo[];
  templates: PromptTemplate[];
  skills: Skill[];
  diagnostics: SkillDiagnostic[];
  models: ModelInfo[];
  aliases: Record<string, string>;
  providers: ProviderStatus[];
  report: ContextReport;
  totals: Record<"day" | "model", UsageTotal[]>;
  changelog: string;
  settings: Map<string, string>;
  exports: Map<string, string>;
  restarts: TurnId[];
  reloads: number;
  /** Times that templates and skills were asked for to tell a prompt from an unknown word. */
  promptLookups: number;
  compactions: (string | undefined)[];
  runs: SubagentRun[];
  /** What was said in subagents, by run. */
  spoken: Map<string, SpokenLine[]>;
}

export const sessionKey = "agent:main:dm:chat:C1" as SessionKey;
export const channel = { adapter: "chat", channelId: "C1" };
export function createHouse(nowMs: number): CommandHouse {
  const model = { maxOutputTokens: 1000, reasoning: true, input: ["text" as const] };
  const price = { input: 3, output: 15, cacheRead: 0, cacheWrite: 0 };
  return {
    session: {
      sessionId: "life-0" as SessionId,
      sessionKey,
      type: "dm",
      agentId: "main",
      createdAt: nowMs,
      updatedAt: nowMs,
      channel,
      lastChannel: channel,
      inputTokens: 1000,
      outputTokens: 234,
      totalTokens: 1234,
      cost: 0.25,
    },
    lives: [],
    orders: [],
    channels: [{ id: "C9", name: "all", type: "channel" }],
    users: [{ id: "U1", username: "ann" }],
    templates: [],
    skills: [],
    diagnostics: [],
    models: [
      { ...model, ref: "mom/big", provider: "mom", id: "big", contextWindow: 200_000, price },
      { ...model, ref: "mom/small", provider: "mom", id: "small", contextWindow: 8000, price },
    ],
    aliases: { fast: "mom/small" },
    providers: [],
    report: {
      model: "mom/big",
      contextWindow: 200_000,
      sections: [{ name: "Identity", text: "x".repeat(1500) }],
      tools: [{ name: "bash", description: "runs", parameters: {} }],
      messages: 1,
      tokens: { system: 8000, tools: 1500, messages: 500 },
    },
    totals: { day: [], model: [] },
    changelog: "",
    settings: new Map([["queue", "{ mode: 'steer' }"]]),
    exports: new Map(),
    restarts: [],
    reloads: 0,
    promptLookups: 0,
    compactions: [],
    runs: [],
    spoken: new Map(),
  };
}
