/** Inbound's face: the way in for messages from any source. */
export { createInbound, type Inbound, type Origin } from "./receive.ts";
