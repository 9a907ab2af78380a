/**
 * The only way out for the browser: a forward proxy on loopback (HTTP and CONNECT) that looks every name up itself, holds
 * the answer against the address rules and connects to exactly the checked address. Pages, pictures, redirects and
 * web sockets all come through here, so no page can reach what web_fetch could not (spec 10.2).
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import type { AddressGuard } from "../../base/address-guard.ts";
import type { MomError } from "../../base/errors.ts";
import { createProxyExit, dropHopHeaders, type ProxyExit } from "./proxy-exit.ts";

export interface GuardProxy {
  /** `http://127.0.0.1:<port>`. */
  readonly server: string;
  readonly username: string;
  readonly password: string;
  /** Why the newest connection to this host (`name:port`) was not made; undefined when it was, or none was tried. */
  failureOf(host: string): MomError | undefined;
  /** Ends all connections. */
  close(): Promise<void>;
}

const maxConnections = 512;

export async function createGuardProxy(guard: AddressGuard): Promise<GuardProxy> {
  const username = "mom";
  const password = randomBytes(24).toString("base64url");
  const credentials = Buffer.from(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
  const exit = createProxyExit(guard);
  const tunnels = new Set<Duplex>();

  const server = createServer((incoming, outgoing) => {
    if (isAuthorised(incoming, credentials)) passRequest(incoming, outgoing, exit);
    else answer(outgoing, 407, noEntry);
  });
  server.on("connect", (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    tunnels.add(client);
    client.on("close", () => tunnels.delete(client));
    client.on("error", () => client.destroy());
    if (isAuthorised(incoming, credentials)) passTunnel(incoming, client, head, exit);
    else refuseTunnel(client, 407, noEntry);
  });
  server.on("clientError", (_error, socket) => socket.destroy());
  server.maxConnections = maxConnections;
  server.requestTimeout = 0;

  return {
    server: `http://127.0.0.1:${await listen(server)}`,
    username,
    password,
    failureOf: exit.failureOf,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const tunnel of tunnels) tunnel.destroy();
      exit.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // A server on an address and a port has no other kind of name.
  return (server.address() as AddressInfo).port;
}

/** A plain request: sent on to a checked address, with the name only in its `Host`. */
function passRequest(incoming: IncomingMessage, outgoing: ServerResponse, exit: ProxyExit): void {
  const url = URL.parse(incoming.url ?? "");
  if (url?.protocol !== "http:") return void answer(outgoing, 400, "A whole http address is needed.");
  const onFailure = (error: unknown) => {
    // Whoever went away has no use for an answer, and it is not the site's fault.
    if (outgoing.destroyed || outgoing.headersSent) return void outgoing.destroy();
    const failure = exit.fail(url, error);
    answer(outgoing, statusOf(failure), failure.message);
  };
  exit.request(url, incoming).then((upstream) => {
    upstream.on("error", onFailure);
    upstream.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 502, dropHopHeaders(response.headers));
      pipeline(response, outgoing, () => undefined);
    });
    outgoing.on("close", () => upstream.destroy());
    pipeline(incoming, upstream, () => undefined);
  }, onFailure);
}

/** `CONNECT name:port`: bytes go both ways until one side ends. */
function passTunnel(incoming: IncomingMessage, client: Duplex, head: Buffer, exit: ProxyExit): void {
  const url = URL.parse(`https://${incoming.url ?? ""}`);
  if (url === null || url.pathname !== "/") return void refuseTunnel(client, 400, "A host and a port are needed.");
  const onFailure = (error: unknown) => {
    const failure = exit.fail(url, error);
    refuseTunnel(client, statusOf(failure), failure.message);
  };
  exit.connect(url).then((upstream) => {
    if (client.destroyed) return void upstream.destroy();
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) upstream.write(head);
    pipeline(client, upstream, () => client.destroy());
    pipeline(upstream, client, () => upstream.destroy());
  }, onFailure);
}

function isAuthorised(incoming: IncomingMessage, credentials: Buffer): boolean {
  const given = Buffer.from(incoming.headers["proxy-authorization"] ?? "");
  return given.length === credentials.length && timingSafeEqual(given, credentials);
}

const noEntry = "This proxy has one user.";
const challenge = `Basic realm="mom"`;
const statusOf = (failure: MomError) => (failure.retryable ? 502 : 403);

function answer(outgoing: ServerResponse, status: number, text: string): void {
  if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy();
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  outgoing.writeHead(status, status === 407 ? { ...headers, "proxy-authenticate": challenge } : headers);
  outgoing.end(`${text}\n`);
}

function refuseTunnel(client: Duplex, status: number, text: string): void {
  const authenticate = status === 407 ? `Proxy-Authenticate: ${challenge}\r\n` : "";
  const body = `${text}\n`;
  client.end(
    `HTTP/1.1 ${status} Refused\r\n${authenticate}Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
