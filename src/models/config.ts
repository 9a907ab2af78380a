/**
 * The `models` slice of the configuration: which model is the default, short names, and endpoints beside the built-in
 * ones. Checked before anything is loaded; the rest of the room works on its result.
 */
import { z } from "zod";

/** Providers that bring their own address, wire format and catalogue; the configuration need only add a key. */
export const builtInProviders = ["anthropic", "openai"] as const;

/** The provider of the offline model; no endpoint may take its name. */
export const offlineProviderName = "mom";

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
    .enum(["openai-completions", "anthropic-messages"])
    .optional()
    .describe("Wire format. Left out only for anthropic and openai, which know theirs."),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("For openai-completions it usually ends in /v1."),
  apiKey: z.string().min(1).meta({ secret: true }).optional().describe("Left out: the endpoint needs none."),
  headers: z.record(z.string(), z.string().meta({ secret: true })).optional(),
  models: z.array(model).default([]).describe("For anthropic and openai: in addition to the built-in catalogue."),
});

const providers = z.record(z.string().regex(/^[a-z0-9][a-z0-9._-]*$/), provider).superRefine((entries, context) => {
  for (const [name, entry] of Object.entries(entries)) {
    const complain = (message: string) => context.addIssue({ code: "custom", path: [name], message });
    const isBuiltIn = builtInProviders.some((builtIn) => builtIn === name);
    if (name === offlineProviderName) complain(`"${name}" is the built-in offline provider; choose another name.`);
    else if (entry.api === undefined && !isBuiltIn) {
      complain(`"${name}" needs "api": "openai-completions" or "anthropic-messages".`);
    } else if (entry.api !== undefined && (entry.baseUrl === undefined || entry.models.length === 0)) {
      complain(`"${name}" has an "api" of its own, so it also needs "baseUrl" and at least one entry in "models".`);
    }
  }
});

export const modelsConfig = z.strictObject({
  default: z
    .string()
    .min(1)
    .optional()
    .describe("provider/model or an alias. Left out: chosen by the keys that are set."),
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
