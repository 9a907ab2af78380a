/**
 * Notices a model that makes the same call with the same result again and again (spec 5.1). First it is told, then the
 * call is refused, and when that does not help either the turn is ended. Calls whose result changes are progress.
 */
import { createHash } from "node:crypto";
import type { ToolCall } from "../contracts/model.ts";
import type { ToolOutcome } from "../contracts/tool.ts";
import type { TurnStep } from "../contracts/turn.ts";

export interface LoopGuard {
  /** Why the call is not made once more; undefined: it is made. */
  refuses(call: ToolCall): string | undefined;
  /** Counts what came of a call. A remark for the model where it begins to go in circles. */
  note(call: ToolCall, outcome: ToolOutcome): string | undefined;
  /** The tool that the turn is stuck with. */
  stuckWith(): string | undefined;
}

/** Only the latest calls count: the same look at a folder an hour later is no circle. */
const remembered = 16;
const remarkAt = 3;
const refuseAt = 5;
const endAt = 8;

interface Made {
  name: string;
  call: string;
  result: string;
}

interface Ended extends Pick<Made, "name" | "call"> {
  outcome: Pick<ToolOutcome, "content" | "isError"> & { details?: unknown };
}

/** In the details of a refused call. */
export const loopCode = "LOOP";

/** `steps`: what the turn did before it was interrupted. */
export function createLoopGuard(steps: readonly TurnStep[]): LoopGuard {
  const made: Made[] = [];
  const remember = ({ name, call, outcome }: Ended) => {
    // A refusal of ours tells nothing new: the call still has the result that it had.
    const known = isRefusal(outcome) ? made.findLast((each) => each.call === call)?.result : undefined;
    made.push({ name, call, result: known ?? fingerprintResult(outcome) });
    if (made.length > remembered) made.shift();
  };
  for (const ended of readEnded(steps)) remember(ended);

  /** How often the call was made with the result that it had last. */
  const countSame = (call: string) => {
    const last = made.findLast((each) => each.call === call);
    return made.filter((each) => each.call === call && each.result === last?.result).length;
  };
  return {
    refuses(call) {
      const times = countSame(fingerprint(call));
      if (times < refuseAt) return undefined;
      return `Not done: this very call was made ${times} times with the same result. It will not change. Do something else, or tell the person what is in the way.`;
    },
    note(call, outcome) {
      const key = fingerprint(call);
      remember({ name: call.name, call: key, outcome });
      const times = countSame(key);
      if (times < remarkAt || times >= refuseAt) return undefined;
      return `[The same call has had the same result ${times} times now. Go another way, or answer with what you have.]`;
    },
    stuckWith() {
      const last = made.at(-1);
      return last !== undefined && countSame(last.call) >= endAt ? last.name : undefined;
    },
  };
}

function* readEnded(steps: readonly TurnStep[]): Generator<Ended> {
  const calls = new Map<string, ToolCall>();
  for (const entry of steps.flatMap((step) => step.entries)) {
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "assistant") {
      for (const block of message.content) if (block.type === "toolCall") calls.set(block.id, block);
    } else if (message.role === "toolResult") {
      const call = calls.get(message.toolCallId);
      if (call) yield { name: call.name, call: fingerprint(call), outcome: message };
    }
  }
}

const fingerprint = ({ name, arguments: args }: ToolCall) => hash(JSON.stringify([name, args]));

/** A remark of ours is no change of the result. */
const fingerprintResult = ({ content, isError }: Ended["outcome"]) =>
  hash(JSON.stringify([content.filter((part) => part.type !== "text" || !isRemark(part.text)), isError]));

const isRefusal = ({ details }: Ended["outcome"]) =>
  typeof details === "object" && details !== null && "code" in details && details.code === loopCode;

const isRemark = (text: string) => text.startsWith("[The same call has had the same result ");

const hash = (text: string) => createHash("sha256").update(text).digest("base64");
