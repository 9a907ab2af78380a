/** Web chat's slice of the configuration. Who may connect is the gateway's business, so it has no allow-lists. */
import { z } from "zod";
import type { AccessRules } from "../../contracts/channel.ts";

/** Whoever the gateway lets in as an operator. */
const ownerId = "owner";
/** Who comes over the OpenAI-compatible HTTP interface. */
const apiId = "api";

/** An operator holds what the owner holds; a program with the gateway's token talks like somebody in a direct chat. */
export const webchatRules: AccessRules = { admins: [ownerId], dm: [apiId] };

export const webchatConfigSchema = z.strictObject({ type: z.literal("webchat") });

export type WebchatConfig = z.infer<typeof webchatConfigSchema>;
