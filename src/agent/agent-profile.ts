/** One agent as the run loop needs it: its settings with every default filled in. Made by the composition root. */
import type { ThinkingLevel } from "../contracts/model.ts";

export interface AgentProfile {
  id: string;
  /** A name or an alias; absent: the default of all. */
  model?: string;
  /** Tried in this order when the model gives no answer. */
  fallbacks: readonly string[];
  thinking: ThinkingLevel;
  /** Absolute. */
  workspaceDir: string;
  /** Absolute: the folder that tools start in. */
  workDir: string;
  /** Per file of the workspace that goes into the prompt. */
  bootstrapMaxChars: number;
  runTimeoutMs: number;
  memoryFlush: boolean;
  forgetAfterTurns: number;
}
