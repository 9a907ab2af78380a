/** Anthropic's Messages. A login's token goes through pi-ai's OAuth mode, which poses as another program; nothing else does. */
import { anthropicMessagesApi } from "@earendil-works/pi-ai/api/anthropic-messages.lazy";
import type { CallCredential } from "../provider.ts";
import { observeFetch } from "./observe-fetch.ts";
import { type CallAuth, noKey, type Wire } from "./wire.ts";

export function createAnthropicWire(): Wire {
  return {
    api: "anthropic-messages",
    streams: anthropicMessagesApi(),
    authorize,
    watch: (deps, seen) => ({ fetch: observeFetch(deps.fetch, deps.clock, seen) }),
  };
}

function authorize(credential: CallCredential | undefined): CallAuth {
  if (credential === undefined) {
    return { type: "ready", apiKey: noKey, headers: { Authorization: null, "X-Api-Key": null } };
  }
  const { type, secret } = credential;
  // pi-ai goes by the look of the secret; whether someone asked for that mode is known only here.
  const isSubscription = secret.includes("sk-ant-oat");
  if (isSubscription && type !== "oauth") {
    return {
      type: "refused",
      reason: "invalid api key: a subscription token is used only for a login, never as a key",
    };
  }
  if (isSubscription) return { type: "ready", apiKey: secret, headers: {}, hasOwnIdentity: true };
  if (type === "api_key") return { type: "ready", apiKey: secret, headers: {} };
  return { type: "ready", apiKey: noKey, headers: { Authorization: `Bearer ${secret}`, "X-Api-Key": null } };
}
