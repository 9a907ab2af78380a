/**
 * The one connection of this page to mom: always to where the page itself came from, never to an address out of a link.
 * Pages read the signals, `call` methods, listen with `onEvent`, and load what they show with `useCall`.
 */
import { batch, computed, effect, signal } from "@preact/signals";
import {
  type Auth,
  type CallOptions,
  type ClientState,
  createGatewayClient,
  type GatewayClient,
} from "../src/gateway/client/index.ts";
import {
  type EventFrame,
  type EventName,
  GatewayFault,
  type HelloOk,
  isMethodName,
  type MethodName,
  mayCall,
  methodSpecs,
  type Params,
  type Payload,
  type ProtocolError,
  type Result,
} from "../src/gateway/protocol/index.ts";
import { type DeviceKey, hasDeviceKeys, loadDeviceKey } from "./device-key.ts";

declare const MOM_VERSION: string;

export type ConnectionState =
  | { type: "connecting" }
  | { type: "ready" }
  /** The connection dropped, or mom asked to wait; the page stays as it is meanwhile. `retryAt`: of `Date.now()`. */
  | { type: "lost"; retryAt: number; error?: ProtocolError }
  /** Somebody must let this browser in. */
  | { type: "approval"; requestId: string }
  | { type: "refused"; error: ProtocolError }
  /** Token or password are asked for. `error`: those given before were wrong. */
  | { type: "login"; error?: ProtocolError };

export const state = signal<ConnectionState>({ type: "connecting" });
const hello = signal<HelloOk | undefined>(undefined);

/** Who mom takes us for. */
export const identity = computed(() => hello.value?.identity);
export const snapshot = computed(() => hello.value?.snapshot);
export const server = computed(() => hello.value?.server);

/** The methods that exist and that we may call. */
export const features = computed<ReadonlySet<MethodName>>(() => {
  const known = hello.value;
  if (!known) return new Set();
  const names = known.features.methods.filter(isMethodName);
  return new Set(names.filter((name) => mayCall(known.identity, methodSpecs[name].needs)));
});
export const can = (method: MethodName): boolean => features.value.has(method);

/** Counts up each time that events were lost: what is shown must be loaded anew. */
export const generation = signal(0);

/** A code was tried to get in with, and mom did not take it. */
export const wasCodeRefused = signal(false);

interface Live {
  client: GatewayClient;
  key: DeviceKey | undefined;
  /** Lives as long as the tab. */
  typed: { token: string } | { password: string } | undefined;
  code: string | undefined;
}

const live: { value: Live | undefined } = { value: undefined };
const handlers = new Map<string, Set<(frame: EventFrame) => void>>();
/** How many parts of the page follow each session. */
const followed = signal<ReadonlyMap<string, number>>(new Map());
const logFollowers = signal(0);

/** Called once, by main.tsx. */
export async function startConnection(): Promise<void> {
  const code = takeCode();
  const key = hasDeviceKeys() ? await loadDeviceKey() : undefined;
  const own: Live = { client: createClient(), key, typed: undefined, code };
  live.value = own;
  if (key) own.client.start();
  else state.value = { type: "login" };
  effect(() => own.client.follow([...followed.value.keys()], logFollowers.value > 0));
  addEventListener("online", () => own.client.start());
}

/** The code of the printed link is used once and does not stay in the address bar or the browser's history. */
function takeCode(): string | undefined {
  const code = /^#code=([\w-]{1,64})$/.exec(location.hash)?.[1];
  if (location.hash.startsWith("#code=")) {
    history.replaceState(null, "", location.pathname);
    wasCodeRefused.value = code === undefined;
  }
  return code;
}

function createClient(): GatewayClient {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return createGatewayClient({
    url: `${scheme}://${location.host}/ws`,
    hello: {
      client: {
        id: "mom-web",
        displayName: describeBrowser(navigator.userAgent),
        version: MOM_VERSION,
        platform: navigator.platform.slice(0, 64) || "browser",
        mode: "web",
      },
      getAuth,
    },
    onState,
    onEvent: (frame) => {
      for (const handler of handlers.get(frame.event) ?? []) handler(frame);
    },
    onGap: () => {
      generation.value += 1;
    },
    onDeviceToken: (token) => {
      if (live.value) live.value.code = undefined;
      live.value?.key?.saveToken(token);
    },
    onProblem: (problem) => console.warn(`mom sent ${problem}`),
  });
}

async function getAuth(): Promise<Auth | undefined> {
  const own = live.value;
  if (own?.typed) return own.typed;
  if (!own?.key) return undefined;
  const { key, code } = own;
  const proof = key.token !== undefined ? { token: key.token } : code !== undefined ? { code } : {};
  const wanted = { role: "operator" as const, scopes: ["admin" as const] };
  return {
    device: { id: key.id, publicKey: key.publicKey, ...wanted, ...proof, sign: (text) => key.sign(text) },
  };
}

function onState(next: ClientState): void {
  if (next.type === "open") onOpen(next.hello);
  else if (next.type === "refused") onRefused(next.error);
  else if (next.type === "waiting") {
    state.value = { type: "lost", retryAt: next.retryAt, ...(next.error && { error: next.error }) };
  }
  // While it tries again nothing changes on the screen; it does when that ends.
  else if (next.type === "connecting" && hello.peek() === undefined && state.peek().type !== "approval") {
    state.value = { type: "connecting" };
  }
}

function onOpen(next: HelloOk): void {
  batch(() => {
    hello.value = next;
    wasCodeRefused.value = false;
    state.value = { type: "ready" };
  });
}

function onRefused(error: ProtocolError): void {
  const own = live.value;
  const requestId = requestIdOf(error);
  if (requestId !== undefined) {
    state.value = { type: "approval", requestId };
    return;
  }
  if (own?.typed) {
    own.typed = undefined;
    state.value = { type: "login", error };
    return;
  }
  if (own?.key?.token !== undefined && error.code === "NOT_PAIRED") {
    // The trust was taken back, or mom has lost it. Asking again as a stranger is all that is left.
    void own.key.saveToken(undefined).then(() => own.client.start());
    return;
  }
  if (own?.code !== undefined) {
    // With a token the code was not even looked at.
    wasCodeRefused.value = own.key?.token === undefined;
    own.code = undefined;
    own.client.start();
    return;
  }
  state.value = { type: "refused", error };
}

function requestIdOf({ details }: ProtocolError): string | undefined {
  if (typeof details !== "object" || details === null || !("requestId" in details)) return undefined;
  return typeof details.requestId === "string" ? details.requestId : undefined;
}

/** With the gateway's token or password, for this tab only. */
export function login(typed: { token: string } | { password: string }): void {
  if (!live.value) return;
  live.value.typed = typed;
  state.value = { type: "connecting" };
  live.value.client.start();
}

export function showLogin(): void {
  state.value = { type: "login" };
}

export function reconnect(): void {
  live.value?.client.start();
}

/** Rejects with a `GatewayFault`. */
export function call<Name extends MethodName>(
  method: Name,
  params: Params<Name>,
  options?: CallOptions,
): Promise<Result<Name>> {
  const client = live.value?.client;
  if (!client) return Promise.reject(new GatewayFault({ code: "UNAVAILABLE", message: "not connected yet" }));
  return client.call(method, params, options);
}

/** The result ends it. */
export function onEvent<Name extends EventName>(
  name: Name,
  handler: (payload: Payload<Name>, frame: EventFrame) => void,
): () => void {
  // The client has held the payload against the event's schema.
  const wrapped = (frame: EventFrame) => handler((frame.payload ?? {}) as Payload<Name>, frame);
  const all = handlers.get(name) ?? new Set();
  handlers.set(name, all.add(wrapped));
  return () => all.delete(wrapped);
}

/** Be sent the events of a session until the result is called. */
export function followSession(sessionKey: string): () => void {
  countFollowers(sessionKey, 1);
  return () => countFollowers(sessionKey, -1);
}

function countFollowers(sessionKey: string, by: number): void {
  const next = new Map(followed.peek());
  const count = (next.get(sessionKey) ?? 0) + by;
  if (count > 0) next.set(sessionKey, count);
  else next.delete(sessionKey);
  followed.value = next;
}

/** Be sent the lines of the log until the result is called. */
export function followLogs(): () => void {
  logFollowers.value += 1;
  return () => {
    logFollowers.value -= 1;
  };
}

/** For `idempotencyKey`: make one per thing that a person does, and use it again when that is tried again. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What went wrong, for a person. */
export function describeError(error: unknown): string {
  if (error instanceof GatewayFault && error.code === "FORBIDDEN") return `Not allowed: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

function describeBrowser(agent: string): string {
  const browser = /Firefox|Edg|OPR|Chrome|Safari/.exec(agent)?.[0] ?? "Browser";
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux/.exec(agent)?.[0];
  const name = { Edg: "Edge", OPR: "Opera" }[browser] ?? browser;
  return system ? `${name} on ${system.replace("Mac OS X", "macOS")}` : name;
}
