/** The operator's key of a provider, for what is asked beside the models: embeddings. */
import type { AuthStore } from "../contracts/auth.ts";

const variables: Readonly<Record<string, string>> = { openai: "OPENAI_API_KEY", gemini: "GEMINI_API_KEY" };

interface KeyParts {
  authFile: Pick<AuthStore, "load">;
  env: Readonly<Record<string, string | undefined>>;
}

/** A stored key goes before one of the environment. Undefined: there is none. */
export const createKeyFinder =
  ({ authFile, env }: KeyParts) =>
  async (provider: string): Promise<string | undefined> => {
    const { profiles } = await authFile.load();
    const stored = Object.values(profiles).find((each) => each.type === "api_key" && each.provider === provider);
    return stored?.type === "api_key" ? stored.key : env[variables[provider] ?? ""];
  };
