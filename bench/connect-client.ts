/** A client of the built program's gateway, let in with the operator's token. */
import { createGatewayClient, type GatewayClient } from "../src/gateway/client/index.ts";
import type { Product } from "./start-product.ts";

type ClientOptions = Parameters<typeof createGatewayClient>[0];

export async function connectClient(
  { product, token }: { product: Pick<Product, "url">; token: string },
  onEvent: ClientOptions["onEvent"],
): Promise<GatewayClient> {
  const opened = Promise.withResolvers<void>();
  const client = createGatewayClient({
    url: `${product.url.replace("http", "ws")}/ws`,
    hello: {
      client: { id: "bench", version: "0", platform: "bench", mode: "app" },
      getAuth: async () => ({ token }),
    },
    onState: (state) => {
      if (state.type === "open") opened.resolve();
      if (state.type === "refused") opened.reject(new Error(state.error.message));
    },
    onEvent,
    onGap: () => undefined,
  });
  client.start();
  await opened.promise;
  return client;
}
