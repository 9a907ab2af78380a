/** What the log says of an error: message, code, hint, the chain of causes, and the stack for those sinks that show it. */
import { systemCode } from "../base/errors.ts";

/** Longer chains are cut; a cause that is its own ancestor ends them too. */
const maxCauses = 5;

export interface ErrorFields {
  message: string;
  name?: string;
  code?: string;
  hint?: string;
  /** Outermost first, each with its code: `connect refused [ECONNREFUSED]`. */
  causes?: string[];
  /** The frames only, without the message. Sinks decide whether to show it. */
  stack?: string[];
}

export function toErrorFields(error: Error): ErrorFields {
  const code = systemCode(error);
  const hint = "hint" in error && typeof error.hint === "string" ? error.hint : undefined;
  const causes = listCauses(error);
  const stack = listFrames(error);
  return {
    message: String(error.message),
    ...(error.name !== "Error" && { name: String(error.name) }),
    ...(code !== undefined && { code }),
    ...(hint !== undefined && { hint }),
    ...(causes.length > 0 && { causes }),
    ...(stack.length > 0 && { stack }),
  };
}

function listCauses(error: Error): string[] {
  const seen = new Set<unknown>([error]);
  const causes: string[] = [];
  for (let cause = error.cause; cause !== undefined && cause !== null && !seen.has(cause); ) {
    if (causes.length === maxCauses) return [...causes, "…"];
    seen.add(cause);
    causes.push(describeCause(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return error instanceof AggregateError ? [...causes, ...error.errors.slice(0, maxCauses).map(describeCause)] : causes;
}

function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause === "string" ? cause : `[${typeof cause}]`;
  const code = systemCode(cause);
  const message = cause.message === "" ? cause.name : cause.message;
  return code === undefined ? message : `${message} [${code}]`;
}

function listFrames(error: Error): string[] {
  if (typeof error.stack !== "string") return [];
  const frames = error.stack.split("\n").filter((line) => /^\s+at /.test(line));
  return frames.map((line) => line.trim());
}
