/**
 * The fake's REST API, version 10: which call a request is, whether it may be made, what was asked to go wrong with it, and
 * what the routes answer. Attachments are served from the same address.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fault } from "../platform.ts";
import { type Answer, type Call, Refusal, readCall, unauthorized, writeAnswer, writeTooMany } from "./answer.ts";
import type { World } from "./world.ts";

export type Routes = Record<string, (call: Call) => Answer>;

/** A call that was made, for tests to look at. */
export interface SeenCall extends Call {
  name: string;
}

/** Name of the call, HTTP method, path below `/api/v10`; `:x` is one part of it. */
const table: readonly (readonly [name: string, method: string, path: string])[] = [
  ["getGatewayBot", "GET", "/gateway/bot"],
  ["getCurrentUser", "GET", "/users/@me"],
  ["getGuilds", "GET", "/users/@me/guilds"],
  ["getApplication", "GET", "/applications/@me"],
  ["putCommands", "PUT", "/applications/:x/commands"],
  ["getGuild", "GET", "/guilds/:x"],
  ["getGuildChannels", "GET", "/guilds/:x/channels"],
  ["getActiveThreads", "GET", "/guilds/:x/threads/active"],
  ["addRole", "PUT", "/guilds/:x/members/:x/roles/:x"],
  ["removeRole", "DELETE", "/guilds/:x/members/:x/roles/:x"],
  ["kick", "DELETE", "/guilds/:x/members/:x"],
  ["ban", "PUT", "/guilds/:x/bans/:x"],
  ["getChannel", "GET", "/channels/:x"],
  ["typing", "POST", "/channels/:x/typing"],
  ["getMessages", "GET", "/channels/:x/messages"],
  ["createMessage", "POST", "/channels/:x/messages"],
  ["getMessage", "GET", "/channels/:x/messages/:x"],
  ["editMessage", "PATCH", "/channels/:x/messages/:x"],
  ["deleteMessage", "DELETE", "/channels/:x/messages/:x"],
  ["createThread", "POST", "/channels/:x/messages/:x/threads"],
  ["addReaction", "PUT", "/channels/:x/messages/:x/reactions/:x/@me"],
  ["removeReaction", "DELETE", "/channels/:x/messages/:x/reactions/:x/@me"],
  ["pin", "PUT", "/channels/:x/pins/:x"],
  ["pin", "PUT", "/channels/:x/messages/pins/:x"],
  ["unpin", "DELETE", "/channels/:x/pins/:x"],
  ["unpin", "DELETE", "/channels/:x/messages/pins/:x"],
  ["interactionCallback", "POST", "/interactions/:x/:x/callback"],
  ["deleteInteractionReply", "DELETE", "/webhooks/:x/:x/messages/@original"],
];

/** The token of an interaction stands in the path. */
const withoutLogin = ["interactionCallback", "deleteInteractionReply"];
const mostCalls = 10_000;

export interface RestOptions {
  world: World;
  routes: Routes;
  isTokenValid(token: string): boolean;
  /** The next fault for this call, taken from the list. */
  takeFault(name: string): Extract<Fault, { type: "status" | "cut" | "slow" }> | undefined;
  calls: SeenCall[];
  onChange(): void;
}

export function createRest({ world, routes, isTokenValid, takeFault, calls, onChange }: RestOptions) {
  const patterns = table.map(([name, method, path]) => ({
    name,
    method,
    pattern: new RegExp(`^/api/v10${path.replaceAll(":x", "([^/]+)")}$`),
  }));

  function act(name: string, call: Call): Answer {
    try {
      return routes[name]?.(call) ?? { status: 204 };
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      throw error;
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname.startsWith("/attachments/")) return serveFile(url, response);
    const path = url.pathname.replaceAll("%40", "@");
    const route = patterns.find(({ method, pattern }) => method === request.method && pattern.test(path));
    const [, ...ids] = route?.pattern.exec(path) ?? [];
    const call = await readCall(request, ids.map(decodeURIComponent), url.searchParams);
    const rate = { limit: 1000, remaining: 999, resetAfterMs: 1000, bucket: route?.name ?? "none" };
    if (!route) return writeAnswer(response, { status: 404, body: { message: "404: Not Found", code: 0 } }, rate);
    calls.push({ name: route.name, ...call });
    if (calls.length > mostCalls) calls.shift();
    const isAllowed =
      withoutLogin.includes(route.name) || isTokenValid((request.headers.authorization ?? "").replace(/^Bot /, ""));
    if (!isAllowed) return writeAnswer(response, unauthorized().answer, rate);
    const fault = takeFault(route.name);
    if (fault?.type === "status") return writeFault(response, fault, route.name);
    const answer = act(route.name, call);
    onChange();
    if (fault?.type === "slow") await new Promise((resolve) => setTimeout(resolve, fault.ms).unref());
    if (fault?.type === "cut") response.destroy();
    else writeAnswer(response, answer, rate);
  }

  function serveFile({ pathname }: URL, response: ServerResponse): void {
    const fault = takeFault("cdn");
    const [, , , fileId] = pathname.split("/");
    const file = world.messages.flatMap(({ files }) => files).find(({ id }) => id === fileId);
    if (fault?.type === "cut") return void response.destroy();
    if (fault?.type === "status" || !file)
      return void response.writeHead(fault?.type === "status" ? fault.status : 404).end();
    response.writeHead(200, { "content-type": file.mimeType, "content-length": file.data.length }).end(file.data);
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    handle(request, response)
      .catch(() => response.destroy())
      .finally(onChange);
  };
}

function writeFault(response: ServerResponse, fault: Extract<Fault, { type: "status" }>, bucket: string): void {
  const { status, retryAfterMs = 1000, body = { message: `${status}: asked for by the test`, code: 0 } } = fault;
  if (status !== 429) {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    return;
  }
  writeTooMany(response, retryAfterMs, bucket, (body as { global?: boolean }).global === true);
}
