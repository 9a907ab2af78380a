/** The memory's slice of the configuration: `memory`. */
import { z } from "zod";

const embedder = z
  .strictObject({
    type: z
      .enum(["auto", "local", "openai", "gemini", "ollama", "compatible", "none"])
      .default("auto")
      .describe(
        "What turns text into vectors. auto: the local model where it is installed, else none; nothing leaves the machine unless a service is named here. compatible: any service with OpenAI's /embeddings. none: text search alone.",
      ),
    model: z.string().min(1).max(200).optional().describe("Left out: the usual one of the type. compatible needs it."),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("Where the service listens; for openai and compatible it usually ends in /v1. compatible needs it."),
    apiKey: z
      .string()
      .min(1)
      .meta({ secret: true })
      .optional()
      .describe("Left out: the key of that model provider, where there is one. ollama and compatible may need none."),
    dimensions: z
      .int()
      .min(32)
      .max(4096)
      .optional()
      .describe("Shorter vectors than the model's own, for models that can (openai, gemini)."),
    queryPrefix: z.string().max(200).optional().describe("Put before a question; some models were trained with one."),
    documentPrefix: z.string().max(200).optional().describe("Put before what is remembered."),
  })
  .superRefine((given, context) => {
    if (given.type !== "compatible") return;
    for (const key of ["baseUrl", "model"] as const) {
      if (given[key] !== undefined) continue;
      context.addIssue({ code: "custom", path: [key], message: `the type "compatible" needs "${key}"` });
    }
  });

const folder = z.strictObject({
  path: z
    .string()
    .min(1)
    .describe("A folder with Markdown or text files; absolute, or relative to the data directory."),
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,31}$/i)
    .describe("How its files are called: extra/<name>/… Each folder has another."),
  visibility: z
    .enum(["owner", "shared"])
    .default("owner")
    .describe("owner: only the agent's owner finds it. shared: everybody who talks to the agent."),
});

export const memoryConfig = z
  .strictObject({
    enabled: z.boolean().default(true).describe("Off: no index, and the tools memory_search and memory_get are gone."),
    embedder: embedder
      .prefault({})
      .describe("What makes vectors of text, for finding what is meant and not only what is written."),
    folders: z
      .array(folder)
      .max(32)
      .refine((all) => new Set(all.map(({ name }) => name.toLowerCase())).size === all.length, {
        error: "two folders have the same name",
      })
      .default([])
      .describe("Folders that are searched beside the agent's own memory."),
    sessions: z
      .boolean()
      .default(false)
      .describe("Also search what was said: each conversation for those of its chat, and for the owner."),
    vectorIndex: z
      .enum(["bits", "sqlite-vec"])
      .default("bits")
      .describe("How the nearest vectors are found. sqlite-vec: an optional native package."),
    minScore: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("What scores less is no answer. Left out: what held in trials, see docs/memory.md."),
    recency: z
      .strictObject({
        halfLifeDays: z.number().positive().max(36_500).describe("After so many days a note counts half of its bonus."),
        weight: z.number().min(0).max(1).default(0.2).describe("Share of the score that age takes away at most."),
      })
      .optional()
      .describe("Newer notes first where others are as good. Left out: age does not count."),
    diversity: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe("0: best first. More: results that repeat what a better one says go back by so much."),
  })
  .describe("What is remembered and how it is found.");

export type MemoryConfig = z.output<typeof memoryConfig>;
