/**
 * One request to one response: is the method known, may this identity call it, are its parameters right, was it done
 * already? Then its handler; what that gives is checked too. The only way to any handler.
 */
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { CallContext, Dispatcher, Handlers } from "../parts.ts";
import {
  type check,
  GatewayFault,
  isMethodName,
  type MethodName,
  mayCall,
  methodSpecs,
  type Request,
} from "../protocol/index.ts";
import { createHeavyGate, isHeavy } from "./heavy-gate.ts";
import { createOnceOnly } from "./once-only.ts";
import { createQuickCheck } from "./quick-check.ts";
import { insideFault, toFault } from "./to-fault.ts";

interface DispatcherDeps {
  handlers: Handlers;
  clock: Clock;
  log: Log;
}

type AnyHandler = (params: unknown, context: CallContext) => Promise<unknown>;
type Params = Record<string, unknown>;

/** Calls of one connection that may be under way: waiting for turns takes one each. */
const mostAtOnce = 100;

export function createDispatcher({ handlers, clock, log }: DispatcherDeps): Dispatcher {
  const onceOnly = createOnceOnly({ clock });
  const quickCheck = createQuickCheck();
  const heavyGate = createHeavyGate();
  const underWay = new Map<string, number>();

  const run = async (method: MethodName, params: Params, context: CallContext): Promise<unknown> => {
    // The parameters have just been found to be what this handler takes.
    const handle = handlers[method] as AnyHandler | undefined;
    if (!handle) throw notHere(method);
    const result = await handle(params, context);
    const checked = quickCheck(methodSpecs[method].result, result);
    if (checked.type === "ok") return result;
    log.error("A method of the gateway gave what its schema does not know", { method, problems: checked.problems });
    throw insideFault();
  };
  const call = (request: Request, context: CallContext): Promise<unknown> => {
    const method = ensureAllowed(request, context);
    const params = ensureParams(quickCheck, method, request);
    const runNow = () => run(method, params, context);
    const work = isHeavy(method) ? () => heavyGate.run(runNow, context.signal) : runNow;
    const key = params["idempotencyKey"];
    if (typeof key !== "string") return work();
    return onceOnly.run({ caller: context.identity.id, method, key, params }, work);
  };

  return {
    methods: Object.keys(methodSpecs)
      .filter(isMethodName)
      .filter((method) => handlers[method] !== undefined),
    async dispatch(request, context) {
      const { id } = request;
      const { connId } = context;
      const running = underWay.get(connId) ?? 0;
      try {
        if (running >= mostAtOnce) throw tooMany();
        underWay.set(connId, running + 1);
        const result = await call(request, context);
        return { id, type: "response", result };
      } catch (error) {
        return { id, type: "response", error: toFault(error, log, { method: request.method }).toError() };
      } finally {
        if (running < mostAtOnce) countDown(underWay, connId);
      }
    },
  };
}

function countDown(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1;
  if (left > 0) counts.set(key, left);
  else counts.delete(key);
}

function ensureAllowed({ method }: Request, { identity }: CallContext): MethodName {
  if (!isMethodName(method)) {
    throw new GatewayFault({ code: "INVALID_REQUEST", message: `There is no method ${JSON.stringify(method)}` });
  }
  const { needs } = methodSpecs[method];
  if (mayCall(identity, needs)) return method;
  const message =
    needs === "node" ? `Only a node may call ${method}` : `${method} needs the scope ${needs}, which you do not hold`;
  throw new GatewayFault({ code: "FORBIDDEN", message, details: { needs } });
}

function ensureParams(quickCheck: typeof check, method: MethodName, { params = {}, sessionKey }: Request): Params {
  const schema = methodSpecs[method].params;
  // The frame may name the session for methods that take one.
  const isFilledIn = sessionKey !== undefined && "sessionKey" in schema.properties && !("sessionKey" in params);
  const filled: Params = isFilledIn ? { ...params, sessionKey } : params;
  const checked = quickCheck(schema, filled);
  if (checked.type === "ok") return filled;
  const { problems } = checked;
  throw new GatewayFault({
    code: "INVALID_REQUEST",
    message: `${method}: ${problems.join("; ")}`,
    details: { problems },
  });
}

const notHere = (method: MethodName) =>
  new GatewayFault({ code: "NOT_FOUND", message: `This mom has no room for ${method}` });

const tooMany = () =>
  new GatewayFault({
    code: "UNAVAILABLE",
    message: `More than ${mostAtOnce} calls of this connection are under way`,
    retryable: true,
    retryAfterMs: 1000,
  });
