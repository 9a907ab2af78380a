/** Sign-in flows, loaded when somebody signs in or a login must be renewed: a start with keys pays nothing for them. */
import type { LoadOAuthFlow } from "./oauth-flow.ts";

/** Providers that mom can sign in to with an account. */
export const loginProviders: readonly string[] = ["anthropic"];

export const loadOAuthFlow: LoadOAuthFlow = async (provider) => {
  if (provider !== "anthropic") return undefined;
  return (await import("./pi-oauth.ts")).createAnthropicLogin();
};
