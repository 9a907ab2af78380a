/** The typed client as the command line uses it: with the token of the data directory, to the mom that runs there now. */
import { hostname } from "node:os";
import { GatewayError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import {
  type ClientOptions,
  type ClientState,
  createGatewayClient,
  type GatewayClient,
} from "../../gateway/client/index.ts";
import { type ErrorCode, GatewayFault, type ProtocolError } from "../../gateway/protocol/index.ts";
import { version } from "../version.ts";
import { findGateway, readToken } from "./find-gateway.ts";

export interface OpenClient {
  client: GatewayClient;
  /** Resolves when the client is let in; rejects with a coded error where that is not to be had. */
  opened(withinMs?: number): Promise<Extract<ClientState, { type: "open" }>>;
}

const usualWaitMs = 10_000;

/** Not connected yet: `opened` does that. */
export function openClient(
  { dataDir, clock }: { dataDir: string; clock: Clock },
  on: Partial<Pick<ClientOptions, "onState" | "onEvent" | "onGap">> = {},
): OpenClient {
  const watchers = new Set<(state: ClientState) => void>();
  const client = createGatewayClient({
    // Both are looked up for each connection: mom may come back on another port, and her token is for her alone.
    url: async () => toSocketUrl((await lookUp(dataDir)).url),
    hello: {
      client: {
        id: "mom-cli",
        displayName: `mom on ${hostname()}`.slice(0, 128),
        version,
        platform: process.platform,
        mode: "cli",
      },
      getAuth: async () => ({ token: await readToken(dataDir) }),
    },
    clock,
    onState(state) {
      on.onState?.(state);
      for (const watch of watchers) watch(state);
    },
    onEvent: on.onEvent ?? (() => undefined),
    onGap: on.onGap ?? (() => undefined),
  });
  return {
    client,
    opened: (withinMs = usualWaitMs) =>
      new Promise((resolve, reject) => {
        let last: ProtocolError | undefined;
        const end = () => {
          watchers.delete(watch);
          cancel();
        };
        const watch = (state: ClientState) => {
          if (state.type === "waiting") last = state.error;
          if (state.type !== "open" && state.type !== "refused") return;
          end();
          if (state.type === "open") resolve(state);
          else reject(toError(new GatewayFault(state.error)));
        };
        const cancel = clock.after(withinMs, () => {
          end();
          reject(buildUnreachable(last));
        });
        watchers.add(watch);
        if (client.state.type === "open") watch(client.state);
        else client.start();
      }),
  };
}

/** One call or a few, on a connection of their own. Faults of the gateway become errors of the command line. */
export async function withGateway<Value>(
  deps: { dataDir: string; clock: Clock },
  use: (client: GatewayClient) => Promise<Value>,
): Promise<Value> {
  const { client, opened } = openClient(deps);
  try {
    await opened();
    return await use(client);
  } catch (error) {
    throw error instanceof GatewayFault ? toError(error) : error;
  } finally {
    client.stop();
  }
}

export function toError(fault: GatewayFault): GatewayError {
  const { code, message, details, retryable } = fault;
  if (code === "NOT_PAIRED") {
    return new GatewayError("GATEWAY_REFUSED", `The gateway does not let this command in: ${message}`, {
      hint: "Its token is in state/gateway-token of the data directory. Does mom run on another one, or was the file changed?",
      cause: fault,
    });
  }
  return new GatewayError("GATEWAY_CALL_FAILED", `${code}: ${message}`, {
    hint: hintOf(details) ?? usualHints[code],
    retryable,
    cause: fault,
  });
}

/** Where the gateway itself says nothing better. */
const usualHints: Record<Exclude<ErrorCode, "NOT_PAIRED">, string> = {
  NOT_FOUND: "Look up what there is: `mom devices list`, `mom sessions list`, `mom channels list`.",
  INVALID_REQUEST: "`mom gateway schema` says what a method takes.",
  FORBIDDEN: "Who calls lacks the right; `mom devices list` shows who holds which.",
  NOT_LINKED: "`mom channels status` says what is missing.",
  AGENT_TIMEOUT: "The turn goes on; `mom sessions show` has its answer later.",
  UNAVAILABLE: "Try again in a moment; `mom logs tail` says more.",
};

const hintOf = (details: unknown): string | undefined =>
  typeof details === "object" && details !== null && "hint" in details && typeof details.hint === "string"
    ? details.hint
    : undefined;

function buildUnreachable(last: ProtocolError | undefined): GatewayError {
  return new GatewayError("GATEWAY_UNREACHABLE", `The gateway does not answer${last ? `: ${last.message}` : "."}`, {
    hint: "`mom gateway status` and `mom logs tail` say more; a firewall on this machine may be in the way.",
    retryable: true,
  });
}

async function lookUp(dataDir: string) {
  const search = await findGateway(dataDir);
  if (search.type === "found") return search;
  throw new GatewayFault({ code: "UNAVAILABLE", message: "No mom listens on the data directory.", retryable: true });
}

const toSocketUrl = (url: string): string => {
  const socketUrl = new URL("/ws", url);
  socketUrl.protocol = socketUrl.protocol === "https:" ? "wss:" : "ws:";
  return socketUrl.href;
};
