/**
 * The `models` slice of the configuration: which model is the default, short names, and endpoints beside the built-in
 * ones. Checked before anything is loaded; the rest of the room works on its result.
 */
import { z } from "zod";

/** Providers that bring their own address, wire format and catalogue; the configuration need only add a key, or nothing. */
export const builtInProviders = ["anthropic", "openai", "google", "bedrock", "ollama"] as const;
export type BuiltInProvider = (typeof builtInProviders)[number];

/** The provider of the offline model; no endpoint may take its name. */
export const offlineProviderName = "mom";

/** Wire formats that an endpoint of one's own may speak. */
const endpointApis = ["openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai"] as const;
export type EndpointApi = (typeof endpointApis)[number];

const price = z
  .strictObject({
    input: z.number().nonnegative().default(0),
    output: z.number().nonnegative().default(0),
    cacheRead: z.number().nonnegative().default(0),
    cacheWrite: z.number().nonnegative().default(0),
  })
  .describe("US dollars per million tokens.");

const model = z.strictObject({
  id: z.string().min(1).describe("The name the endpoint knows it by."),
  contextWindow: z.int().positive().default(128_000).describe("Tokens."),
  maxOutputTokens: z.int().positive().default(8192).describe("Tokens."),
  input: z.array(z.enum(["text", "image"])).default(["text"]),
  reasoning: z.boolean().default(false),
  price: price.optional(),
});

const provider = z.strictObject({
  api: z
    .enum(endpointApis)
    .optional()
    .describe("Wire format. Left out only for the built-in providers, which know theirs."),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("For the openai formats it usually ends in /v1."),
  apiKey: z
    .string()
    .min(1)
    .meta({ secret: true })
    .optional()
    .describe("Left out: auth.json or the environment has it, or the endpoint needs none."),
  headers: z.record(z.string(), z.string().meta({ secret: true })).optional(),
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d+$/, 'A region looks like "eu-central-1".')
    .optional()
    .describe("bedrock only. Left out: AWS_REGION, the AWS profile, or us-east-1."),
  models: z.array(model).default([]).describe("For built-in providers: in addition to what they offer."),
});

const providers = z.record(z.string().regex(/^[a-z0-9][a-z0-9._-]*$/), provider).superRefine((entries, context) => {
  for (const [name, entry] of Object.entries(entries)) {
    const complain = (message: string) => context.addIssue({ code: "custom", path: [name], message });
    const isBuiltIn = builtInProviders.some((builtIn) => builtIn === name);
    if (name === offlineProviderName) complain(`"${name}" is the built-in offline provider; choose another name.`);
    else if (entry.api === undefined && !isBuiltIn) {
      complain(`"${name}" needs "api": ${endpointApis.map((api) => `"${api}"`).join(", ")}.`);
    } else if (entry.api !== undefined && (entry.baseUrl === undefined || entry.models.length === 0)) {
      complain(`"${name}" has an "api" of its own, so it also needs "baseUrl" and at least one entry in "models".`);
    } else if (entry.region !== undefined && (name !== "bedrock" || entry.api !== undefined)) {
      complain(`"${name}" has no regions; "region" is for bedrock.`);
    }
  }
});

const modelName = z.string().min(1);

export const modelsConfig = z.strictObject({
  default: modelName.optional().describe("provider/model or an alias. Left out: chosen by the keys that are set."),
  fallbacks: z
    .array(modelName)
    .default([])
    .describe("provider/model or aliases, in this order: asked when the chosen model gives no answer."),
  thinking: z
    .enum(["off", "low", "medium", "high"])
    .optional()
    .describe("How much models think before they answer, where nobody said otherwise."),
  aliases: z
    .record(
      z.string().regex(/^[^/\s]+$/, "An alias has no slash and no spaces."),
      z.string().regex(/^[^/]+\/.+$/, "An alias stands for provider/model."),
    )
    .default({}),
  providers: providers.default({}),
  timeoutMs: z.int().positive().default(120_000).describe("A model that says nothing for this long is given up."),
  retries: z
    .int()
    .min(0)
    .max(10)
    .default(3)
    .describe("Further tries after a passing failure, before anything was said."),
});

export type ModelsConfig = z.infer<typeof modelsConfig>;
export type ModelSettings = z.infer<typeof model>;
