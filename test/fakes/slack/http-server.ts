/**
 * The fake's HTTP side: the Web API (form-encoded or JSON bodies), the addresses that uploads are sent to, and downloads,
 * which answer a login page with status 200 to whoever has no token.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CallFault, FaultList } from "./faults.ts";
import type { Method, MethodContext } from "./method.ts";
import { refuse } from "./method.ts";
import type { SocketHub } from "./socket-hub.ts";
import type { Json, Workspace } from "./workspace.ts";

/** One call to the Web API. */
export interface SlackCall {
  method: string;
  args: Json;
}

export interface HttpDeps {
  methods: Record<string, Method>;
  context: MethodContext;
  faults: FaultList;
  hub: SocketHub;
  /** What each token is; one that is revoked says so. */
  tokens: { bot: string; app: string; isRevoked: boolean };
  onCall(call: SlackCall): void;
  onChange(): void;
}

export async function startHttpServer(buildDeps: (origin: string) => HttpDeps): Promise<Server> {
  let deps: HttpDeps | undefined;
  const server = createServer((request, response) => {
    if (!deps) return void response.destroy();
    handle(request, response, deps).catch(() => response.destroy());
  });
  server.on("upgrade", (request, socket, head) => {
    deps?.hub.server.handleUpgrade(request, socket, head, (opened) =>
      deps?.hub.server.emit("connection", opened, request),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  deps = buildDeps(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return server;
}

async function handle(request: IncomingMessage, response: ServerResponse, deps: HttpDeps): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const [, area, name = ""] = pathname.split("/");
  const body = await readBody(request);
  if (area === "api") return handleCall(name, request, body, response, deps);
  if (area === "upload") return handleUpload(pathname, body, response, deps);
  if (area === "files-pri") return handleDownload(name, request, response, deps);
  response.writeHead(404).end();
}

async function handleCall(
  name: string,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  deps: HttpDeps,
): Promise<void> {
  const args = parseArguments(request.headers["content-type"] ?? "", body);
  deps.onCall({ method: name, args });
  const fault = deps.faults.takeForCall(name);
  if (fault?.type === "status") return answerFault(fault, response, deps);
  const answer = runMethod(name, tokenOf(request, args), args, deps);
  deps.onChange();
  if (fault?.type === "slow") await new Promise((resolve) => setTimeout(resolve, fault.ms).unref());
  const scopes = [...deps.context.settings.scopes].join(",");
  if (fault?.type === "cut") response.destroy();
  else sendJson(response, 200, answer, { "x-oauth-scopes": scopes });
  deps.onChange();
}

function runMethod(name: string, token: string | undefined, args: Json, { methods, context, tokens }: HttpDeps): Json {
  const method = methods[name];
  if (!method) return refuse("unknown_method", { req_method: name });
  if (token === undefined) return refuse("not_authed");
  if (token !== tokens.bot && token !== tokens.app) return refuse("invalid_auth");
  if (token === tokens.bot && tokens.isRevoked) return refuse("token_revoked");
  if ((token === tokens.app) !== (method.isForApp === true)) return refuse("not_allowed_token_type");
  const needed = typeof method.scopes === "function" ? method.scopes(args, context) : method.scopes;
  if (needed && !needed.some((scope) => context.settings.scopes.has(scope))) {
    return refuse("missing_scope", { needed: needed[0], provided: [...context.settings.scopes].join(",") });
  }
  return method.run(args, context);
}

function answerFault(fault: Extract<CallFault, { type: "status" }>, response: ServerResponse, deps: HttpDeps): void {
  const limited = fault.status === 429 ? { "retry-after": String(Math.ceil((fault.retryAfterMs ?? 1000) / 1000)) } : {};
  const body = fault.body ?? refuse(fault.status === 429 ? "ratelimited" : "internal_error");
  sendJson(response, fault.status, body, limited);
  deps.onChange();
}

function handleUpload(pathname: string, body: Buffer, response: ServerResponse, deps: HttpDeps): void {
  const fault = deps.faults.takeForCall("upload");
  const file = deps.context.workspace.files.get(pathname.split("/").at(-1) ?? "");
  if (fault?.type === "status") answerFault(fault, response, deps);
  else if (!file || body.length !== file.size) response.writeHead(400).end("length mismatch");
  else {
    Object.assign(file, { bytes: body, isUploaded: true });
    if (fault?.type === "cut") response.destroy();
    else response.writeHead(200, { "content-type": "text/plain" }).end(`OK - ${body.length}`);
  }
  deps.onChange();
}

function handleDownload(name: string, request: IncomingMessage, response: ServerResponse, deps: HttpDeps): void {
  const fault = deps.faults.takeForCall("download");
  if (fault?.type === "status") {
    answerFault(fault, response, deps);
    return;
  }
  if (fault?.type === "cut") {
    response.destroy();
    return;
  }
  const { workspace, settings } = deps.context;
  const file = findFile(workspace, name);
  if (tokenOf(request, {}) !== deps.tokens.bot || !file || settings.loginPages-- > 0) {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<html><title>Sign in</title></html>");
    return;
  }
  response.writeHead(200, {
    "content-type": file.mimeType,
    "content-length": String(file.bytes.length),
    "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
  });
  response.end(file.bytes);
}

const findFile = (workspace: Workspace, name: string) => workspace.files.get(name.split("-").at(-1) ?? "");

function tokenOf(request: IncomingMessage, args: Json): string | undefined {
  const header = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  return header ?? (typeof args["token"] === "string" ? args["token"] : undefined);
}

/** Values that are JSON in a form are JSON here. */
function parseArguments(contentType: string, body: Buffer): Json {
  if (contentType.startsWith("application/json")) return JSON.parse(body.toString("utf8") || "{}") as Json;
  return Object.fromEntries(
    [...new URLSearchParams(body.toString("utf8"))].map(([key, value]) => [key, parseValue(key, value)]),
  );
}

function parseValue(key: string, value: string): unknown {
  if (!["blocks", "metadata", "files", "chunks", "attachments"].includes(key)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string>): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
