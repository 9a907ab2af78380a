/** The frames as types. */
import type { eventSchema, helloOkSchema, helloSchema, requestSchema, responseSchema } from "./frames.ts";
import type { Of } from "./kit.ts";

export type Hello = Of<typeof helloSchema>;
export type HelloOk = Of<typeof helloOkSchema>;
export type Request = Of<typeof requestSchema>;
export type Response = Of<typeof responseSchema>;
export type EventFrame = Of<typeof eventSchema>;
