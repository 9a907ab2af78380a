/** What the gateway must answer to a text, worked out from the protocol's schemas and from nothing of the server. */
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/schema";
import {
  type ErrorCode,
  isMethodName,
  maxFrameDepth,
  methodSpecs,
  requestSchema,
} from "../../src/gateway/protocol/index.ts";
import type { AnyFrame } from "../fakes/gateway-rig.ts";

export interface Verdict {
  /** Of the answer; "" where the text has none that can be used. */
  id: string;
  /** Too many of these end the connection. */
  isBadFrame: boolean;
  /** What is wrong with this answer. */
  findFault(answer: AnyFrame): string | undefined;
}

/** What a call that is well formed may be told by the house. */
const ofTheHouse: ErrorCode[] = ["NOT_FOUND", "INVALID_REQUEST", "UNAVAILABLE", "NOT_LINKED", "AGENT_TIMEOUT"];

const compiled = new Map<TSchema, Validator>();
export function fits(schema: TSchema, value: unknown): boolean {
  const validator = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, validator);
  return validator.Check(value);
}

const mustBe = (codes: readonly ErrorCode[]) => (answer: AnyFrame) =>
  codes.includes(answer.error?.code)
    ? undefined
    : `${answer.error?.code ?? "a result"} instead of ${codes.join(" or ")}: ${JSON.stringify(answer).slice(0, 300)}`;

export function judgeText(text: string): Verdict {
  const value = parse(text);
  const id = typeof value === "object" && value !== null && typeof value.id === "string" ? value.id.slice(0, 128) : "";
  if (!fits(requestSchema, value) || isTooDeep(value))
    return { id, isBadFrame: true, findFault: mustBe(["INVALID_REQUEST"]) };
  return { id, isBadFrame: false, findFault: judgeCall(value) };
}

function judgeCall({ method, params = {}, sessionKey }: AnyFrame): Verdict["findFault"] {
  if (!isMethodName(method)) return mustBe(["INVALID_REQUEST"]);
  const spec = methodSpecs[method];
  // The fuzzer holds the gateway's token, and that is no node.
  if (spec.needs === "node") return mustBe(["FORBIDDEN"]);
  const isFilledIn =
    sessionKey !== undefined && "sessionKey" in spec.params.properties && !Object.hasOwn(params, "sessionKey");
  if (!fits(spec.params, isFilledIn ? { ...params, sessionKey } : params)) return mustBe(["INVALID_REQUEST"]);
  return (answer) => {
    if (answer.error) return mustBe(ofTheHouse)(answer);
    return fits(spec.result, answer.result) ? undefined : `${method} gave what its schema does not know`;
  };
}

function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= maxFrameDepth; depth++) {
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}

function parse(text: string): AnyFrame {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
