/**
 * The connection that events come over, on the library's own client. The library reconnects and resumes by itself, but twice a
 * second without end; so it is made to wait here, where it asks for the session before every connection (see `retrieve`).
 */
import type { REST } from "@discordjs/rest";
import { WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import { GatewayDispatchEvents, type GatewayDispatchPayload, type GatewaySendPayload } from "discord-api-types/v10";
import type { ChannelError } from "../../base/errors.ts";
import { within } from "../../base/within.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { pickBackOffMs } from "../kit/back-off.ts";
import { createPace } from "../kit/pace.ts";
import { buildLoginRefused, isLoginRefused, toFailure, toFinalError } from "./errors.ts";
import type { SessionBook } from "./session-book.ts";

export interface Gateway {
  /** Resolves when events come, or at `stop`; rejects when they never will. */
  start(): Promise<void>;
  /** The session stays as it is and can be resumed. */
  stop(): Promise<void>;
  /** Takes the connection down and resumes the session on another one. */
  replace(reason: string): Promise<void>;
  /** Only while connected. */
  send(payload: GatewaySendPayload): Promise<void>;
  readonly isUp: boolean;
}

export interface GatewayDeps {
  rest: REST;
  clock: Clock;
  log: Log;
  sessions: SessionBook;
  onDispatch(payload: GatewayDispatchPayload): void;
  /** `isNew`: it could not be resumed, so something may have been missed. */
  onUp(isNew: boolean): void;
  onDown(reason: string): void;
  /** It is over: no further try. */
  onFinal(error: ChannelError): void;
}

/** Discord's own code for "I shall be back": others end the session. */
const comeBackCode = 4200;
const handshakeTimeoutMs = 10_000;
const helloTimeoutMs = 20_000;
/** A connection that held so long was a good one. */
const longLifeMs = 300_000;
/** A peer that is gone does not answer. */
const closeWithinMs = 2_000;
const never = <T>() => new Promise<T>(() => undefined);

export function createGateway(deps: GatewayDeps, options: { token: string; intents: number }): Gateway {
  const { rest, clock, log, sessions } = deps;
  const stopped = new AbortController();
  const { signal } = stopped;
  /** `down`: whoever asks for the session now is about to connect. */
  let phase: "down" | "connecting" | "greeted" | "up" = "down";
  let failures = 0;
  let upAtMs = 0;
  let lastCloseCode = 0;
  /** The library drops the session on any failure of the network. Discord does not. */
  let keepsSession = false;
  let isReplacing = false;
  let final: ChannelError | undefined;
  const identifyPace = createPace(
    { clock },
    { chat: { burst: 20, perSecond: 1 / 90 }, all: { burst: 1, perSecond: 0.2 } },
  );

  async function retrieve() {
    if (!signal.aborted && phase === "down") {
      if (failures > 1) await clock.sleep(pickBackOffMs(failures - 1), signal).catch(() => undefined);
      await sessions.whenRoom();
      phase = "connecting";
    }
    // A promise that stays open is the only way to keep the library from connecting once more.
    return signal.aborted || final ? never<null>() : sessions.info;
  }
  async function waitForIdentify(_shardId: number, closed: AbortSignal): Promise<void> {
    // A thousand a day are given; a connection that is lost again and again must not use them up.
    await identifyPace.take("identify", Number.POSITIVE_INFINITY);
    closed.throwIfAborted();
    if (signal.aborted) await never();
  }
  const manager = new WebSocketManager({
    rest,
    token: options.token,
    intents: options.intents,
    shardCount: 1,
    handshakeTimeout: handshakeTimeoutMs,
    helloTimeout: helloTimeoutMs,
    buildIdentifyThrottler: () => ({ waitForIdentify }),
    retrieveSessionInfo: retrieve,
    updateSessionInfo: (_shardId, info) => {
      if (info || !keepsSession) sessions.set(info);
    },
  });

  const up = (isNew: boolean) => {
    if (signal.aborted) return;
    phase = "up";
    upAtMs = clock.monotonic();
    deps.onUp(isNew);
  };
  const giveUp = (error: ChannelError) => {
    final = error;
    deps.onFinal(error);
  };
  manager.on(WebSocketShardEvents.SocketError, (error) => {
    keepsSession = true;
    log.debug("The connection to Discord failed", { error });
  });
  manager.on(WebSocketShardEvents.Hello, () => {
    keepsSession = false;
    phase = "greeted";
  });
  manager.on(WebSocketShardEvents.Ready, () => up(true));
  manager.on(WebSocketShardEvents.Resumed, () => up(false));
  manager.on(WebSocketShardEvents.Dispatch, (payload) => {
    if (signal.aborted) return;
    // One that is taken down again and again before anything has come must not go on at full speed.
    if (payload.t !== GatewayDispatchEvents.Resumed && payload.t !== GatewayDispatchEvents.Ready) failures = 0;
    deps.onDispatch(payload);
  });
  manager.on(WebSocketShardEvents.Closed, (code) => {
    if (phase === "up" && clock.monotonic() - upAtMs > longLifeMs) failures = 0;
    phase = "down";
    failures++;
    lastCloseCode = code;
    if (!signal.aborted && !isReplacing && !toFinalError(code))
      deps.onDown(`The connection to Discord was closed (${code})`);
  });
  manager.on(WebSocketShardEvents.Error, (error) => {
    const reason = toFinalError(lastCloseCode);
    if (reason && !signal.aborted) giveUp(reason);
    else log.warn("Discord's client reported an error", { error });
  });

  /** Until the library has a connection of its own to look after. */
  async function connect(): Promise<void> {
    for (let attempt = 1; !signal.aborted && !final; attempt++) {
      try {
        return await manager.connect();
      } catch (error) {
        if (isLoginRefused(error)) giveUp(buildLoginRefused(error));
        if (final || signal.aborted) break;
        const { reason } = toFailure(error);
        deps.onDown(reason);
        await clock.sleep(pickBackOffMs(attempt), signal).catch(() => undefined);
      }
    }
  }
  /** In the middle of a handshake the library's own way down can hang, or leave the socket open; see the README. */
  async function disconnect(reason: string): Promise<void> {
    keepsSession = true;
    const close = async () => manager.destroy({ code: comeBackCode, reason });
    if (phase === "up") await within<unknown>(clock, closeWithinMs, close(), () => undefined);
    else if (phase === "greeted") void close();
    else if (phase === "connecting") {
      manager.once(WebSocketShardEvents.Hello, () => void close());
    }
  }

  return {
    async start() {
      const ended = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.race([connect(), ended]);
      if (final) throw final;
    },
    async stop() {
      if (signal.aborted) return;
      stopped.abort();
      identifyPace.stop();
      await disconnect("Shutting down");
    },
    async replace(reason) {
      if (phase !== "up" || isReplacing || signal.aborted) return;
      isReplacing = true;
      deps.onDown(reason);
      await disconnect(reason);
      isReplacing = false;
      await connect();
    },
    send: async (payload) => manager.send(0, payload),
    get isUp() {
      return phase === "up";
    },
  };
}
