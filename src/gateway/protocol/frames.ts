/** The frames of a connection: hello, challenge, hello-ok, request, response, event. Each is one WebSocket text message of JSON. */
import { Type } from "typebox";
import { errorCodes } from "./errors.ts";
import { count, flag, json, list, moment, oneOf, optional, sessionKey, strict, text } from "./kit.ts";
import { roles, scopes } from "./scopes.ts";

const short = Type.String({ minLength: 1, maxLength: 128 });

/** P-256 public key (JWK coordinates, base64url): who holds the other half is the device. */
const publicKey = strict({ x: Type.String({ maxLength: 64 }), y: Type.String({ maxLength: 64 }) });

const deviceAuth = strict({
  /** Absent on the first hello of a known device. */
  publicKey: optional(publicKey),
  /** SHA-256 of the key, base64url: checked against it. */
  id: short,
  /** What the device was given when it was let in. */
  token: optional(Type.String({ maxLength: 256 })),
  /** A one-time code that mom printed: lets the device in at once. */
  code: optional(Type.String({ maxLength: 64 })),
  /** What it asks to be, where it is new. */
  role: optional(oneOf(...roles)),
  scopes: optional(list(oneOf(...scopes))),
  /** Over `signedText` with the connection's challenge; base64url, 64 bytes. */
  signature: optional(Type.String({ maxLength: 128 })),
});

export const helloSchema = strict({
  type: Type.Literal("hello"),
  minProtocol: Type.Integer({ minimum: 1 }),
  maxProtocol: Type.Integer({ minimum: 1 }),
  client: strict({
    id: short,
    displayName: optional(Type.String({ maxLength: 128 })),
    version: Type.String({ maxLength: 64 }),
    platform: Type.String({ maxLength: 64 }),
    mode: oneOf("app", "web", "cli"),
  }),
  /** Of a node: the commands it offers. */
  caps: optional(Type.Array(short, { maxItems: 64 })),
  auth: optional(
    strict({
      token: optional(Type.String({ maxLength: 256 })),
      password: optional(Type.String({ maxLength: 1024 })),
      device: optional(deviceAuth),
    }),
  ),
});

/** To a hello of a device without a signature: sign this and say hello again. Good for this connection only. */
export const challengeSchema = strict({ type: Type.Literal("challenge"), nonce: text });

export const errorSchema = strict({
  code: oneOf(...errorCodes),
  message: text,
  details: optional(json),
  retryable: optional(flag),
  retryAfterMs: optional(count),
});

export const helloOkSchema = strict({
  type: Type.Literal("hello-ok"),
  protocol: count,
  server: strict({ version: text, host: optional(text), connId: text }),
  features: strict({ methods: list(text), events: list(text) }),
  /** Who the server takes the client for. */
  identity: strict({ id: text, name: text, role: oneOf(...roles), scopes: list(oneOf(...scopes)) }),
  /** Once, when a device has just been let in. */
  deviceToken: optional(text),
  snapshot: strict({
    /** Id of the newest event: what comes later is missed if it does not arrive. */
    lastEventId: text,
    at: moment,
    mainSessionKey: text,
    /** No owner has set mom up yet: the UI opens on its welcome. */
    needsSetup: flag,
  }),
});

/** Instead of hello-ok; the connection is closed after it. */
export const helloErrorSchema = strict({ type: Type.Literal("hello-error"), error: errorSchema });

export const requestSchema = strict({
  id: short,
  type: Type.Literal("request"),
  method: Type.String({ minLength: 1, maxLength: 64 }),
  params: optional(Type.Record(Type.String(), Type.Unknown())),
  sessionKey: optional(sessionKey),
});

export const responseSchema = strict({
  id: text,
  type: Type.Literal("response"),
  result: optional(json),
  error: optional(errorSchema),
});

export const eventSchema = strict({
  /** `<life of the server>-<number>`; grows by one. What belongs to one connection only has the id of the event before it. */
  id: text,
  type: Type.Literal("event"),
  at: moment,
  event: text,
  payload: optional(json),
  sessionKey: optional(text),
});

/** What a device signs: bound to the connection by its challenge, to the server by its name for itself, to the claim by id and token. */
export function signedText(nonce: string, device: { id: string; token?: string; code?: string }): string {
  return ["mom-gateway-v1", nonce, device.id, device.token ?? "", device.code ?? ""].join("\n");
}
