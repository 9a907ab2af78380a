/**
 * The one place that decides who somebody is: by the gateway's token, the password, or as a paired device; over WebSocket
 * and HTTP alike. The limiter is asked whatever is presented, and what is presented is judged, never its mere presence.
 */
import { randomBytes } from "node:crypto";
import type { Identity } from "../parts.ts";
import { type Hello, type ProtocolError, scopes } from "../protocol/index.ts";
import type { AttemptLimiter } from "./attempt-limiter.ts";
import type { DoorAnswer } from "./device-door.ts";
import type { DeviceDesk } from "./devices.ts";
import type { GatewayToken } from "./gateway-token.ts";
import { isSameSecret } from "./secrets.ts";

export type AuthAnswer =
  | { type: "in"; identity: Identity; deviceToken?: string }
  /** Sign this and say hello again on the same connection. */
  | { type: "challenge"; nonce: string }
  | { type: "refused"; error: ProtocolError };

/** One connection as the authenticator sees it. */
export interface Caller {
  address: string;
  /** The challenge that this connection was given. */
  nonce: string | undefined;
}

export interface Authenticator {
  /** Calls `answer` once, at the moment of the decision: whoever is let in must be registered in it, so that revoking finds them. */
  judgeHello(hello: Hello, caller: Caller, answer: (answer: AuthAnswer) => void): Promise<void>;
  /** `Authorization: Bearer <token or password>`. A device's token is worth nothing here: it needs the device's key. */
  judgeBearer(authorization: string | undefined, address: string): Promise<Exclude<AuthAnswer, { type: "challenge" }>>;
}

interface AuthenticatorDeps {
  token: GatewayToken;
  password: string | undefined;
  devices: Pick<DeviceDesk, "enter">;
  limiter: AttemptLimiter;
}

type Verdict = Exclude<AuthAnswer, { type: "challenge" }>;

const operator = (id: "token" | "password"): Identity => ({ id, name: id, role: "operator", scopes });

export function createAuthenticator({ token, password, devices, limiter }: AuthenticatorDeps): Authenticator {
  const failed = (address: string, message: string): Verdict => {
    limiter.failed(address);
    return refuse(message);
  };
  const judgeSecret = async (kind: "token" | "password", given: string, address: string): Promise<Verdict> => {
    const expected = kind === "token" ? await token.read() : password;
    // Asked after the wait, too: attempts that came at once must not all be judged.
    if (limiter.waitMs(address) > 0) return blocked(limiter.waitMs(address));
    const isRight = expected !== undefined && isSameSecret(given, expected);
    return isRight ? { type: "in", identity: operator(kind) } : failed(address, `The ${kind} is wrong.`);
  };
  const judgeDoor = (answer: DoorAnswer, address: string, deviceId: string): Verdict => {
    if (answer.type === "in") return answer;
    if (answer.type === "wrong") return failed(address, answer.reason);
    if (answer.type === "blocked") return blocked(limiter.waitMs(address));
    if (answer.type === "waiting") {
      const { requestId } = answer;
      return refuse("The device waits to be let in by an operator.", { details: { requestId, deviceId } });
    }
    const { reason: message } = answer;
    return { type: "refused", error: { code: "UNAVAILABLE", message, retryable: true, retryAfterMs: 60_000 } };
  };

  return {
    async judgeHello({ auth, client }, { address, nonce }, answer) {
      const waitMs = limiter.waitMs(address);
      if (waitMs > 0) return answer(blocked(waitMs));
      if (auth?.token !== undefined) return answer(await judgeSecret("token", auth.token, address));
      if (auth?.password !== undefined) return answer(await judgeSecret("password", auth.password, address));
      const device = auth?.device;
      if (!device) return answer(refuse("A token, a password or a paired device is needed."));
      const { signature } = device;
      if (signature === undefined) {
        if (nonce !== undefined) return answer(refuse("The challenge was not signed."));
        return answer({ type: "challenge", nonce: randomBytes(32).toString("base64url") });
      }
      if (nonce === undefined) return answer(failed(address, "It was signed before there was a challenge."));
      const claim = { device: { ...device, signature }, nonce, client, address };
      const isBlocked = () => limiter.waitMs(address) > 0;
      await devices.enter({ ...claim, isBlocked }, (said) => answer(judgeDoor(said, address, device.id)));
    },
    async judgeBearer(authorization, address) {
      const waitMs = limiter.waitMs(address);
      if (waitMs > 0) return blocked(waitMs);
      const given = /^Bearer +(\S{1,1024}) *$/i.exec(authorization ?? "")?.[1];
      if (given === undefined) return refuse("A bearer token is needed.");
      const byToken = await token.read();
      if (limiter.waitMs(address) > 0) return blocked(limiter.waitMs(address));
      if (byToken !== undefined && isSameSecret(given, byToken)) return { type: "in", identity: operator("token") };
      if (password !== undefined && isSameSecret(given, password))
        return { type: "in", identity: operator("password") };
      return failed(address, "The bearer token is wrong.");
    },
  };
}

const refuse = (message: string, more: { details?: unknown } = {}): Verdict => ({
  type: "refused",
  error: { code: "NOT_PAIRED", message, ...more },
});

const blocked = (retryAfterMs: number): Verdict => ({
  type: "refused",
  error: { code: "UNAVAILABLE", message: "Too many attempts failed; wait.", retryable: true, retryAfterMs },
});
