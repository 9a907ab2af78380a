/** The real gateway on loopback with the house of tests behind it, and strangers who knock: sockets, requests, devices with keys. */
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type ClientOptions, WebSocket } from "ws";
import type { Gateway } from "../../src/contracts/gateway.ts";
import { createGateway, type GatewayDeps } from "../../src/gateway/create-gateway.ts";
import { createInside } from "../../src/gateway/create-inside.ts";
import { gatewayConfig } from "../../src/gateway/index.ts";
import { type HelloOk, type ProtocolError, signedText } from "../../src/gateway/protocol/index.ts";
import { createFakeClock, type FakeClock } from "./clock.ts";
import { createGatewayHouse, type FakeGatewayHouse } from "./gateway-house.ts";
import { createRecordingLog } from "./log.ts";

export interface GatewayRig {
  gateway: Gateway;
  clock: FakeClock;
  house: FakeGatewayHouse;
  log: ReturnType<typeof createRecordingLog>;
  stateDir: string;
  url: string;
  port: number;
  token: string;
  /** Connects and waits until the WebSocket is open. Rejects where it is refused. */
  dial(options?: ClientOptions): Promise<TestSocket>;
  /** The same, and says hello with this; undefined: the gateway's token. */
  enter(auth?: object, more?: object): Promise<TestSocket & { hello: HelloOk }>;
  /** The status of the answer to an upgrade that is refused. */
  dialStatus(options: ClientOptions & { path?: string }): Promise<number>;
  ask(path: string, options?: AskOptions): Promise<HttpAnswer>;
  /** A plain connection, for what no client would send. */
  connect(): Promise<Socket>;
}

export interface AskOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

// biome-ignore lint/suspicious/noExplicitAny: frames of any kind, looked at by tests.
export type AnyFrame = any;

export interface TestSocket {
  socket: WebSocket;
  /** All that came. */
  frames: AnyFrame[];
  send(frame: unknown): void;
  hello(auth: object | undefined, more?: object): void;
  /** The first that came or will come and is not taken yet. Rejects when the socket closes first. */
  next(isIt?: (frame: AnyFrame) => boolean): Promise<AnyFrame>;
  call(method: string, params?: object): Promise<AnyFrame>;
  closed: Promise<{ code: number; reason: string }>;
}

/** `isBare`: as the house has it. `startMs`: what the clock says at first. */
type RigOptions = { config?: object; isBare?: boolean; startMs?: number } & Partial<
  Pick<GatewayDeps, "uiDir" | "httpTimes" | "loadDiscovery">
>;

export async function createGatewayRig(test: TestContext, options: RigOptions = {}): Promise<GatewayRig> {
  const { config, uiDir, isBare = false, startMs, ...more } = options;
  const clock = createFakeClock(startMs);
  const house = await createGatewayHouse(test, { clock, isBare });
  const log = createRecordingLog();
  const stateDir = join(house.folder.dir, "state");
  const loadInside = async () => createInside;
  const deps = { house: house.house, clock, log, stateDir, uiDir, loadInside, ...more };
  const gateway = createGateway(deps, gatewayConfig.parse({ port: 0, ...config }));
  const { url } = await gateway.start();
  // Somebody was there: from now on it is told of everything.
  await fetch(`${url}/healthz`, { headers: { connection: "close" } });
  house.watch = gateway.watch;
  test.after(() => stopNow(gateway, clock));
  const port = Number(new URL(url).port);
  const token = (await readFile(join(stateDir, "gateway-token"), "utf8")).trim();
  const address = (path = "/ws") => `ws://127.0.0.1:${port}${path}`;
  const dial = async (options?: ClientOptions) => {
    const socket = new WebSocket(address(), { perMessageDeflate: false, ...options });
    test.after(() => socket.terminate());
    const dialled = watchSocket(socket);
    await once(socket, "open");
    return dialled;
  };
  return {
    gateway,
    clock,
    house,
    log,
    stateDir,
    url,
    port,
    token,
    dial,
    async enter(auth = { token }, more) {
      const dialled = await dial();
      dialled.hello(auth, more);
      const hello = await dialled.next();
      if (hello.type !== "hello-ok")
        throw Object.assign(new Error("not let in"), { error: hello.error as ProtocolError });
      return { ...dialled, hello };
    },
    dialStatus: ({ path, ...options }) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(address(path), options);
        test.after(() => socket.terminate());
        socket.on("unexpected-response", (_request, response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        socket.on("open", () => resolve(101));
        socket.on("error", reject);
      }),
    ask: (path, options) => ask(port, path, options),
    async connect() {
      const socket = connect(port, "127.0.0.1");
      test.after(() => socket.destroy());
      socket.on("error", () => undefined);
      await once(socket, "connect");
      return socket;
    },
  };
}

/** Clients that do not say goodbye are not waited for. */
export async function stopNow(gateway: Gateway, clock: FakeClock): Promise<void> {
  const stopped = gateway.stop("The test is over");
  await clock.advance(2_000);
  await stopped;
}

function watchSocket(socket: WebSocket): TestSocket {
  const frames: AnyFrame[] = [];
  const untaken: AnyFrame[] = [];
  const waiting = new Set<{ isIt(frame: AnyFrame): boolean; resolve(frame: AnyFrame): void; reject(e: Error): void }>();
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on("close", (code, reason) => {
      for (const { reject } of waiting) reject(new Error(`closed with ${code} ${reason}`));
      resolve({ code, reason: String(reason) });
    });
  });
  socket.on("error", () => undefined);
  socket.on("message", (data) => {
    const frame = JSON.parse(String(data));
    frames.push(frame);
    for (const waiter of waiting) {
      if (!waiter.isIt(frame)) continue;
      waiting.delete(waiter);
      return waiter.resolve(frame);
    }
    untaken.push(frame);
  });
  const next: TestSocket["next"] = (isIt = () => true) => {
    const index = untaken.findIndex(isIt);
    if (index >= 0) return Promise.resolve(untaken.splice(index, 1)[0]);
    if (socket.readyState === WebSocket.CLOSED) return Promise.reject(new Error("closed"));
    return new Promise((resolve, reject) => waiting.add({ isIt, resolve, reject }));
  };
  const send = (frame: unknown) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  return {
    socket,
    frames,
    send,
    hello: (auth, more) => send(buildHello(auth, more)),
    next,
    call(method, params) {
      const id = randomUUID();
      send({ id, type: "request", method, ...(params && { params }) });
      return next((frame) => frame.type === "response" && frame.id === id);
    },
    closed,
  };
}

export const buildHello = (auth: object | undefined, more: object = {}) => ({
  type: "hello",
  minProtocol: 1,
  maxProtocol: 1,
  client: { id: "test", displayName: "A test", version: "1", platform: "node", mode: "cli" },
  ...(auth && { auth }),
  ...more,
});

function ask(port: number, path: string, { method = "GET", headers = {}, body }: AskOptions = {}): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

export interface TestDevice {
  id: string;
  publicKey: { x: string; y: string };
  /** `id`: of another one, to lie. */
  sign(nonce: string, claim?: { id?: string; token?: string; code?: string }): string;
}

export function createDevice(): TestDevice {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const hash = createHash("sha256").update(Buffer.from(x, "base64url")).update(Buffer.from(y, "base64url"));
  const id = hash.digest("base64url");
  return {
    id,
    publicKey: { x, y },
    sign(nonce, claim) {
      const text = Buffer.from(signedText(nonce, { id, ...claim }));
      return sign("sha256", text, { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url");
    },
  };
}

/** Both hellos of a device, as a well-behaved client says them. Gives the answer to the second. */
export async function enterAs(
  { dial }: Pick<GatewayRig, "dial">,
  device: TestDevice,
  claim: { token?: string; code?: string } = {},
  wish: object = {},
): Promise<TestSocket & { answer: AnyFrame }> {
  const dialled = await dial();
  const said = { id: device.id, publicKey: device.publicKey, ...claim, ...wish };
  dialled.hello({ device: said });
  const { nonce } = await dialled.next((frame) => frame.type === "challenge");
  dialled.hello({ device: { ...said, signature: device.sign(nonce, claim) } });
  const answer = await dialled.next();
  return { ...dialled, answer };
}
