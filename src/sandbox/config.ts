/** The sandbox's slice of the configuration: where tools run and which folders they may touch. */
import { z } from "zod";

export const sandboxConfig = z
  .strictObject({
    mode: z
      .enum(["host"])
      .default("host")
      .describe("Where tools run. host: directly on this machine, with mom's own user and rights."),
    roots: z
      .array(z.string().min(1).startsWith("/", "must be an absolute path"))
      .default([])
      .describe("Folders outside the workspace that the file tools may read and write. Absolute paths."),
  })
  .describe("How far tools can reach.");
