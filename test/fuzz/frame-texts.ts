/** Texts for the gateway from a seed: good requests, and what becomes of them in bad hands. */
import type { GoodCalls } from "../fakes/gateway-calls.ts";
import type { Random } from "../fakes/random-history.ts";

type Json = unknown;
interface Call {
  method: string;
  params: Record<string, Json>;
}

export const pick = <T>(random: Random, items: readonly T[]): T => items[random.between(0, items.length - 1)] as T;

const deep = 10_000;
const numbers = ["1e400", "-1e400", "-0", "1e308", "5e-324", "9007199254740993", "0.1e-999", "7".repeat(5_000), "1.5"];
const poison = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__"];
const names = [
  ...poison,
  "valueOf",
  "no.such",
  "health ",
  "Health",
  "health\u0000",
  "chat",
  "rpc.discover",
  "🙂",
  "x".repeat(64),
];
const rubbish: Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  "",
  "x",
  "\u0000",
  "\ud800",
  "x".repeat(2_000),
  [],
  {},
  [[[]]],
  { a: { b: [1, null] } },
  "__proto__",
  ["all"],
];

/** Texts that are quite another thing. */
const odd = [
  "",
  " ",
  "null",
  "true",
  "0",
  '"x"',
  "[]",
  "{}",
  "[[]]",
  "\ufeff{}",
  "NaN",
  "{'a':1}",
  "{} {}",
  "//",
  "\u0000",
  '{"id":1}',
];

export interface TextMaker {
  good(id: string): { text: string; call: Call };
  bad(id: string): string;
}

export function createTextMaker(random: Random, calls: GoodCalls): TextMaker {
  const known = Object.entries(calls).map(([method, params]): Call => ({ method, params: { ...params } }));
  // Whoever answers to these need not be asked twice, and nothing of the house is worn out by them.
  const harmless = known.filter(
    ({ method }) => !/delete|reset|revoke|logout|pairing\.approve|files\.upload/.test(method),
  );
  const request = (id: string, { method, params }: Call) => ({ id, type: "request", method, params });
  const write = (id: string, call: Call) => JSON.stringify(request(id, call));

  const makers: ((id: string, call: Call) => string)[] = [
    // Truncated.
    (id, call) => {
      const text = write(id, call);
      return text.slice(0, random.between(0, text.length - 1));
    },
    // Deep, in places where anything may stand and where nothing may.
    (id, call) => {
      const value = random.chance(0.5)
        ? "[".repeat(deep) + "]".repeat(deep)
        : `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`;
      const key = pick(random, ["value", "args", "result", "message", "no-such"]);
      const method = pick(random, ["config.set", "nodes.invoke", "config.patch", call.method]);
      const params = { ...(calls[method as keyof GoodCalls] as object), [key]: "HERE" };
      if ("idempotencyKey" in params) params.idempotencyKey = `deep-key-${random.between(0, 1e9)}`;
      const at = random.chance(0.7) ? write(id, { method, params }) : JSON.stringify({ id, HERE: 1, type: "HERE" });
      return at.replace('"HERE"', value);
    },
    () => pick(random, ["[".repeat(deep), "[".repeat(deep) + "]".repeat(deep), '{"a":'.repeat(deep)]),
    // Numbers.
    (id, call) => {
      const keys = Object.keys(call.params);
      const params = { ...call.params, [pick(random, [...keys, "limit", "timeoutMs", "size"])]: "HERE" };
      return write(id, { ...call, params }).replace('"HERE"', pick(random, numbers));
    },
    // Wrong types, in the parameters and in the frame.
    (id, call) => {
      const params = { ...call.params };
      for (const key of Object.keys(params)) if (random.chance(0.5)) params[key] = pick(random, rubbish);
      return write(id, { ...call, params });
    },
    (id, call) => {
      const frame: Record<string, Json> = request(id, call);
      frame[pick(random, ["id", "type", "method", "params", "sessionKey", "extra"])] = pick(random, rubbish);
      return JSON.stringify(frame);
    },
    // Mutated.
    (id, call) => mutate(random, write(id, call)),
    // Prototypes.
    (id, call) => {
      const key = pick(random, poison);
      const evil = pick(random, ['{"polluted":1}', '{"prototype":{"polluted":1}}', "1", "null"]);
      const written = JSON.stringify(key);
      const place = pick(random, ["frame", "params", "value"]);
      if (place === "frame") return `{${written}:${evil},${write(id, call).slice(1)}`;
      if (place === "params")
        return write(id, { ...call, params: { HERE: 1, ...call.params } }).replace('"HERE":1', `${written}:${evil}`);
      const params = { path: key, value: "HERE", idempotencyKey: `evil-key-${random.between(0, 1e9)}` };
      return write(id, { method: "config.set", params }).replace('"HERE"', `{${written}:${evil}}`);
    },
    // Nobody knows it.
    (id, call) => write(id, { ...call, method: pick(random, names) }),
    (id, call) => write(id, { ...call, params: { ...call.params, [`no-${random.between(0, 99)}`]: 1 } }),
    (_id, call) => write("x".repeat(random.between(129, 3_000)), call),
    () => pick(random, odd),
  ];
  return {
    good(id) {
      const call = pick(random, harmless);
      return { text: write(id, call), call };
    },
    bad: (id) => pick(random, makers)(id, pick(random, known)),
  };
}

function mutate(random: Random, text: string): string {
  let changed = text;
  for (let n = random.between(1, 4); n > 0; n--) {
    const at = random.between(0, changed.length);
    const size = random.between(1, 12);
    const kind = random.between(0, 3);
    const piece =
      kind === 0
        ? ""
        : kind === 1
          ? changed.slice(at, at + size).repeat(2)
          : kind === 2
            ? randomText(random, size)
            : pick(random, ['"', "{", "}", "[", "]", ",", ":", "\\", "null", "\\u0000", "-", "1e9"]);
    changed = changed.slice(0, at) + piece + changed.slice(at + (kind === 3 ? 0 : size));
  }
  // Alone they are no text that a WebSocket could carry.
  return changed.toWellFormed();
}

const randomText = (random: Random, length: number): string =>
  Array.from({ length }, () => String.fromCharCode(random.between(0, 0x2fff))).join("");
