/** Web chat's slice of the configuration. Who may connect is the gateway's business, so it has no allow-lists. */
import { z } from "zod";
import type { AccessRules } from "../../contracts/channel.ts";

/** An operator who holds everything. */
const ownerId = "owner";
/** One who may talk, and not change how mom behaves: the commands of admins are not theirs. */
const operatorId = "operator";
/** Who comes over the OpenAI-compatible HTTP interface. */
const apiId = "api";

/** An operator holds what the owner holds; a program with the gateway's token talks like somebody in a direct chat. */
export const webchatRules: AccessRules = { admins: [ownerId], dm: [operatorId, apiId], windows: [operatorId] };

export const webchatConfigSchema = z.strictObject({ type: z.literal("webchat") });

export type WebchatConfig = z.infer<typeof webchatConfigSchema>;
