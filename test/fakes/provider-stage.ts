/** A model provider as the room would load it, to be asked once and looked at: no retries, no profiles, a fake clock. */
import assert from "node:assert/strict";
import type { ModelEvent, ModelFailure, ModelInfo } from "../../src/contracts/model.ts";
import { loadProvider } from "../../src/models/catalog.ts";
import { modelsConfig } from "../../src/models/config.ts";
import { buildAbortedFailure, classifyFailure } from "../../src/models/failure.ts";
import type { Provider, ProviderCall } from "../../src/models/provider.ts";
import { type AttemptEnd, runAttempt } from "../../src/models/run-attempt.ts";
import { buildSources } from "../../src/models/sources.ts";
import { createFakeClock } from "./clock.ts";

export interface Outcome {
  events: ModelEvent[];
  end: AttemptEnd;
  failure?: ModelFailure;
  retryable?: boolean;
}

export interface ProviderStage {
  provider: Provider;
  model: ModelInfo;
  clock: ReturnType<typeof createFakeClock>;
  /** With the credential of the configuration or the environment, unless the overrides have one. */
  ask(overrides?: Partial<ProviderCall>, onEvent?: (event: ModelEvent) => void): Promise<Outcome>;
  /** An answer that did come. */
  answer(overrides?: Partial<ProviderCall>): Promise<Extract<AttemptEnd, { type: "done" }>["message"]>;
}

export interface StageSetup {
  /** `provider/model`. */
  ref: string;
  config?: object;
  env?: Record<string, string>;
  timeoutMs?: number;
}

export const question = () => ({ role: "user" as const, content: "what is 2 and 3?", timestamp: 1 });

export async function openProvider({
  ref,
  config = {},
  env = {},
  timeoutMs = 5000,
}: StageSetup): Promise<ProviderStage> {
  const clock = createFakeClock();
  const source = buildSources(modelsConfig.parse(config), env).get(ref.slice(0, ref.indexOf("/")));
  assert.ok(source && source.missing === undefined);
  const provider = await loadProvider(source, { clock, fetch: globalThis.fetch, timeoutMs });
  const model = (await provider.list()).find((offered) => offered.ref === ref);
  assert.ok(model, `${ref} is not offered`);
  const credential = source.implicitCredentials[0]?.credential;

  const ask: ProviderStage["ask"] = async (overrides = {}, listen = () => {}) => {
    const events: ModelEvent[] = [];
    const call: ProviderCall = {
      model,
      system: "You are a test.",
      messages: [question()],
      tools: [],
      signal: new AbortController().signal,
      sessionId: "session-1",
      thinking: "off",
      ...(credential !== undefined && { credential }),
      ...overrides,
    };
    const onEvent = (event: ModelEvent) => {
      events.push(event);
      listen(event);
    };
    const end = await runAttempt(provider, call, { clock, timeoutMs, onEvent });
    if (end.type === "done") return { events, end };
    if (end.type === "aborted") return { events, end, failure: buildAbortedFailure(ref) };
    return { events, end, ...classifyFailure(end.facts, { ref, secrets: provider.secrets }) };
  };
  return {
    provider,
    model,
    clock,
    ask,
    async answer(overrides) {
      const { end } = await ask(overrides);
      assert.ok(end.type === "done", JSON.stringify(end));
      return end.message;
    },
  };
}
