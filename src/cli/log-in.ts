/** The talk at the terminal while somebody signs in: what it means, a clear yes, then what the provider's flow asks. */
import { AuthError, errorText, MomError, UsageError } from "../base/errors.ts";
import type { Credential } from "../contracts/auth.ts";
import { type LoadOAuthFlow, type LoginQuestion, loginProviders } from "../models/index.ts";
import type { CliIo } from "./io.ts";
import { note } from "./print.ts";
import { createPrompter, type Prompter } from "./prompter.ts";

/** Throws `AUTH_LOGIN_UNAVAILABLE`, `AUTH_LOGIN_DECLINED`, `AUTH_LOGIN_FAILED`, `PROMPT_CANCELLED`. */
export async function logIn(io: CliIo, provider: string, loadFlow: LoadOAuthFlow): Promise<Credential> {
  const flow = await loadFlow(provider);
  if (flow === undefined) {
    throw new AuthError("AUTH_LOGIN_UNAVAILABLE", `mom cannot sign in to ${provider}.`, {
      hint: `Use an API key: mom auth add ${provider}. Signing in is possible for: ${loginProviders.join(", ")}.`,
    });
  }
  const prompter = createPrompter(io);
  const stop = new AbortController();
  try {
    note(io, flow.warning);
    const answer = await prompter.ask('Sign in this way all the same? Type "yes":');
    if (answer.trim().toLowerCase() !== "yes") {
      throw new UsageError("AUTH_LOGIN_DECLINED", "Nothing was done.", {
        hint: `Use an API key: mom auth add ${provider}`,
      });
    }
    return await flow.login({
      signal: stop.signal,
      ask: (question) => ask(prompter, question),
      tell: (lines) => note(io, lines.join("\n")),
    });
  } catch (error) {
    if (error instanceof MomError) throw error;
    throw new AuthError("AUTH_LOGIN_FAILED", `Signing in to ${provider} failed: ${toShort(error)}`, {
      hint: `Try again, or use an API key: mom auth add ${provider}`,
    });
  } finally {
    stop.abort();
    prompter.close();
  }
}

async function ask(prompter: Prompter, { message, options, signal }: LoginQuestion): Promise<string> {
  const aborts = signal === undefined ? {} : { signal };
  if (options === undefined) return prompter.ask(message, aborts);
  const choices = options.map(({ label }, at) => `${at + 1}: ${label}`).join(", ");
  const answer = (await prompter.ask(`${message} ${choices}.`, aborts)).trim();
  return (options[Number(answer) - 1] ?? options.find(({ id }) => id === answer) ?? options[0])?.id ?? answer;
}

/** Flows put answers of the provider and stacks into their messages; neither is for the terminal. */
function toShort(error: unknown): string {
  return (errorText(error).split(/; (?:body|details|stack)=|\n/)[0] ?? "").slice(0, 200);
}
