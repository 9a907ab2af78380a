/**
 * Notices a connection that is open and deaf: heartbeats are answered, events do not come. When nothing was heard for a while,
 * it asks for something whose answer must come as an event; where it does not, the connection is replaced.
 */
import { randomBytes } from "node:crypto";
import { GatewayOpcodes, type GatewaySendPayload } from "discord-api-types/v10";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";

export interface Canary {
  start(): void;
  stop(): void;
  /** An event has come, whichever. */
  heard(): void;
}

export interface CanaryDeps {
  clock: Clock;
  log: Log;
  gateway: { readonly isUp: boolean; send(payload: GatewaySendPayload): Promise<void> };
  /** Undefined: mom is in no server, and only in one can something be asked for. */
  pickGuildId(): string | undefined;
  selfId(): string;
  onDeaf(): void;
}

const silentMs = 300_000;
const answerMs = 30_000;

export function createCanary({ clock, log, gateway, pickGuildId, selfId, onDeaf }: CanaryDeps): Canary {
  let heardAtMs = 0;
  let cancel = () => {};
  let isRunning = false;

  const look = () => {
    const silentForMs = clock.monotonic() - heardAtMs;
    const guildId = pickGuildId();
    if (silentForMs < silentMs) return lookIn(silentMs - silentForMs);
    if (!gateway.isUp || guildId === undefined) return lookIn(silentMs);
    const askedAtMs = clock.monotonic();
    const nonce = randomBytes(12).toString("hex");
    const d = { guild_id: guildId, user_ids: [selfId()], limit: 0, nonce };
    gateway
      .send({ op: GatewayOpcodes.RequestGuildMembers, d })
      .catch((error: unknown) => log.debug("Discord could not be asked for a sign of life", { error }));
    cancel = clock.after(answerMs, () => {
      if (heardAtMs < askedAtMs && gateway.isUp) onDeaf();
      heardAtMs = Math.max(heardAtMs, askedAtMs);
      lookIn(silentMs);
    });
  };
  const lookIn = (ms: number) => {
    if (isRunning) cancel = clock.after(ms, look);
  };
  return {
    start() {
      isRunning = true;
      heardAtMs = clock.monotonic();
      lookIn(silentMs);
    },
    stop() {
      isRunning = false;
      cancel();
    },
    heard() {
      heardAtMs = clock.monotonic();
    },
  };
}
