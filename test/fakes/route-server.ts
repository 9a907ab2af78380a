/**
 * Routes of the gateway on loopback, without the rest of its server: paths, the bearer token and bodies, so that routes can be
 * tested with the clients that use them.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { toOpenAiError } from "../../src/gateway/http/openai-error.ts";
import type { Exchange, Identity, Route } from "../../src/gateway/parts.ts";
import { GatewayFault, mayCall } from "../../src/gateway/protocol/index.ts";

export const goodToken = "good-token";
/** An operator who may only look. */
export const readToken = "read-token";

const identities: Readonly<Record<string, Identity>> = {
  [goodToken]: { id: "token", name: "the token", role: "operator", scopes: ["read", "write", "admin"] },
  [readToken]: { id: "device-1", name: "a phone", role: "operator", scopes: ["read"] },
};

/** Gives the address: `http://127.0.0.1:<port>`. */
export async function serveRoutes(test: TestContext, routes: readonly Route[]): Promise<string> {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent((request.url ?? "").split("?")[0] ?? "");
    const refuse = (status: number, message: string) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(toOpenAiError(status, message)));
    };
    const route = routes.find((each) => each.method === request.method && isAt(each.path, path));
    if (!route) return refuse(404, "There is no such path.");
    const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    const identity = Object.hasOwn(identities, token) ? identities[token] : undefined;
    if (route.auth !== "none") {
      if (!identity) return refuse(401, "The token is not right.");
      if (!mayCall(identity, route.auth.bearer)) return refuse(403, "This may not be done with the token.");
    }
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const exchange: Exchange = {
      request,
      response,
      path,
      ...(identity && { identity }),
      readBody: (maxBytes) => readBody(request, maxBytes),
      signal: gone.signal,
    };
    await route.handle(exchange);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const isAt = (pattern: string, path: string) =>
  pattern.endsWith("/*") ? path.startsWith(pattern.slice(0, -1)) : pattern === path;

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxBytes) {
      const message = `The body is larger than ${maxBytes} bytes.`;
      throw new GatewayFault({ code: "INVALID_REQUEST", message, details: { status: 413 } });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
