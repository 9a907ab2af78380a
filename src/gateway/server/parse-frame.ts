/** A WebSocket message to a frame, or what is wrong with it. */
import type { RawData } from "ws";
import {
  check,
  type Hello,
  helloSchema,
  maxFrameDepth,
  protocolVersion,
  type Request,
  requestSchema,
} from "../protocol/index.ts";

/** Members and items, at whatever depth: a frame within its bytes can still be a hundred thousand things to check. */
const maxFrameValues = 20_000;

export type Parsed<Frame> = { type: "frame"; frame: Frame } | { type: "bad"; id: string; problems: string[] };

export function parseRequest(data: RawData, isBinary: boolean): Parsed<Request> {
  return parse(data, isBinary, (value) => check(requestSchema, value)) as Parsed<Request>;
}

export function parseHello(data: RawData, isBinary: boolean): Parsed<Hello> {
  return parse(data, isBinary, (value) => {
    // Before the shape: a hello of another version may well have another one.
    const problem = findVersionProblem(value);
    return problem === undefined ? check(helloSchema, value) : { type: "invalid", problems: [problem] };
  }) as Parsed<Hello>;
}

export const sizeOf = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((sum, { length }) => sum + length, 0) : data.byteLength;

/** The schema has been checked where a frame comes out. */
function parse(data: RawData, isBinary: boolean, judge: (value: unknown) => ReturnType<typeof check>): Parsed<unknown> {
  if (isBinary) return bad("", "it must be text");
  const value = parseJson(data);
  if (value === undefined) return bad("", "it must be JSON");
  const excess = findExcess(value);
  if (excess !== undefined) return bad(pickId(value), excess);
  const checked = judge(value);
  return checked.type === "ok"
    ? { type: "frame", frame: value }
    : { type: "bad", id: pickId(value), problems: checked.problems };
}

function parseJson(data: RawData): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}

/** What there is too much of. Stops at the first value too many. */
function findExcess(whole: unknown): string | undefined {
  let left = maxFrameValues;
  const look = (value: unknown, depth: number): string | undefined => {
    if (typeof value !== "object" || value === null) return undefined;
    if (depth === 0) return "it is nested too deep";
    for (const inner of Array.isArray(value) ? value : Object.values(value)) {
      if (left-- === 0) return `it has more than ${maxFrameValues} values`;
      const excess = look(inner, depth - 1);
      if (excess !== undefined) return excess;
    }
    return undefined;
  };
  return look(whole, maxFrameDepth);
}

function findVersionProblem(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("minProtocol" in value) || !("maxProtocol" in value)) return;
  const { minProtocol, maxProtocol } = value;
  if (typeof minProtocol !== "number" || typeof maxProtocol !== "number") return;
  if (minProtocol <= protocolVersion && protocolVersion <= maxProtocol) return;
  return `this server speaks protocol ${protocolVersion} only, and the client ${minProtocol} to ${maxProtocol}`;
}

/** So that the client knows which of its requests was no good. */
function pickId(value: unknown): string {
  if (typeof value !== "object" || value === null || !("id" in value)) return "";
  return typeof value.id === "string" ? value.id.slice(0, 128) : "";
}

const bad = (id: string, problem: string): Parsed<never> => ({ type: "bad", id, problems: [problem] });
