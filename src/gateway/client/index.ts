/** The typed client of the gateway, for the command line, the browser, and whoever else speaks the protocol. */
export type { Auth, CallOptions, ClientOptions, ClientState, GatewayClient } from "./client-types.ts";
export { createGatewayClient } from "./create-gateway-client.ts";
