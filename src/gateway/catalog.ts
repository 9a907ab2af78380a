/** What the gateway loads only when it is wanted: itself, what stands behind its port, and being found in the local network. */
import type { GatewayConfig } from "./config.ts";
import type { Announce, GatewayDeps, RunningGateway } from "./create-gateway.ts";
import type { CreateInside } from "./create-inside.ts";

const loadDiscovery = async (): Promise<Announce> => (await import("./discovery/announce.ts")).announce;
const loadInside = async (): Promise<CreateInside> => (await import("./create-inside.ts")).createInside;

type OuterDeps = Omit<GatewayDeps, "loadInside" | "loadDiscovery">;

export async function loadGateway(): Promise<(deps: OuterDeps, config: GatewayConfig) => RunningGateway> {
  const { createGateway } = await import("./create-gateway.ts");
  return (deps, config) => createGateway({ loadDiscovery, loadInside, ...deps }, config);
}
