/**
 * The one family of surprises. Expected outcomes are values; what is thrown has a code (listed in `docs/errors.md`), says
 * what happened, and carries a hint for whoever must act. Foreign errors are turned into these once, where they enter.
 */
export interface ErrorDetails {
  /** What to do about it, one sentence. */
  hint?: string;
  /** Would the same call have a chance later? */
  retryable?: boolean;
  cause?: unknown;
}

export class MomError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly retryable: boolean;

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = details.hint;
    this.retryable = details.retryable ?? false;
  }
}

/** The configuration is not usable as it stands. */
export class ConfigError extends MomError {}
/** Something between mom and a chat platform. */
export class ChannelError extends MomError {}
/** A tool could not do what it was asked; the model reads the message. */
export class ToolError extends MomError {}
/** A turn could not be run. */
export class AgentError extends MomError {}
/** Keys and logins of model providers: auth.json, and how they are got. */
export class AuthError extends MomError {}
/** The data directory, the database or a transcript. */
export class StoreError extends MomError {}
/** Something between mom and whoever talks to her through the gateway. */
export class GatewayError extends MomError {}
/** The command line was used wrongly. */
export class UsageError extends MomError {}

/** The text of whatever was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` that Node puts on system errors (`ENOENT`, `ENOSPC` …). */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
