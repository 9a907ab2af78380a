/**
 * A request to a model from beginning to end: through the auth profiles of its provider, one after the other, until one
 * answers (spec 4.2). Stands between the port (`create-models.ts`) and the tries with one credential (`ask-in-place.ts`).
 */
import { AuthError, errorText } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { AssistantMessage, ModelEvent, ModelFailure, ModelRequest, ModelStream } from "../contracts/model.ts";
import { askInPlace, type InPlaceCall, type InPlaceEnd, toFailure } from "./ask-in-place.ts";
import { buildCoolingFailure, buildKeyFileFailure, buildNoKeyFailure } from "./auth/failures.ts";
import type { OrderedProfile } from "./auth/order-profiles.ts";
import { pickMostTelling } from "./auth/pick-most-telling.ts";
import type { ProfilePool } from "./auth/profile-pool.ts";
import { createEventQueue } from "./event-queue.ts";
import { buildFailedMessage } from "./failed-message.ts";
import { buildAbortedFailure, classifyFailure } from "./failure.ts";
import type { Provider } from "./provider.ts";
import { longestWaitMs } from "./retry-policy.ts";

export interface AskDeps {
  clock: Clock;
  log: Log;
  pool: ProfilePool;
  /** The provider of the request's model; rejects when it cannot be had. */
  load(): Promise<Provider>;
  /** What to do when a credential is needed and there is none. */
  explainNoKey(): Promise<string>;
}

export interface AskSettings {
  timeoutMs: number;
  retries: number;
  /** `never`: the offline model. `optional`: sent where there is one. `needed`: nothing is sent without one. */
  credential: "never" | "optional" | "needed";
  /** The keys themselves are to be tested: cooldowns are passed over, and a call that fails leaves no mark. */
  isProbe: boolean;
}

type Answer = Awaited<ReturnType<ModelStream["result"]>>;

interface Run extends AskDeps {
  settings: AskSettings;
  request: ModelRequest;
  provider: Provider;
  emit(event: ModelEvent): void;
}

/** Starts at once, whether or not anyone reads the events. `done` is the last event of an answer; a failure has none. */
export function askWithProfiles(deps: AskDeps, settings: AskSettings, request: ModelRequest): ModelStream {
  const events = createEventQueue<ModelEvent>();
  const answer = start(deps, settings, request, (event) => events.push(event))
    .catch((error: unknown) => buildCrashAnswer(deps, request, error))
    .finally(() => events.end());
  return {
    [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
    result: () => answer,
  };
}

async function start(
  deps: AskDeps,
  settings: AskSettings,
  request: ModelRequest,
  emit: (event: ModelEvent) => void,
): Promise<Answer> {
  const run: Run = { ...deps, settings, request, emit, provider: await deps.load() };
  if (request.signal.aborted) return toAnswer(run, { type: "aborted" });
  const profiles = settings.credential === "never" ? [] : await pickProfiles(run);
  if (profiles.length > 0) return rotate(run, profiles);
  if (settings.credential !== "needed") return toAnswer(run, await tryWith(run));
  return toFailedAnswer(run, buildNoKeyFailure(request.model.ref, await deps.explainNoKey()));
}

async function pickProfiles({ pool, request, settings }: Run): Promise<OrderedProfile[]> {
  const { provider, id } = request.model;
  const ordered = await pool.order({ provider, model: id, preferred: request.preferredProfile });
  return settings.isProbe ? ordered.map((profile) => ({ ...profile, readyAt: 0 })) : ordered;
}

/** Each profile once. Only what happened before the first word, and only what another key may cure, leads to the next. */
async function rotate(run: Run, profiles: readonly OrderedProfile[]): Promise<Answer> {
  const { request, clock } = run;
  const failures: ModelFailure[] = [];
  let last: { from: string; failure: ModelFailure } | undefined;
  for (const [index, profile] of profiles.entries()) {
    const waitMs = profile.readyAt - clock.now();
    if (waitMs > longestWaitMs) break;
    if (waitMs > 0) await clock.sleep(waitMs, request.signal).catch(() => undefined);
    if (request.signal.aborted) return toAnswer(run, { type: "aborted" });
    if (last !== undefined) tellRotation(run, { ...last, to: profile.id });
    const isOtherReady = () => profiles.slice(index + 1).some(({ readyAt }) => readyAt <= clock.now());
    const end = await tryProfile(run, profile, isOtherReady);
    if (end.type !== "failed" || end.hasBegun || end.failure.rule !== "rotate") {
      return { ...toAnswer(run, end), profile: profile.id };
    }
    failures.push(end.failure);
    last = { from: profile.id, failure: end.failure };
  }
  const telling = pickMostTelling(failures);
  return toFailedAnswer(run, telling ?? buildCoolingFailure(request.model.ref, profiles, clock.now()));
}

async function tryProfile(run: Run, profile: OrderedProfile, isOtherReady: () => boolean): Promise<InPlaceEnd> {
  const { pool, request, settings } = run;
  const ready = await untilAborted(pool.prepare(profile), request.signal);
  if (ready === undefined) return { type: "aborted" };
  if (ready.type === "failed") {
    // Marked where it happened, under the lock that the renewal held. Whatever it was, another key may not need renewing.
    return { type: "failed", failure: { ...toFailure(ready.facts, run).failure, rule: "rotate" }, hasBegun: false };
  }
  if (!settings.isProbe) pool.noteUse(profile);
  const end = await tryWith(run, { credential: ready.credential, isOtherReady });
  const { id } = request.model;
  if (end.type === "done") await pool.succeeded(profile, id, { isProbe: settings.isProbe });
  // Once it has begun to answer the key is good: what broke off was the connection.
  if (end.type === "failed" && !end.hasBegun && !settings.isProbe) await pool.failed(profile, end.failure, id);
  return end;
}

function tryWith(run: Run, key?: Pick<InPlaceCall, "credential" | "isOtherReady">): Promise<InPlaceEnd> {
  const { clock, log, emit, provider, request, settings } = run;
  const { timeoutMs, retries } = settings;
  return askInPlace({ clock, log, emit }, { provider, request, timeoutMs, retries, ...key });
}

function tellRotation(run: Run, rotation: { from: string; to: string; failure: ModelFailure }): void {
  const { from, to, failure } = rotation;
  const facts = { model: run.request.model.ref, from, to, reason: failure.reason, detail: failure.detail };
  run.log.warn("a key failed, trying the next", facts);
  try {
    run.request.onRotate?.(rotation);
  } catch (error) {
    run.log.error("the listener for key rotation failed", { error });
  }
}

/** Undefined when the signal aborts first; the work goes on without us. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let onAbort = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    work.catch(() => undefined);
  }
}

function toAnswer(run: Run, end: InPlaceEnd): Answer {
  if (end.type === "done") return { message: end.message };
  const failure = end.type === "aborted" ? buildAbortedFailure(run.request.model.ref) : end.failure;
  return toFailedAnswer(run, failure, end.partial);
}

function toFailedAnswer(run: Run, failure: ModelFailure, partial?: AssistantMessage): Answer {
  const { request, provider, clock, log } = run;
  if (failure.reason !== "aborted") {
    log.info("model call failed", { model: request.model.ref, reason: failure.reason, detail: failure.detail });
  }
  const call = { model: request.model, api: provider.api, failure, nowMs: clock.now() };
  return { message: buildFailedMessage(call, partial), failure };
}

/** A bug, a provider or a key file that could not be loaded: told like any other failure, because a stream never throws. */
function buildCrashAnswer(deps: AskDeps, request: ModelRequest, error: unknown): Answer {
  const { ref, provider } = request.model;
  deps.log.error("a model could not be asked", { model: ref, error });
  const failure =
    error instanceof AuthError
      ? buildKeyFileFailure(ref, error)
      : classifyFailure({ text: errorText(error) }, { ref, secrets: [] }).failure;
  const call = { model: request.model, api: provider, failure, nowMs: deps.clock.now() };
  return { message: buildFailedMessage(call, undefined), failure };
}
