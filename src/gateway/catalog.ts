/** What the gateway loads only when it is wanted: itself, and being found in the local network. */
import type { Announce, CreateGateway } from "./create-gateway.ts";

const loadDiscovery = async (): Promise<Announce> => (await import("./discovery/announce.ts")).announce;

export async function loadGateway(): Promise<CreateGateway> {
  const { createGateway } = await import("./create-gateway.ts");
  return (deps, config) => createGateway({ loadDiscovery, ...deps }, config);
}
