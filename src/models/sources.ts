/**
 * Which providers there are, from the configuration and the environment: known before any of them is loaded. Keys found
 * here are implicit credentials; `auth.json` may have more, so that a source alone never says whether a key is lacking.
 */
import { type BuiltInProvider, type ModelsConfig, offlineProviderName } from "./config.ts";
import { defaultOllamaUrl, parseOllamaHost } from "./ollama-host.ts";
import type { CallCredential, ProviderSettings } from "./provider.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A credential that nobody stored: it stands in the configuration or the environment. */
export interface ImplicitCredential {
  from: "config" | "environment";
  credential: CallCredential;
}

export interface ProviderSource {
  kind: BuiltInProvider | "custom" | "offline";
  settings: ProviderSettings;
  /** Why it cannot be used whatever the credentials, and what to do about it; absent when nothing is wrong. */
  missing?: string;
  /** False: it can be asked without any credential. One that exists is used all the same; one in the configuration is needed. */
  needsCredential: boolean;
  /** The configuration's first. */
  implicitCredentials: readonly ImplicitCredential[];
  /** What to say when it needs a credential and there is none, here or in `auth.json`. */
  missingCredential: string;
  /** A key is set that mom does not use (`missingCredential` says why): not to be passed over in silence. */
  isKeyRefused?: true;
}

/** Of several names the first that is set counts. */
const keyNames: Readonly<Record<BuiltInProvider, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  bedrock: ["AWS_BEARER_TOKEN_BEDROCK"],
  ollama: ["OLLAMA_API_KEY"],
};

/** By name, in the order in which a default is looked for. */
export function buildSources(config: ModelsConfig, env: Environment): Map<string, ProviderSource> {
  const sources = new Map<string, ProviderSource>();
  for (const name of ["anthropic", "openai", "google"] as const) sources.set(name, buildKeyed(name, config, env));
  sources.set("bedrock", buildBedrock(config, env));
  for (const [name, entry] of Object.entries(config.providers)) {
    if (entry.api !== undefined) sources.set(name, buildCustom(name, config));
  }
  if (!sources.has("ollama")) sources.set("ollama", buildOllama(config, env));
  sources.set(offlineProviderName, {
    kind: "offline",
    settings: { name: offlineProviderName, headers: {}, models: [] },
    needsCredential: false,
    implicitCredentials: [],
    missingCredential: "",
  });
  return sources;
}

function buildKeyed(name: "anthropic" | "openai" | "google", config: ModelsConfig, env: Environment): ProviderSource {
  const found = findCredentials(name, config, env);
  const usable = found.filter(({ credential }) => !isSubscriptionToken(name, credential.secret));
  const source: ProviderSource = {
    kind: name,
    settings: toSettings(name, config),
    needsCredential: true,
    implicitCredentials: usable,
    missingCredential: `No API key for ${name}. Run \`mom auth add ${name}\`, or set ${keyNames[name].join(" or ")}, or models.providers.${name}.apiKey.`,
  };
  if (usable.length > 0 || found.length === 0) return source;
  return {
    ...source,
    isKeyRefused: true,
    missingCredential: `The key for ${name} is a subscription token, which mom does not take for a key. Set ${keyNames[name].join(" or ")} to an API key from the Anthropic console.`,
  };
}

/** pi-ai would pose as another program to use such a token; mom lets it only for a login that someone asked for. */
function isSubscriptionToken(name: string, secret: string): boolean {
  return name === "anthropic" && secret.includes("sk-ant-oat");
}

function buildBedrock(config: ModelsConfig, env: Environment): ProviderSource {
  const aws = pickAwsVariables(env);
  return {
    kind: "bedrock",
    settings: { ...toSettings("bedrock", config), env: aws },
    needsCredential: !hasAwsIdentity(env),
    implicitCredentials: findCredentials("bedrock", config, env),
    missingCredential:
      "No AWS credentials for bedrock. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give it a Bedrock API key: `mom auth add bedrock`, AWS_BEARER_TOKEN_BEDROCK, or models.providers.bedrock.apiKey.",
  };
}

/** What the AWS client is told explicitly; roles of containers and web identities it finds by itself. */
const awsVariables = [
  "AWS_PROFILE",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_REGION",
  "AWS_DEFAULT_REGION",
  "AWS_BEDROCK_SKIP_AUTH",
  "AWS_BEDROCK_FORCE_HTTP1",
];

function pickAwsVariables(env: Environment): Record<string, string> {
  return Object.fromEntries(
    awsVariables.flatMap((name) => {
      const value = read(env, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function hasAwsIdentity(env: Environment): boolean {
  const has = (name: string) => read(env, name) !== undefined;
  return (
    has("AWS_PROFILE") ||
    (has("AWS_ACCESS_KEY_ID") && has("AWS_SECRET_ACCESS_KEY")) ||
    has("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") ||
    has("AWS_CONTAINER_CREDENTIALS_FULL_URI") ||
    has("AWS_WEB_IDENTITY_TOKEN_FILE") ||
    read(env, "AWS_BEDROCK_SKIP_AUTH") === "1"
  );
}

function buildOllama(config: ModelsConfig, env: Environment): ProviderSource {
  const settings = toSettings("ollama", config);
  const implicitCredentials = findCredentials("ollama", config, env);
  const host = read(env, "OLLAMA_HOST");
  const baseUrl = settings.baseUrl ?? (host === undefined ? defaultOllamaUrl : parseOllamaHost(host));
  const source: ProviderSource = {
    kind: "ollama",
    settings: { ...settings, baseUrl: baseUrl ?? defaultOllamaUrl },
    needsCredential: implicitCredentials.length > 0,
    implicitCredentials,
    missingCredential: "",
  };
  return baseUrl === undefined
    ? { ...source, missing: `OLLAMA_HOST is no address: "${host}". Set it to something like 127.0.0.1:11434.` }
    : source;
}

function buildCustom(name: string, config: ModelsConfig): ProviderSource {
  const implicitCredentials = findConfigured(name, config);
  return {
    kind: "custom",
    settings: toSettings(name, config),
    needsCredential: implicitCredentials.length > 0,
    implicitCredentials,
    missingCredential: "",
  };
}

function findCredentials(name: BuiltInProvider, config: ModelsConfig, env: Environment): ImplicitCredential[] {
  const secret = keyNames[name].map((variable) => read(env, variable)).find((value) => value !== undefined);
  const configured = findConfigured(name, config);
  if (secret === undefined) return configured;
  return [...configured, { from: "environment", credential: { type: "api_key", secret } }];
}

function findConfigured(name: string, config: ModelsConfig): ImplicitCredential[] {
  const secret = config.providers[name]?.apiKey;
  return secret === undefined ? [] : [{ from: "config", credential: { type: "api_key", secret } }];
}

/** An empty variable is none. */
function read(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function toSettings(name: string, config: ModelsConfig): ProviderSettings {
  const entry = config.providers[name];
  const settings: ProviderSettings = { name, headers: entry?.headers ?? {}, models: entry?.models ?? [] };
  if (entry?.api !== undefined) settings.api = entry.api;
  if (entry?.baseUrl !== undefined) settings.baseUrl = entry.baseUrl;
  if (entry?.region !== undefined) settings.region = entry.region;
  return settings;
}
