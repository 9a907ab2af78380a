/** The protocol of the gateway, version 1: the only part of mom that a client needs to know. */
export type * from "./automation-shapes.ts";
export { check } from "./check.ts";
export { type ErrorCode, GatewayFault, type ProtocolError } from "./errors.ts";
export { type EventName, eventSpecs, isEventName, type Payload } from "./events.ts";
export type { EventFrame, Hello, HelloOk, Request, Response } from "./frame-types.ts";
export {
  challengeSchema,
  eventSchema,
  helloErrorSchema,
  helloOkSchema,
  helloSchema,
  requestSchema,
  responseSchema,
  signedText,
} from "./frames.ts";
export { buildProtocolSchema } from "./json-schema.ts";
export * from "./limits.ts";
export {
  isMethodName,
  type MethodName,
  methodSpecs,
  type Params,
  type Result,
  type RoomMethodName,
} from "./methods.ts";
export { holds, mayCall, type Role, roles, type Scope, scopes } from "./scopes.ts";
export type * from "./shapes.ts";
