/** A web site on loopback: pages by path, everything that was asked kept. Gone after the test. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export interface SitePage {
  status?: number;
  /** `text/html; charset=utf-8` unless told. */
  type?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Answers by hand instead. */
  serve?(response: ServerResponse): void;
}

export interface WebSite {
  /** `http://127.0.0.1:port`. */
  url: string;
  /** What lets it through the guard: its address and port. */
  allowEntry: string;
  requests: { method: string; path: string; headers: IncomingHttpHeaders }[];
  put(path: string, page: SitePage): void;
}

export async function startWebSite(test: TestContext): Promise<WebSite> {
  const pages = new Map<string, SitePage>();
  const requests: WebSite["requests"] = [];
  const server = createServer(({ method = "", url = "", headers }, response) => {
    requests.push({ method, path: url, headers });
    const page = pages.get(url) ?? { status: 404, body: "<h1>Not here</h1>" };
    if (page.serve !== undefined) return page.serve(response);
    response.writeHead(page.status ?? 200, {
      "content-type": page.type ?? "text/html; charset=utf-8",
      ...page.headers,
    });
    response.end(page.body ?? "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  test.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return {
    url: `http://127.0.0.1:${port}`,
    allowEntry: `127.0.0.1:${port}`,
    requests,
    put: (path, page) => void pages.set(path, page),
  };
}
