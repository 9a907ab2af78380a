/**
 * From a request to its route: guard, path, method, bearer token, then the route itself. Whatever goes wrong is answered here;
 * what a route throws by surprise is logged and told to nobody outside.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import type { Identity, Route } from "../parts.ts";
import { GatewayFault, mayCall } from "../protocol/index.ts";
import { answerError, commonHeaders, type ErrorShape, type HttpError, toHttpError } from "./answer.ts";
import { readWhole } from "./read-body.ts";
import type { RequestGuard } from "./request-guard.ts";

interface RouterDeps {
  routes: readonly Route[];
  guard: RequestGuard;
  authenticator: Pick<Authenticator, "judgeBearer">;
  clock: Clock;
  log: Log;
}

type Found = { type: "route"; route: Route; identity?: Identity } | { type: "refused"; error: HttpError };

/** A body that nobody wanted may still come for so long: hanging up on it at once would lose the answer on the way. */
const lingerMs = 1_000;

export function createRouter({ routes, guard, authenticator, clock, log }: RouterDeps) {
  const pick = buildPicker(routes);

  const find = async (request: IncomingMessage, path: string, address: string): Promise<Found> => {
    const picked = pick(request.method ?? "", path);
    if (picked.type === "refused" || picked.route.auth === "none") return picked;
    const answer = await authenticator.judgeBearer(request.headers.authorization, address);
    if (answer.type === "refused") {
      const error = toHttpError(answer.error);
      return { type: "refused", error: error.code === "UNAVAILABLE" ? { ...error, status: 429 } : error };
    }
    const { identity } = answer;
    if (mayCall(identity, picked.route.auth.bearer)) return { type: "route", route: picked.route, identity };
    return refuse(403, "FORBIDDEN", `The scope ${picked.route.auth.bearer} is needed.`);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value);
    const verdict = guard(request);
    if (verdict.type === "refused") return answerError(response, verdict.error);
    const { path, address } = verdict;
    const shape: ErrorShape | undefined = path.startsWith("/v1/") ? "openai" : undefined;
    const found = await find(request, path, address);
    if (found.type === "refused") return answerError(response, found.error, shape);
    const { route, identity } = found;
    try {
      await route.handle({
        request,
        response,
        path,
        ...(identity && { identity }),
        readBody: (maxBytes) => readWhole({ request, response, clock }, maxBytes),
        signal: abortWhenGone(response),
      });
    } catch (error) {
      if (!(error instanceof GatewayFault)) log.error("A request failed", { path: route.path, error });
      if (response.headersSent) response.destroy();
      else answerError(response, toAnswer(error), shape);
    }
  };

  /** Never rejects. */
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on("error", () => undefined);
    response.on("finish", () => dropRest(request, clock));
    await answer(request, response).catch((error: unknown) => {
      log.error("A request failed", { error });
      answerError(response, toAnswer(error));
    });
  };
}

function buildPicker(routes: readonly Route[]) {
  const exact = new Map<string, Route[]>();
  const below: { prefix: string; routes: Route[] }[] = [];
  for (const route of routes) {
    if (!route.path.endsWith("/*")) exact.set(route.path, [...(exact.get(route.path) ?? []), route]);
    else {
      const prefix = route.path.slice(0, -1);
      const group = below.find((each) => each.prefix === prefix);
      if (group) group.routes.push(route);
      else below.push({ prefix, routes: [route] });
    }
  }
  // The longest that fits decides.
  below.sort((a, b) => b.prefix.length - a.prefix.length);

  return (method: string, path: string): Found => {
    const group = exact.get(path) ?? below.find(({ prefix }) => path.startsWith(prefix))?.routes ?? [];
    const wanted = method === "HEAD" ? "GET" : method;
    const route = group.find((each) => each.method === wanted);
    if (route) return { type: "route", route };
    if (group.length === 0 || group.some((each) => each.path === "/*"))
      return refuse(404, "NOT_FOUND", "Nothing is here.");
    const allow = group.map((each) => each.method).join(", ");
    return { type: "refused", error: { status: 405, code: "INVALID_REQUEST", message: `Use ${allow} here.`, allow } };
  };
}

/** Nothing more is read of what nobody reads, and the socket is not held by it. */
function dropRest(request: IncomingMessage, clock: Clock): void {
  if (request.complete) return;
  const cancel = clock.after(lingerMs, () => request.socket.destroy());
  request.once("end", cancel);
  request.once("close", cancel);
  request.on("error", () => undefined);
  request.resume();
}

function abortWhenGone(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) controller.abort(new Error("The other end has gone."));
  });
  return controller.signal;
}

const refuse = (status: number, code: HttpError["code"], message: string): Found & { type: "refused" } => ({
  type: "refused",
  error: { status, code, message },
});

const surprise: HttpError = {
  status: 500,
  code: "UNAVAILABLE",
  message: "Something went wrong inside mom; her log says what.",
};
const toAnswer = (error: unknown) => (error instanceof GatewayFault ? toHttpError(error.toError()) : surprise);
