/** The whole protocol as one JSON Schema document, for clients in other languages: `mom gateway schema`, `gateway.schema`. */
import { errorCodes } from "./errors.ts";
import { eventSpecs } from "./events.ts";
import {
  challengeSchema,
  eventSchema,
  helloErrorSchema,
  helloOkSchema,
  helloSchema,
  requestSchema,
  responseSchema,
} from "./frames.ts";
import { protocolVersion } from "./limits.ts";
import { methodSpecs } from "./methods.ts";

export function buildProtocolSchema(): Record<string, unknown> {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "mom gateway protocol",
    protocol: protocolVersion,
    frames: {
      hello: helloSchema,
      challenge: challengeSchema,
      "hello-ok": helloOkSchema,
      "hello-error": helloErrorSchema,
      request: requestSchema,
      response: responseSchema,
      event: eventSchema,
    },
    methods: methodSpecs,
    events: eventSpecs,
    errorCodes: [...errorCodes],
  };
}
