/** The real app with its gateway on a free port, and operators that talk to it through the typed client. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import JSON5 from "json5";
import type { App } from "../../src/app/index.ts";
import { createGatewayClient, type GatewayClient } from "../../src/gateway/client/index.ts";
import type { EventFrame, EventName, Payload } from "../../src/gateway/protocol/index.ts";
import { createWorld, type World, waitFor } from "./world.ts";

export interface GatewayWorld extends World {
  token(): Promise<string>;
  /** An operator with the token, connected. */
  connect(app: App, options?: { follow?: "all" | string[] }): Promise<Operator>;
}

export interface Operator extends GatewayClient {
  events: EventFrame[];
  gaps: number;
  /** Payloads of the events of this name so far. */
  told<Name extends EventName>(name: Name): Payload<Name>[];
  /** Resolves when the turn is over. */
  ended(turnId: string): Promise<Payload<"chat.end">>;
  whenOpen(): Promise<void>;
}

export const mainKey = "agent:main:main";
let lastKey = 0;
export const newKey = () => `key-${String(++lastKey).padStart(8, "0")}`;

export async function createGatewayWorld(
  t: TestContext,
  options: Parameters<typeof createWorld>[0] = {},
): Promise<GatewayWorld> {
  const config = { gateway: { port: 0, http: { openai: true } }, ...options.config };
  const world = await createWorld({ ...options, config });
  const operators: GatewayClient[] = [];
  t.after(async () => {
    for (const operator of operators) operator.stop();
    await world.close();
  });
  const token = () => readFile(join(world.dataDir, "state", "gateway-token"), "utf8").then((text) => text.trim());
  return {
    ...world,
    token,
    async connect(app, { follow = "all" } = {}) {
      const operator = createOperator(`${app.url?.replace("http", "ws")}/ws`, token);
      operators.push(operator);
      operator.follow(follow);
      operator.start();
      await operator.whenOpen();
      return operator;
    },
  };
}

function createOperator(url: string, getToken: () => Promise<string>): Operator {
  const events: EventFrame[] = [];
  const client = createGatewayClient({
    url,
    hello: {
      client: { id: "test", version: "0", platform: "test", mode: "app" },
      getAuth: async () => ({ token: await getToken() }),
    },
    onState: () => undefined,
    onEvent: (frame) => void events.push(frame),
    onGap: () => void operator.gaps++,
    onProblem(problem) {
      throw new Error(problem);
    },
  });
  const told = <Name extends EventName>(name: Name) =>
    events.filter(({ event }) => event === name).map(({ payload }) => payload as Payload<Name>);
  const operator: Operator = Object.assign(Object.create(client) as GatewayClient, {
    events,
    gaps: 0,
    told,
    async ended(turnId: string) {
      let found: Payload<"chat.end"> | undefined;
      await waitFor(() => {
        found = told("chat.end").find((end) => end.turnId === turnId);
        return found !== undefined;
      });
      if (!found) throw new Error("unreachable");
      return found;
    },
    whenOpen: () => waitFor(() => client.state.type === "open"),
  });
  return operator;
}

/** What the config in use says, read from its file. */
export async function readConfigValue(world: Pick<World, "read">, path: string): Promise<unknown> {
  let value: unknown = JSON5.parse(await world.read("config.json"));
  for (const key of path.split(".")) value = Reflect.get(Object(value), key);
  return value;
}
