/**
 * Is mom alive, is she ready, how is she doing. The first two are open to everybody who can reach the port, so they tell
 * nothing of the house; the numbers are for operators who may read.
 */
import { within } from "../../base/within.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Route } from "../parts.ts";
import { collectMetrics, type MetricsDeps } from "./collect-metrics.ts";
import { formatMetrics, metricsType } from "./prometheus.ts";
import { sendJson } from "./send-json.ts";

export interface HealthDeps extends MetricsDeps {
  clock: Clock;
}

type Readiness = { status: "ready" } | { status: "not ready"; reason: "starting" | "store" };

/** However often strangers ask, the house is asked this often. */
const askEveryMs = 1_000;
const answerWithinMs = 2_000;

export function createHealthRoutes(deps: HealthDeps): Route[] {
  const askReadiness = createReadiness(deps);
  return [
    {
      method: "GET",
      path: "/healthz",
      auth: "none",
      async handle({ response }) {
        sendJson(response, 200, { status: "ok" });
      },
    },
    {
      method: "GET",
      path: "/readyz",
      auth: "none",
      async handle({ response }) {
        const readiness = await askReadiness();
        const isReady = readiness.status === "ready";
        sendJson(response, isReady ? 200 : 503, readiness, isReady ? {} : { "retry-after": "1" });
      },
    },
    {
      method: "GET",
      path: "/metrics",
      auth: { bearer: "read" },
      async handle({ response }) {
        const text = formatMetrics(await collectMetrics(deps));
        response.writeHead(200, { "content-type": metricsType, "cache-control": "no-store" });
        response.end(text);
      },
    },
  ];
}

/** The house's status needs its database: one that does not answer is not ready, whatever it was before. */
function createReadiness({ house, clock }: HealthDeps): () => Promise<Readiness> {
  let asked: { at: number; answer: Promise<Readiness> } | undefined;
  const ask = async (): Promise<Readiness> => {
    const status = house.status().then((): Readiness => ({ status: "ready" }));
    return within<Readiness>(clock, answerWithinMs, status, () => ({ status: "not ready", reason: "store" }));
  };
  return async () => {
    if (!house.isReady()) return { status: "not ready", reason: "starting" };
    const now = clock.monotonic();
    if (!asked || now - asked.at >= askEveryMs) asked = { at: now, answer: ask() };
    return asked.answer;
  };
}
