/**
 * Bedrock's ConverseStream. The AWS client takes no `fetch` of ours; pi-ai's `onResponse` shows every response before the
 * client reads it, which is also where its own retries are kept from happening.
 */
import type { ProviderResponse, ProviderStreams } from "@earendil-works/pi-ai";
import { lazyApi } from "@earendil-works/pi-ai/api/lazy";
import { AgentError } from "../../base/errors.ts";
import { noteResponse, type SeenResponse } from "./observe-fetch.ts";
import type { Wire } from "./wire.ts";

export type LoadBedrockApi = () => Promise<ProviderStreams>;

export function createBedrockWire(load: LoadBedrockApi): Wire {
  return {
    api: "bedrock-converse-stream",
    streams: lazyApi(load),
    // HTTP/2 takes no header twice.
    hasLowerCaseHeaders: true,
    // Without a credential the AWS client signs with what it finds: profile, keys, role.
    authorize: (credential) =>
      credential === undefined
        ? { type: "ready", headers: {} }
        : { type: "ready", apiKey: credential.secret, headers: {} },
    watch: (deps, seen) => ({
      onResponse(response) {
        noteResponse(response.status, toHeaders(response.headers), deps.clock.now(), seen);
        if (wouldBeRetried(response)) throw toFailure(response);
      },
    }),
    readFailure,
  };
}

const retriedStatuses = [429, 500, 502, 503, 504];

function wouldBeRetried({ status, headers }: ProviderResponse): boolean {
  return retriedStatuses.includes(status) || (status >= 400 && /throttl|toomanyrequests/i.test(errorType(headers)));
}

/**
 * The AWS client would try such a call twice more, unseen and deaf to an abort, and pi-ai cannot tell it not to. An error
 * that it does not know ends the call at once; the price is the text of the body, which it has not read yet. (Left to the
 * client: a connection that is refused, and an exception as the very first event of a stream.)
 */
function toFailure({ status, headers }: ProviderResponse): AgentError {
  return new AgentError("MODEL_CALL_REFUSED", `${errorType(headers) || "no error type"}, answered with ${status}`, {
    retryable: true,
  });
}

/** Of HTTP/2 also what is no header, such as `:status`. */
function toHeaders(headers: Record<string, string>): Headers {
  return new Headers(Object.entries(headers).filter(([name]) => !name.startsWith(":")));
}

/** `ThrottlingException:http://internal.amazon.com/…` */
function errorType(headers: Record<string, string>): string {
  return headers["x-amzn-errortype"]?.split(":")[0] ?? "";
}

/** The connection itself: the client has no other place for the code than its words. */
function readFailure(text: string): SeenResponse {
  const networkCode = /\b(?:ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE)\b/.exec(
    text,
  )?.[0];
  return networkCode === undefined ? {} : { networkCode };
}
