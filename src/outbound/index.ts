/** Outbound's face: plan a reply, and the engine that delivers what the outbox holds. */
export { createOutbound } from "./outbound.ts";
export { planReply } from "./plan-reply.ts";
