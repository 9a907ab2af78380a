/** What pages know of the connection to mom. */
export * from "./gateway-link.ts";
export { type Loaded, useCall } from "./use-call.ts";
