/** A web site for the browser to visit: small pages on a loopback server that remembers who came. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface BrowserSite {
  port: number;
  /** `METHOD /path` of every request, in order; `UPGRADE /path` for web sockets. */
  requests: string[];
  /** The newest form that was sent. */
  form: URLSearchParams | undefined;
  close(): Promise<void>;
}

type Answer = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** Pages by path. A text is HTML. Anything else is a 404. */
export async function createBrowserSite(pages: Record<string, Answer>): Promise<BrowserSite> {
  const site: BrowserSite = { port: 0, requests: [], form: undefined, close: () => closeServer(server) };
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://site").pathname;
    if (path !== "/favicon.ico") site.requests.push(`${request.method} ${path}`);
    if (request.method === "POST") site.form = new URLSearchParams(await readBody(request));
    const page = pages[path];
    if (typeof page === "function") return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
    response.end(page ?? "<title>Not found</title>");
  });
  server.on("upgrade", (request, socket) => {
    site.requests.push(`UPGRADE ${request.url}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  site.port = (server.address() as AddressInfo).port;
  return site;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
