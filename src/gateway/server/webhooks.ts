/**
 * `/hooks/<name>`: requests from outside that channels and automation take. Whoever owns the hook says by the headers alone
 * whether the body is read at all; a name that nobody has opened is not there.
 */
import type { IncomingMessage } from "node:http";
import { ChannelError } from "../../base/errors.ts";
import type { Webhooks } from "../../contracts/gateway.ts";
import type { Log } from "../../contracts/log.ts";
import type { Exchange, Route } from "../parts.ts";
import { GatewayFault } from "../protocol/errors.ts";

type Hook = Parameters<Webhooks["open"]>[1];
type Headers = Parameters<Hook["isAllowed"]>[0];

/** Requests of one hook that are under way; platforms send the others again. */
const mostAtOnce = 32;

export function createWebhooks({ log }: { log: Log }): { webhooks: Webhooks; route: Route } {
  const hooks = new Map<string, { hook: Hook; underWay: number }>();

  const take = async (hook: Hook, headers: Headers, { path, response, readBody }: Exchange) => {
    const body = await readBody(hook.maxBytes);
    const answer = await hook.handle({ path, headers, body });
    const text = answer.body ?? "";
    response.writeHead(answer.status, {
      "Content-Type": "text/plain; charset=utf-8",
      "Content-Length": Buffer.byteLength(text),
    });
    response.end(text);
  };

  const route: Route = {
    method: "POST",
    path: "/hooks/*",
    auth: "none",
    async handle(exchange) {
      const name = exchange.path.split("/")[2] ?? "";
      const entry = hooks.get(name);
      if (!entry) throw new GatewayFault({ code: "NOT_FOUND", message: "Nothing is here." });
      const headers = toHeaders(exchange.request);
      if (!isAllowed(entry.hook, headers, log, name))
        throw new GatewayFault({ code: "FORBIDDEN", message: "Not allowed." });
      if (entry.underWay >= mostAtOnce) throw tooMany();
      entry.underWay++;
      try {
        await take(entry.hook, headers, exchange);
      } finally {
        entry.underWay--;
      }
    },
  };

  const webhooks: Webhooks = {
    open(name, hook) {
      if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/.test(name)) {
        throw new ChannelError("HOOK_NAME_INVALID", `"${name}" cannot be the name of a hook`, {
          hint: "Use letters, digits, dots, dashes and underscores.",
        });
      }
      if (hooks.has(name)) {
        throw new ChannelError("HOOK_TAKEN", `/hooks/${name} is in use already`, {
          hint: "Give one of the two another name in the config.",
        });
      }
      const entry = { hook, underWay: 0 };
      hooks.set(name, entry);
      return () => {
        if (hooks.get(name) === entry) hooks.delete(name);
      };
    },
  };
  return { webhooks, route };
}

function isAllowed(hook: Hook, headers: Headers, log: Log, name: string): boolean {
  try {
    return hook.isAllowed(headers) === true;
  } catch (error) {
    log.error("A hook could not say whether a request is allowed", { hook: name, error });
    return false;
  }
}

function toHeaders({ headers }: IncomingMessage): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}

const tooMany = () =>
  new GatewayFault({ code: "UNAVAILABLE", message: "Too much at once.", retryable: true, retryAfterMs: 1_000 });
