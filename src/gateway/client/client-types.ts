/** What a client of the gateway is given and what it tells. */
import type {
  EventFrame,
  Hello,
  HelloOk,
  MethodName,
  Params,
  ProtocolError,
  Result,
  Role,
  Scope,
} from "../protocol/index.ts";

/** A device's half of the challenge: whoever calls keeps the key. */
export interface DeviceAuth {
  /** SHA-256 of the public key, base64url. */
  id: string;
  publicKey: { x: string; y: string };
  /** Given by `onDeviceToken` when the device was let in. */
  token?: string;
  /** One-time; not to be given again once there is a token. */
  code?: string;
  /** What it asks to be, where it is new. */
  role?: Role;
  scopes?: Scope[];
  /** ECDSA P-256 with SHA-256 over the UTF-8 of the text, IEEE P1363, base64url. */
  sign(text: string): Promise<string>;
}

export type Auth = { token: string } | { password: string } | { device: DeviceAuth };

export type ClientState =
  | { type: "connecting" }
  | { type: "open"; hello: HelloOk }
  /** Not let in. Tried again slowly where `error.details` names a request that somebody may approve; else only by `start()`. */
  | { type: "refused"; error: ProtocolError }
  /** Tries again at `retryAt` (of the client's clock); `start()` tries at once. */
  | { type: "waiting"; error?: ProtocolError; retryAt: number }
  | { type: "stopped" };

/** Time for the client. Mom's `Clock` is one. */
export interface ClientClock {
  now(): number;
  after(delayMs: number, run: () => void): () => void;
}

export interface ClientOptions {
  /** `ws://127.0.0.1:18800/ws`; a function is asked for each connection. */
  url: string | (() => Promise<string>);
  hello: {
    client: Hello["client"];
    caps?: string[];
    /** Asked for each connection. Undefined: say hello without credentials. */
    getAuth(): Promise<Auth | undefined>;
  };
  /** Absent: the platform's own. */
  WebSocket?: typeof globalThis.WebSocket;
  onState(state: ClientState): void;
  /** Each event once and in order, also over a dropped connection. */
  onEvent(frame: EventFrame): void;
  /** Some of what was missed is gone: load anew what is shown. */
  onGap(): void;
  /** To be kept: it is told once. */
  onDeviceToken?(token: string): void;
  /** The server sent something that is not as agreed; it was dropped. For a log. */
  onProblem?(problem: string): void;
  clock?: ClientClock;
  /** From 0 to 1. */
  random?(): number;
}

export interface CallOptions {
  /** Gives the call up; what it started goes on. */
  signal?: AbortSignal;
  /** 60 s where absent, waiting for a connection included. */
  timeoutMs?: number;
}

export interface GatewayClient {
  /** Connects; when it waits to try again or was refused: tries at once. */
  start(): void;
  /** Ends the connection and all calls. `start()` begins anew. */
  stop(): void;
  readonly state: ClientState;
  /** Rejects with a `GatewayFault`, or with the signal's reason. */
  call<Name extends MethodName>(method: Name, params: Params<Name>, options?: CallOptions): Promise<Result<Name>>;
  /** Whose events to be sent, from now on and after every reconnect. Instead of those chosen before. */
  follow(sessions: "all" | string[], logs?: boolean): void;
}
