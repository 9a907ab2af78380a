/** Messages that waited behind a turn are taken into it: recorded as part of it, and shown to the model. */
import type { AgentSessionEvent, TurnContext } from "../contracts/agent.ts";
import type { UserMessage } from "../contracts/model.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { buildInput } from "./build-input.ts";
import type { SharedParts } from "./create-workbench.ts";
import { readImages } from "./read-images.ts";
import { buildMessageEntry } from "./transcript-entries.ts";

export async function takeWaiting(
  deps: AgentDeps,
  parts: { context: TurnContext; shared: SharedParts; onEvent(event: AgentSessionEvent): Promise<void> },
): Promise<UserMessage[]> {
  const { context, shared, onEvent } = parts;
  const { session, turn } = context;
  const now = deps.clock.now();
  const inputs: UserMessage[] = [];
  const toStep = (input: UserMessage) => {
    inputs.push(input);
    return { body: { type: "input" as const, seenSeq: turn.seq }, entries: [buildMessageEntry(input, now)] };
  };
  const taken = await context.absorb((messages) =>
    toStep(
      buildInput({
        messages,
        toToolPath: (path) => deps.surroundings.toToolPath({ session, channel: turn.route.channel }, path),
        localTime: shared.times.minute(now),
        nowMs: now,
      }),
    ),
  );
  if (taken.length === 0) return [];
  // Files are not read while the database is held; the pictures follow the words.
  const images = await readImages(deps, taken);
  if (images.length > 0) {
    const content = [{ type: "text" as const, text: "(the pictures that came with it)" }, ...images];
    await context.record(toStep({ role: "user", content, timestamp: now }));
  }
  await onEvent({ type: "steered", texts: taken.map((message) => message.text) });
  return inputs;
}
