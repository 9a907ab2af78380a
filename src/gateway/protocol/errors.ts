/** The error codes of the protocol (spec 8.1). Closed: a client may switch over them. */
export const errorCodes = [
  /** A chat platform is not logged in. */
  "NOT_LINKED",
  /** The client is not let in: no credentials, wrong ones, or a device that waits to be approved. */
  "NOT_PAIRED",
  /** The turn did not end in the time that was asked for; it goes on. */
  "AGENT_TIMEOUT",
  /** The frame, the method or its parameters are not as the schema says, or contradict what is there. */
  "INVALID_REQUEST",
  /** Not now; `retryable` and `retryAfterMs` say whether and when to try again. */
  "UNAVAILABLE",
  /** The identity lacks the scope. */
  "FORBIDDEN",
  "NOT_FOUND",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

export interface ProtocolError {
  code: ErrorCode;
  message: string;
  details?: unknown;
  retryable?: boolean;
  retryAfterMs?: number;
}

/** Thrown by methods to refuse, and by the client for an error response. */
export class GatewayFault extends Error {
  readonly code: ErrorCode;
  readonly details: unknown;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor({ code, message, details, retryable, retryAfterMs }: ProtocolError) {
    super(message);
    this.name = "GatewayFault";
    this.code = code;
    this.details = details;
    this.retryable = retryable ?? false;
    this.retryAfterMs = retryAfterMs;
  }

  toError(): ProtocolError {
    const { code, message, details, retryable, retryAfterMs } = this;
    return {
      code,
      message,
      ...(details !== undefined && { details }),
      ...(retryable && { retryable }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }
}
