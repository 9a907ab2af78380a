/** The gateway room's face to the composition root. Loading it costs a config schema; the server comes with `loadGateway`. */
export { loadGateway } from "./catalog.ts";
export { type GatewayConfig, gatewayConfig } from "./config.ts";
export type { RunningGateway } from "./create-gateway.ts";
