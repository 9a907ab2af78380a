/** The `auth` slice of the configuration. Keys themselves never stand here: they are in `auth.json`. */
import { z } from "zod";

export const authConfig = z.strictObject({
  order: z
    .record(z.string(), z.array(z.string().min(1)))
    .default({})
    .describe(
      'By provider: which auth profiles are used, e.g. { anthropic: ["anthropic:work", "anthropic:home"] }. What `mom auth order` sets comes before it. Left out: all.',
    ),
});

export type AuthConfig = z.infer<typeof authConfig>;
