/** Whatever a handler threw, as the error that the client is told. What is not meant for it stays in the log. */
import { MomError } from "../../base/errors.ts";
import type { Log, LogFields } from "../../contracts/log.ts";
import { GatewayFault } from "../protocol/index.ts";

export function toFault(error: unknown, log: Log, fields: LogFields): GatewayFault {
  if (error instanceof GatewayFault) return error;
  if (!(error instanceof MomError)) {
    log.error("A method of the gateway met a fault in mom", { ...fields, error });
    return insideFault();
  }
  const { message, hint, retryable, code: reason } = error;
  return new GatewayFault({
    code: retryable ? "UNAVAILABLE" : "INVALID_REQUEST",
    message,
    details: { reason, ...(hint !== undefined && { hint }) },
    retryable,
  });
}

export const insideFault = () =>
  new GatewayFault({
    code: "UNAVAILABLE",
    message: 'Something went wrong inside me. "mom logs tail" shows what.',
  });
