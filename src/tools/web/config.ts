/** The web tools' slice of the configuration, `tools.web`. */
import { z } from "zod";
import { parseAllowEntry } from "../../base/allow-list.ts";

const allowEntry = z
  .string()
  .refine(
    (entry) => parseAllowEntry(entry) !== undefined,
    "write a host name, *.suffix, an address or a range, with :port if only that is meant",
  );

export const webConfig = z
  .strictObject({
    allowPrivate: z
      .array(allowEntry)
      .default([])
      .describe(
        "What the web tools and the browser may reach beside public addresses: host names, *.suffix, addresses, ranges; host:port for one port only.",
      ),
    fetch: z
      .strictObject({
        maxBytes: z
          .int()
          .min(1024)
          .max(100 * 1024 * 1024)
          .default(10 * 1024 * 1024)
          .describe("Largest page or file, unpacked."),
        timeoutSeconds: z.number().min(1).max(300).default(30).describe("For a page with all its redirects."),
        cacheMinutes: z
          .number()
          .min(0)
          .max(1440)
          .default(15)
          .describe("How long pages and search results are kept; 0: not at all."),
      })
      .prefault({})
      .describe("How web_fetch loads pages."),
    search: z
      .strictObject({
        provider: z
          .enum(["brave", "perplexity", "searxng"])
          .optional()
          .describe("Absent: the one that apiKey or baseUrl is for."),
        apiKey: z.string().min(1).meta({ secret: true }).optional().describe("Of Brave Search or Perplexity."),
        baseUrl: z
          .url({ protocol: /^https?$/ })
          .optional()
          .describe("Of a SearXNG, which may be on a private address; or of a proxy for the other providers."),
      })
      .prefault({})
      .describe("Who answers web_search."),
  })
  .describe("The web: what may be reached, how pages are loaded, who searches.");

export type WebConfig = z.output<typeof webConfig>;
