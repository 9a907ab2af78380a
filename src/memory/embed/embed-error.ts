/** What can go wrong between a text and its vector: coded as everything that is thrown, with what the provider said in numbers. */
import { type ErrorDetails, MomError } from "../../base/errors.ts";

export interface EmbedErrorDetails extends ErrorDetails {
  /** HTTP status of the answer, where there was one. */
  status?: number;
  /** Milliseconds that the provider asked to be left alone. */
  retryAfterMs?: number;
}

export class EmbedError extends MomError {
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, details: EmbedErrorDetails = {}) {
    super(code, message, details);
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** The caller's signal said so. */
export const stopped = () => new EmbedError("ABORTED", "The embedding was stopped", { retryable: true });
