/** A turn that gave no answer, as an error for the client. Mom has already tried again and kept the message: it must not repeat it. */
import type { ReplySign } from "./follow-reply.ts";
import { OpenAiFault } from "./openai-error.ts";

type NoAnswer = Extract<ReplySign, { type: "failed" | "stopped" }> | { type: "broken" };

export function toTurnFault(sign: NoAnswer): OpenAiFault {
  switch (sign.type) {
    case "failed":
      return new OpenAiFault({ status: 500, message: sign.message, code: "turn_failed", isFinal: true });
    case "stopped":
      return new OpenAiFault({ status: 500, message: "The turn was stopped.", code: "turn_stopped", isFinal: true });
    case "broken":
      return new OpenAiFault({ status: 500, message: "Something went wrong inside mom.", code: "internal_error" });
  }
}
