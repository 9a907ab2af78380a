/** Mom's OpenAI API on loopback with a house whose turns the test plays, and the official client that talks to it. */
import type { TestContext } from "node:test";
import OpenAI from "openai";
import type { Clock } from "../../src/contracts/clock.ts";
import type { GatewayHouse, GatewayWatch } from "../../src/contracts/gateway.ts";
import { createOpenAiRoutes } from "../../src/gateway/http/openai-routes.ts";
import type { Exchange } from "../../src/gateway/parts.ts";
import { createTurnFeed, type TurnRecorder } from "../../src/gateway/turn-feed.ts";
import { createGatewayHouse, type FakeGatewayHouse } from "./gateway-house.ts";
import type { HouseTurn } from "./house-turns.ts";
import { createRecordingLog } from "./log.ts";
import { goodToken, serveRoutes } from "./route-server.ts";

export interface OpenAiStage extends FakeGatewayHouse {
  url: string;
  client: OpenAI;
  log: ReturnType<typeof createRecordingLog>;
  feed: TurnRecorder;
  /** Every session that was stopped. */
  stopped: string[];
  /** Resolves when the next request has been worked on to its end, whether somebody waits for it or not. */
  nextHandled(): Promise<void>;
}

export async function createOpenAiStage(test: TestContext, options: { clock?: Clock } = {}): Promise<OpenAiStage> {
  const fake = await createGatewayHouse(test, options);
  const { clock, store } = fake;
  const feed = createTurnFeed({ clock, store });
  fake.watch = buildWatch(feed);
  const log = createRecordingLog();
  const stopped: string[] = [];
  const { stop } = fake.house;
  const house: GatewayHouse = {
    ...fake.house,
    stop(key) {
      stopped.push(key);
      return stop(key);
    },
  };
  let handled = Promise.withResolvers<void>();
  const routes = createOpenAiRoutes({ house, feed: feed.feed, clock, log }).map((route) => ({
    ...route,
    async handle(exchange: Exchange) {
      await route.handle(exchange);
      handled.resolve();
      handled = Promise.withResolvers();
    },
  }));
  const url = await serveRoutes(test, routes);
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: goodToken, maxRetries: 0 });
  // The same object: what a test sets on it is what the house looks at.
  return Object.assign(fake, { house, url, client, log, feed, stopped, nextHandled: () => handled.promise });
}

const ignore = () => undefined;

function buildWatch({ turnEvent, sent, ended }: TurnRecorder): GatewayWatch {
  return {
    turnEvent,
    sent,
    ended,
    said: ignore,
    sessionChanged: ignore,
    approvalRequested: ignore,
    approvalResolved: ignore,
    pairingChanged: ignore,
    channelsChanged: ignore,
    configChanged: ignore,
    cronChanged: ignore,
    heartbeat: ignore,
    memoryChanged: ignore,
  };
}

/** Everything that comes, in order. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

/** A turn as it goes on a good day. */
export async function answer(turn: HouseTurn, ...deltas: string[]): Promise<void> {
  turn.stream(...deltas);
  turn.event({ type: "agent_end", stopReason: "stop" });
  await turn.end(deltas.join(""));
}
