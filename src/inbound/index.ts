/** Inbound's face: the way in for messages from any source. */
export type { Origin } from "./origin.ts";
export { createInbound, type Inbound } from "./receive.ts";
