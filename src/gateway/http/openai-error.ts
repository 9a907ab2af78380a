/**
 * Errors in OpenAI's shape, for everything below `/v1/`: `{ error: { message, type, param, code } }`. Its client makes an
 * error class of the status (401: AuthenticationError …), so both must be right.
 */
import { MomError } from "../../base/errors.ts";
import { GatewayFault } from "../protocol/index.ts";

export interface OpenAiError {
  error: { message: string; type: string; param: string | null; code: string | null };
}

interface FaultParts {
  status: number;
  message: string;
  /** The field of the request that is to blame: `messages[2].content`. */
  param?: string | undefined;
  code?: string | undefined;
  /** The same request would fail again, or do the same work twice: the client is told not to repeat it by itself. */
  isFinal?: boolean;
}

/** Thrown while a request below `/v1/` is read or answered; the route turns it into a response. */
export class OpenAiFault extends Error {
  readonly status: number;
  readonly param: string | undefined;
  readonly code: string | undefined;
  readonly isFinal: boolean;

  constructor({ status, message, param, code, isFinal = false }: FaultParts) {
    super(message);
    this.name = "OpenAiFault";
    this.status = status;
    this.param = param;
    this.code = code;
    this.isFinal = isFinal;
  }

  toBody(): OpenAiError {
    const { status, message, param, code } = this;
    return toOpenAiError(status, message, { param, code });
  }
}

/** Also for whoever refuses such a request before its route sees it: no token, a wrong method, too many attempts. */
export function toOpenAiError(
  status: number,
  message: string,
  { param, code }: { param?: string | undefined; code?: string | undefined } = {},
): OpenAiError {
  return { error: { message, type: pickType(status), param: param ?? null, code: code ?? pickCode(status) } };
}

/** The request is to blame, at `param`. */
export const badRequest = (param: string | undefined, message: string, code?: string) =>
  new OpenAiFault({ status: 400, message, param, code });

/** Whatever was thrown, as one of ours; `undefined`: a surprise, which is nobody's business outside. */
export function toFault(error: unknown): OpenAiFault | undefined {
  if (error instanceof OpenAiFault) return error;
  // Stopping, or not started: its own words are for the operator.
  if (error instanceof MomError && error.retryable) {
    return new OpenAiFault({ status: 503, message: "mom cannot answer right now. Try again in a moment." });
  }
  if (!(error instanceof GatewayFault)) return undefined;
  return new OpenAiFault({ status: pickStatus(error), message: error.message });
}

function pickType(status: number): string {
  if (status >= 500) return "server_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return "invalid_request_error";
}

function pickCode(status: number): string | null {
  if (status === 401) return "invalid_api_key";
  if (status === 429) return "rate_limit_exceeded";
  return null;
}

/** What the server throws while a body is read names its status, where the protocol's codes are too few. */
function pickStatus({ code, details }: GatewayFault): number {
  const status = typeof details === "object" && details !== null && "status" in details ? details.status : undefined;
  if (typeof status === "number" && status >= 400 && status <= 599) return status;
  switch (code) {
    case "NOT_PAIRED":
      return 401;
    case "FORBIDDEN":
      return 403;
    case "NOT_FOUND":
      return 404;
    case "UNAVAILABLE":
      return 503;
    default:
      return 400;
  }
}
