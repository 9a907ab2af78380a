/** pi-ai's sign-in flows behind our port. Loaded by `catalog.ts` only. */
import type { AuthEvent, AuthPrompt, OAuthAuth } from "@earendil-works/pi-ai";
import { registerBunOAuthFlows } from "@earendil-works/pi-ai/bun-oauth";
import { anthropicProvider } from "@earendil-works/pi-ai/providers/anthropic";
import { AuthError, errorText } from "../../base/errors.ts";
import { removeSecrets } from "../remove-secrets.ts";
import type { LoginTalk, OAuthCredential, OAuthFlow, RefreshOutcome } from "./oauth-flow.ts";

export function createAnthropicLogin(): OAuthFlow {
  // pi-ai loads its flows by names that a bundler cannot see; here they are handed over, bundled with us.
  registerBunOAuthFlows();
  const oauth = anthropicProvider().auth.oauth;
  if (oauth === undefined) {
    throw new AuthError("AUTH_LOGIN_UNAVAILABLE", "This mom has no login for anthropic.", {
      hint: "Use an API key: mom auth add anthropic",
    });
  }
  return createFlow("anthropic", oauth, [
    "This signs in with a Claude subscription (Pro, Max), not with an API key.",
    "Requests made with it present mom to Anthropic as Anthropic's own command line client: its name, its system line,",
    "its tool names. Whether your subscription's terms allow that is for you to check; Anthropic may end it at any time.",
    "The recommended way is an API key from the Anthropic console: mom auth add anthropic",
  ]);
}

function createFlow(provider: string, oauth: OAuthAuth, warning: readonly string[]): OAuthFlow {
  return {
    warning: warning.join("\n"),
    async login(talk) {
      const { signal } = talk;
      const credential = await oauth.login({
        signal,
        prompt: (prompt) => talk.ask(toQuestion(prompt)),
        notify: (event) => talk.tell(toLines(event)),
      });
      return { ...credential, provider };
    },
    refresh: (credential, signal) => refresh(oauth, credential, signal),
  };
}

async function refresh(oauth: OAuthAuth, credential: OAuthCredential, signal: AbortSignal): Promise<RefreshOutcome> {
  const { provider, refresh: refreshToken = "", expires = 0, ...rest } = credential;
  try {
    const renewed = await oauth.refresh({ ...rest, refresh: refreshToken, expires }, signal);
    if (!renewed.access) return { type: "refused", detail: "the provider's answer had no token in it" };
    // A provider that hands out no new refresh token means the old one to be used again.
    return {
      type: "refreshed",
      credential: { ...credential, ...renewed, refresh: renewed.refresh || refreshToken, provider },
    };
  } catch (error) {
    return toFailed(errorText(error), [refreshToken, credential.access]);
  }
}

/** pi-ai says what happened in one long text: the status if there was an answer, else the cause, with stacks. */
function toFailed(text: string, secrets: readonly string[]): RefreshOutcome {
  const status = Number(/\bstatus=(\d{3})\b/.exec(text)?.[1]);
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  const short = removeSecrets(text, secrets)
    .replaceAll(/stack=[^;]*/g, "")
    .replaceAll(/\s+/g, " ")
    .slice(0, 300);
  return { type: isRefusal ? "refused" : "unreachable", detail: short };
}

function toQuestion(prompt: AuthPrompt): Parameters<LoginTalk["ask"]>[0] {
  const signal = prompt.signal === undefined ? {} : { signal: prompt.signal };
  return prompt.type === "select"
    ? { message: prompt.message, options: prompt.options, ...signal }
    : { message: prompt.message, ...signal };
}

function toLines(event: AuthEvent): string[] {
  switch (event.type) {
    case "auth_url":
      return ["Open this address in a browser:", event.url, ...(event.instructions ? [event.instructions] : [])];
    case "device_code":
      return [`Open ${event.verificationUri} and enter the code ${event.userCode}.`];
    case "info":
      return [event.message, ...(event.links ?? []).map(({ url }) => url)];
    case "progress":
      return [event.message];
  }
}
