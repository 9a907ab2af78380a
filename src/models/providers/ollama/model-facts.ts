/** What Ollama tells of a model (`/api/show`) in the words of the port. */
import { z } from "zod";

export const showSchema = z.object({
  /** Lines of `name value`, as in a Modelfile. */
  parameters: z.string().optional(),
  model_info: z.record(z.string(), z.unknown()).optional(),
  capabilities: z.array(z.string()).optional(),
});

export interface ModelFacts {
  contextWindow: number;
  maxOutputTokens: number;
  input: ("text" | "image")[];
  reasoning: boolean;
  canChat: boolean;
  canCallTools: boolean;
}

/** Tokens. Ollama names no limit for answers; what it does not tell of the window is taken to be little. */
const fallbackWindow = 8192;
const longestAnswer = 8192;

export function toModelFacts(shown: z.infer<typeof showSchema>): ModelFacts {
  const can = (what: string) => shown.capabilities?.includes(what) ?? false;
  const contextWindow = findServedWindow(shown.parameters) ?? findTrainedWindow(shown.model_info) ?? fallbackWindow;
  return {
    contextWindow,
    maxOutputTokens: Math.min(longestAnswer, Math.ceil(contextWindow / 2)),
    input: can("vision") ? ["text", "image"] : ["text"],
    reasoning: can("thinking"),
    // Older servers list no capabilities at all.
    canChat: shown.capabilities === undefined || can("completion"),
    canCallTools: can("tools"),
  };
}

/** `num_ctx`: what the server really gives the model, where the model says so. */
function findServedWindow(parameters: string | undefined): number | undefined {
  const value = /^num_ctx\s+(\d+)\s*$/m.exec(parameters ?? "")?.[1];
  return value === undefined ? undefined : Number(value);
}

/** `llama.context_length`, `qwen3.context_length` …: what the model was made for. */
function findTrainedWindow(info: Record<string, unknown> | undefined): number | undefined {
  const entry = Object.entries(info ?? {}).find(([key]) => /^[^.]+\.context_length$/.test(key));
  return typeof entry?.[1] === "number" && entry[1] > 0 ? entry[1] : undefined;
}
