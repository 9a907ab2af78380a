/**
 * Signing in with an account instead of a key, as the rest of the room sees it. The flows themselves are pi-ai's
 * (`pi-oauth.ts`), loaded through `catalog.ts` when somebody signs in or a login has run out.
 */
import type { Credential } from "../../contracts/auth.ts";

export type OAuthCredential = Extract<Credential, { type: "oauth" }>;

/** `refused`: the provider will not renew this login. `unreachable`: it could not be asked; the login may still be good. */
export type RefreshOutcome =
  | { type: "refreshed"; credential: OAuthCredential }
  | { type: "refused" | "unreachable"; detail: string };

export interface LoginQuestion {
  message: string;
  /** Where one of several is to be chosen: the answer is its id. */
  options?: readonly { id: string; label: string }[];
  /** The answer has come by another way; the question need not be asked any longer. */
  signal?: AbortSignal;
}

/** The person at the terminal. */
export interface LoginTalk {
  signal: AbortSignal;
  ask(question: LoginQuestion): Promise<string>;
  /** One line each: an address to open, a code to type in, how far it is. */
  tell(lines: readonly string[]): void;
}

export interface OAuthFlow {
  /** Said, and to be confirmed, before the login begins: what it is and what the provider will see. */
  readonly warning: string;
  login(talk: LoginTalk): Promise<OAuthCredential>;
  /** Never rejects. `credential` has a refresh token. */
  refresh(credential: OAuthCredential, signal: AbortSignal): Promise<RefreshOutcome>;
}

/** Undefined when the provider has no such login. */
export type LoadOAuthFlow = (provider: string) => Promise<OAuthFlow | undefined>;
