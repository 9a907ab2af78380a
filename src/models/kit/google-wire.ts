/**
 * Gemini's generateContent. Its client takes no `fetch` of ours and reports no headers, but its errors are the body of the
 * response: status and reset time are read from there.
 */
import { googleGenerativeAIApi } from "@earendil-works/pi-ai/api/google-generative-ai.lazy";
import type { CallCredential } from "../provider.ts";
import type { SeenResponse } from "./observe-fetch.ts";
import { type CallAuth, noKey, type Wire } from "./wire.ts";

export function createGoogleWire(): Wire {
  return {
    api: "google-generative-ai",
    streams: googleGenerativeAIApi(),
    authorize,
    watch: () => ({}),
    readFailure,
  };
}

/** An empty header keeps the client from adding its own. */
const withoutKey = { "x-goog-api-key": "" };

function authorize(credential: CallCredential | undefined): CallAuth {
  if (credential === undefined) return { type: "ready", apiKey: noKey, headers: withoutKey };
  const { type, secret } = credential;
  if (type === "api_key") return { type: "ready", apiKey: secret, headers: {} };
  return { type: "ready", apiKey: noKey, headers: { ...withoutKey, Authorization: `Bearer ${secret}` } };
}

/** `{"error":{"code":429,…}}`, also in the middle of a stream. */
function readFailure(text: string): SeenResponse {
  const code = /"error"\s*:\s*\{[^{}]*?"code"\s*:\s*(\d{3})\b/.exec(text)?.[1];
  return code === undefined ? {} : { status: Number(code) };
}
