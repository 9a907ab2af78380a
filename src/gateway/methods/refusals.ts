/** The refusals that several methods share. */
import { GatewayFault } from "../protocol/index.ts";

export const notFound = (what: string) => new GatewayFault({ code: "NOT_FOUND", message: `There is no ${what}` });

export const invalid = (message: string, details?: unknown) =>
  new GatewayFault({ code: "INVALID_REQUEST", message, ...(details !== undefined && { details }) });

export const forbidden = (message: string, details?: unknown) =>
  new GatewayFault({ code: "FORBIDDEN", message, ...(details !== undefined && { details }) });

/** `retryAfterMs` absent: trying again would not help. */
export const unavailable = (message: string, retryAfterMs?: number) =>
  new GatewayFault({
    code: "UNAVAILABLE",
    message,
    ...(retryAfterMs !== undefined && { retryable: true, retryAfterMs }),
  });
