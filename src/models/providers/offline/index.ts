/**
 * `mom/offline`: no language model but a small planner that turns plain requests into calls of the real tools. It lets a
 * newcomer try everything without a key, and tests run without a network. Flow: `conversation.ts` (what is asked, what has
 * been done) → `intents.ts` (what is meant) → `plan.ts` (next message) → `stream.ts` (as a model would send it).
 */
import type { ModelInfo } from "../../../contracts/model.ts";
import type { Provider, ProviderDeps } from "../../provider.ts";
import { streamPlan } from "./stream.ts";

const api = "mom-offline";
const id = "offline";
const model: ModelInfo = {
  ref: `mom/${id}`,
  provider: "mom",
  id,
  contextWindow: 200_000,
  maxOutputTokens: 8192,
  input: ["text"],
  reasoning: false,
  price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  isPlanner: true,
};

export function createOfflineProvider(deps: ProviderDeps): Provider {
  return {
    name: "mom",
    api,
    defaultModel: id,
    secrets: [],
    list: async () => [model],
    ask: (call) => streamPlan(call, { api, nowMs: deps.clock.now() }),
  };
}
