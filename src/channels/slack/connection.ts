/**
 * Keeps a connection to Slack, for ever: the next one is opened the moment that the old one ends or announces its end, and
 * after failures with growing waits. The first one decides whether the adapter can be had at all.
 */
import { errorText } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { pickBackOffMs } from "../kit/back-off.ts";
import { type SlackFault, toSendResult } from "./fault.ts";
import type { Line, OpenedLine } from "./line.ts";
import { explainRefusal, type Refusal, toLoginError } from "./login.ts";

export interface Connection {
  /** Resolves with the first open line, or when stopped before. Rejects when Slack will not have us. */
  start(): Promise<void>;
  /** The line is open and worth nothing: another one. */
  replace(): void;
  stop(): Promise<void>;
}

export interface ConnectionDeps {
  clock: Clock;
  log: Log;
  /** Never rejects. */
  open(): Promise<OpenedLine>;
  /** `isFirst`: of this process. */
  onOpen(isFirst: boolean): void;
  /** There is none; `refusal` says what a person must do, where waiting does not help. */
  onDown(reason: string, refusal: Refusal | undefined): void;
}

/** A line that lived shorter counts as a failure to connect. */
const shortLifeMs = 5_000;
/** Between tries while a person must do something. */
const refusedWaitMs = 300_000;

const disabled: Refusal = {
  message: "Slack has switched off the connection: Socket Mode is disabled",
  fix: 'Switch on "Socket Mode" in the settings of the app.',
};

export function createConnection({ clock, log, open, onOpen, onDown }: ConnectionDeps): Connection {
  const stopped = new AbortController();
  const first = Promise.withResolvers<void>();
  let line: Line | undefined;
  let failures = 0;
  let hasBeenOpen = false;
  let running: Promise<void> | undefined;
  let replaceNow = () => {};

  const wait = (ms: number) => clock.sleep(ms, stopped.signal).catch(() => undefined);

  async function onFault(fault: SlackFault): Promise<void> {
    const error = toLoginError(fault, "app");
    if (error && !hasBeenOpen) throw error;
    failures += 1;
    const { reason } = toSendResult(fault);
    onDown(reason, explainRefusal(fault, "app"));
    log.warn("Slack is not connected; trying again", { reason, attempt: failures });
    const askedMs = fault.type === "limited" ? fault.retryAfterMs : 0;
    await wait(error ? refusedWaitMs : Math.max(askedMs, pickBackOffMs(failures)));
  }
  /** Resolves when another line is needed. */
  async function live(opened: Line): Promise<void> {
    const openedAtMs = clock.monotonic();
    const replaced = Promise.withResolvers<"replaced">();
    replaceNow = () => replaced.resolve("replaced");
    onOpen(!hasBeenOpen);
    hasBeenOpen = true;
    first.resolve();
    const end = await Promise.race([opened.over, replaced.promise]);
    if (stopped.signal.aborted) return;
    log.info("Slack's connection is over; opening the next", { end });
    failures = clock.monotonic() - openedAtMs < shortLifeMs ? failures + 1 : 0;
    if (end === "disabled") onDown(disabled.message, disabled);
    else if (end === "cut") onDown("the connection to Slack was lost", undefined);
    // The first one that ends early may be chance.
    if (failures > 1) await wait(pickBackOffMs(failures - 1));
  }
  async function keep(): Promise<void> {
    while (!stopped.signal.aborted) {
      const opened = await open();
      // Only now: until here the old one may still bring something.
      const old = line;
      line = opened.type === "open" ? opened.line : undefined;
      void old?.close();
      if (stopped.signal.aborted) return;
      if (opened.type === "open") await live(opened.line);
      else await onFault(opened);
    }
  }

  return {
    async start() {
      running = keep().catch((error: unknown) => {
        if (hasBeenOpen) log.error("Slack's connection is not kept any more", { error: errorText(error) });
        first.reject(error);
      });
      await first.promise;
    },
    replace: () => replaceNow(),
    async stop() {
      stopped.abort();
      replaceNow();
      first.resolve();
      await line?.close();
      await running;
      await line?.close();
    },
  };
}
