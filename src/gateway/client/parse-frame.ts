/** Text from the server → one frame of the protocol, or why it is none. Nothing of a bad frame is used. */
import {
  challengeSchema,
  check,
  type EventFrame,
  eventSchema,
  eventSpecs,
  type HelloOk,
  helloErrorSchema,
  helloOkSchema,
  isEventName,
  type ProtocolError,
  type Response,
  responseSchema,
} from "../protocol/index.ts";

export type ServerFrame =
  | { type: "challenge"; nonce: string }
  | HelloOk
  | { type: "hello-error"; error: ProtocolError }
  | Response
  | EventFrame;

export type ParsedFrame = { type: "frame"; frame: ServerFrame } | { type: "bad"; problem: string };

const schemas = {
  challenge: challengeSchema,
  "hello-ok": helloOkSchema,
  "hello-error": helloErrorSchema,
  response: responseSchema,
  event: eventSchema,
} as const;

export function parseFrame(data: unknown): ParsedFrame {
  if (typeof data !== "string") return bad("a frame that is not text");
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return bad("a frame that is not JSON");
  }
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  if (typeof type !== "string" || !Object.hasOwn(schemas, type)) return bad("a frame of no known type");
  const schema = schemas[type as keyof typeof schemas];
  const checked = check(schema, value);
  if (checked.type === "invalid") return bad(`a bad ${type} frame: ${checked.problems.join("; ")}`);
  // The schema has just been held against it.
  const frame = value as ServerFrame;
  return frame.type === "event" ? checkPayload(frame) : { type: "frame", frame };
}

function checkPayload(frame: EventFrame): ParsedFrame {
  if (!isEventName(frame.event)) return bad(`an event of no known name: ${frame.event.slice(0, 64)}`);
  const checked = check(eventSpecs[frame.event].payload, frame.payload ?? {});
  if (checked.type === "invalid") return bad(`a bad ${frame.event} event: ${checked.problems.join("; ")}`);
  return { type: "frame", frame };
}

const bad = (problem: string): ParsedFrame => ({ type: "bad", problem });
