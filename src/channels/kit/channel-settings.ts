/** `channels.<type>` in the config: what the agent may do on a platform beside talking, and how freely it reacts (spec 2.6). */
import { z } from "zod";
import type { ChannelAction } from "../../contracts/channel.ts";

/** One `channels.<type>.actions.<gate>`. */
export interface Gate {
  /** What is disabled when it is closed, as a refusal says it: `reactions`. */
  label: string;
  /** Closed unless the config opens it. Absent: open unless the config closes it. */
  isOffUnlessSet?: true;
  /** What the `message` tool does that goes through the same gate. */
  covers?: ChannelAction["type"] | "edit" | "delete";
  /** Names of the platform's own tools behind it; `shape.test.ts` holds them against those that it has. */
  tools?: readonly string[];
}

export type Gates = Readonly<Record<string, Gate>>;

export interface ChannelSettings {
  actions: Readonly<Record<string, boolean | undefined>>;
  reactionLevel: "none" | "minimal" | "extensive";
}

export function buildSettingsSchema(platform: string, gates: Gates) {
  const fields = Object.entries(gates).map(
    ([name, { label, isOffUnlessSet }]): [string, z.ZodOptional<z.ZodBoolean>] => [
      name,
      z
        .boolean()
        .optional()
        .describe(`Whether the agent may use ${platform} ${label}. Left out: ${isOffUnlessSet ? "no" : "yes"}.`),
    ],
  );
  return z
    .strictObject({
      actions: z.strictObject(Object.fromEntries(fields)).prefault({}),
      reactionLevel: z
        .enum(["none", "minimal", "extensive"])
        .default("minimal")
        .describe("How freely the agent reacts to messages with an emoji."),
    })
    .describe(`What the agent may do on ${platform} beside talking.`);
}

/** Why it may not be done; undefined when it may. */
export function findClosedGate(
  platform: string,
  gate: Gate | undefined,
  isSet: boolean | undefined,
): string | undefined {
  const isOpen = isSet ?? gate?.isOffUnlessSet !== true;
  return isOpen ? undefined : `${platform} ${gate?.label ?? "actions"} are disabled`;
}
