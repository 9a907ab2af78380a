/**
 * A client of the gateway's protocol that knows nothing of mom: a WebSocket, JSON, and the schema that the server itself gives.
 * What the server says and the schema does not know is written down in `problems`.
 */
import { createHash, webcrypto } from "node:crypto";
import { Compile, type Validator } from "typebox/schema";

/** Where the server is and what lets one in. */
export interface Address {
  /** `ws://127.0.0.1:18800/ws` */
  url: string;
  token: string;
}

export type Json = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: frames of any kind, looked at by checks.
export type Frame = any;

/** JSON Schema, as far as the generator of bad calls looks into it. */
export interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  anyOf?: Schema[];
}

/** What `gateway.schema` gives. */
export interface Protocol {
  protocol: number;
  frames: Record<string, Schema>;
  methods: Record<string, { summary: string; needs: string; params: Schema; result: Schema }>;
  events: Record<string, { summary: string; needs: string; ofSession: boolean; payload: Schema }>;
  errorCodes: string[];
}

export interface Stranger {
  /** All that came. */
  frames: Frame[];
  problems: string[];
  /** A text as it is, anything else as JSON. */
  send(frame: unknown): void;
  /** The first that came or will come and was not taken yet. Rejects when the connection ends first, or nothing comes. */
  next(isIt?: (frame: Frame) => boolean): Promise<Frame>;
  /** The response. */
  call(method: string, params?: unknown): Promise<Frame>;
  closed: Promise<number>;
  close(): void;
}

export interface Visitor extends Stranger {
  hello: Frame;
}

const patienceMs = 10_000;

export async function dial({ url }: Address, checker?: Checker): Promise<Stranger> {
  const socket = new WebSocket(url);
  const frames: Frame[] = [];
  const untaken: Frame[] = [];
  const problems: string[] = [];
  const waiting = new Set<{ isIt(frame: Frame): boolean; resolve(frame: Frame): void; reject(error: Error): void }>();
  const over = Promise.withResolvers<number>();
  let lastId = 0;
  socket.addEventListener("message", ({ data }) => {
    const frame: Frame = JSON.parse(String(data));
    frames.push(frame);
    problems.push(...(checker?.findProblems(frame) ?? []));
    for (const waiter of waiting) if (waiter.isIt(frame)) return waiter.resolve(frame);
    untaken.push(frame);
  });
  socket.addEventListener("close", ({ code }) => {
    for (const { reject } of waiting) reject(new Error(`closed with ${code}`));
    over.resolve(code);
  });
  const opened = Promise.withResolvers<void>();
  socket.addEventListener("open", () => opened.resolve());
  socket.addEventListener("error", () => opened.reject(new Error(`${url} cannot be reached`)));
  await opened.promise;

  const send = (frame: unknown) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  const next: Stranger["next"] = (isIt = () => true) => {
    const at = untaken.findIndex(isIt);
    if (at >= 0) return Promise.resolve(untaken.splice(at, 1)[0]);
    const came = Promise.withResolvers<Frame>();
    const waiter = { isIt, resolve: came.resolve, reject: came.reject };
    const timer = setTimeout(() => came.reject(new Error("nothing came")), patienceMs);
    waiting.add(waiter);
    const forget = () => {
      waiting.delete(waiter);
      clearTimeout(timer);
    };
    came.promise.then(forget, forget);
    return came.promise;
  };
  return {
    frames,
    problems,
    send,
    next,
    call(method, params) {
      const id = `r${++lastId}`;
      send({ id, type: "request", method, ...(params !== undefined && { params }) });
      return next((frame) => frame.type === "response" && frame.id === id);
    },
    closed: over.promise,
    close: () => socket.close(),
  };
}

export const buildHello = (auth?: object, more: object = {}) => ({
  type: "hello",
  minProtocol: 1,
  maxProtocol: 1,
  client: { id: "protocol-suite", version: "1", platform: "any", mode: "app" },
  ...(auth && { auth }),
  ...more,
});

/** With the token. */
export async function enter(address: Address, checker?: Checker, more?: object): Promise<Visitor> {
  const stranger = await dial(address, checker);
  stranger.send(buildHello({ token: address.token }, more));
  return { ...stranger, hello: await stranger.next() };
}

export interface Device {
  id: string;
  publicKey: { x: string; y: string };
  sign(text: string): Promise<string>;
}

export async function createDevice(): Promise<Device> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { privateKey, publicKey } = await webcrypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const { x = "", y = "" } = await webcrypto.subtle.exportKey("jwk", publicKey);
  const coordinates = Buffer.concat([Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
  return {
    id: createHash("sha256").update(coordinates).digest("base64url"),
    publicKey: { x, y },
    async sign(text) {
      const signature = await webcrypto.subtle.sign({ ...algorithm, hash: "SHA-256" }, privateKey, Buffer.from(text));
      return Buffer.from(signature).toString("base64url");
    },
  };
}

/** Both hellos of a device; `hello` is the answer to the second. Without a code it asks to be let in. */
export async function enterAs(
  address: Address,
  device: Device,
  claim: { code?: string; role?: string; scopes?: string[] },
  checker?: Checker,
  more?: object,
): Promise<Visitor> {
  const stranger = await dial(address, checker);
  const said = { id: device.id, publicKey: device.publicKey, ...claim };
  stranger.send(buildHello({ device: said }, more));
  const { nonce } = await stranger.next(({ type }) => type === "challenge");
  const signature = await device.sign(["mom-gateway-v1", nonce, device.id, "", claim.code ?? ""].join("\n"));
  stranger.send(buildHello({ device: { ...said, signature } }, more));
  return { ...stranger, hello: await stranger.next() };
}

export interface Checker {
  protocol: Protocol;
  fits(schema: Schema, value: unknown): boolean;
  /** What of a frame of the server the schema does not know. */
  findProblems(frame: Frame): string[];
}

export function createChecker(protocol: Protocol): Checker {
  const compiled = new Map<Schema, Validator>();
  const fits = (schema: Schema, value: unknown) => {
    const validator = compiled.get(schema) ?? Compile(schema as object);
    compiled.set(schema, validator);
    return validator.Check(value);
  };
  return {
    protocol,
    fits,
    findProblems(frame) {
      const shown = JSON.stringify(frame).slice(0, 300);
      const schema = protocol.frames[frame.type];
      if (!schema || !fits(schema, frame)) return [`no frame of the schema: ${shown}`];
      if (frame.type !== "event") return [];
      const event = protocol.events[frame.event];
      return event && fits(event.payload, frame.payload) ? [] : [`no event of the schema: ${shown}`];
    },
  };
}

/** Asks the server for its schema. */
export async function learn(address: Address): Promise<Checker> {
  const visitor = await enter(address);
  const { result } = await visitor.call("gateway.schema", {});
  visitor.close();
  return createChecker(result as Protocol);
}
