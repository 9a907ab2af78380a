/**
 * Malformed frames from a seed against the real gateway on the fake house, over real sockets. Each connection has a short life: it
 * is let in or not, sends good and bad frames mixed, and ends in one of many ways. Every answer and every end is held against
 * what the protocol says.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { helloSchema, maxFrameBytes, maxHelloBytes } from "../../src/gateway/protocol/index.ts";
import { type GoodCalls, prepareHouse } from "../fakes/gateway-calls.ts";
import { type AnyFrame, buildHello, type GatewayRig, type TestSocket } from "../fakes/gateway-rig.ts";
import { createRandom, type Random } from "../fakes/random-history.ts";
import { fits, judgeText, type Verdict } from "./frame-judge.ts";
import { createTextMaker, pick, type TextMaker } from "./frame-texts.ts";
import { encodeFragments, encodeFrame, opcodes, openLine, type RawLine } from "./raw-line.ts";

export interface FuzzReport {
  frames: number;
  connections: number;
  ms: number;
  /** How connections ended, as asked for by the protocol. */
  closes: Record<string, number>;
  answers: Record<string, number>;
  /** Of a good client, meanwhile. */
  latencyMs: { p50: number; p99: number; most: number };
  /** After a collection. `before`: with everything warm. */
  heap: { before: number; after: number };
  failures: string[];
}

interface Run {
  rig: GatewayRig;
  calls: GoodCalls;
  report: FuzzReport;
  waits: number[];
}

/** Connections at once. */
const width = 8;
/** One more and the server hangs up. */
const mostBad = 19;
const warmUp = 1_000;

export async function fuzzFrames(rig: GatewayRig, count: number, firstSeed: number): Promise<FuzzReport> {
  const calls = await prepareHouse(rig.house);
  const report: FuzzReport = {
    frames: 0,
    connections: 0,
    ms: 0,
    closes: {},
    answers: {},
    latencyMs: { p50: 0, p99: 0, most: 0 },
    heap: { before: 0, after: 0 },
    failures: [],
  };
  const run: Run = { rig, calls, report, waits: [] };
  const good = await rig.enter();
  const prototypes = countPrototypes();
  let seed = firstSeed;
  const runUntil = async (frames: number) => {
    const worker = async () => {
      while (report.frames < frames && report.failures.length < 20) await runLife(run, seed++);
    };
    await Promise.all([...Array.from({ length: width }, worker), useIt(run, good, () => report.frames < frames)]);
  };
  await runUntil(Math.min(warmUp, count / 2));
  report.heap.before = measureHeap(run);
  run.waits.length = 0;
  const started = performance.now();
  await runUntil(count);
  report.ms = performance.now() - started;
  await good.call("health");
  // Those that were not read from any more are cut off.
  await rig.clock.advance(6_000);
  for (let n = 0; n < 200 && rig.gateway.stats().connections > 1; n++) await new Promise(setImmediate);
  const { connections, clients } = rig.gateway.stats();
  if (connections > 1 || clients > 1) report.failures.push(`${connections} connections, ${clients} clients are left`);
  report.heap.after = measureHeap(run);
  if (countPrototypes() !== prototypes) report.failures.push("a prototype was changed");
  const waits = run.waits.sort((a, b) => a - b);
  const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0;
  report.latencyMs = { p50: at(0.5), p99: at(0.99), most: at(1) };
  return report;
}

const countPrototypes = () =>
  [Object, Array, Function, String].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype)).length;

/** What the house of tests writes down is no leak of the gateway's; what was written at the level of errors is a failure. */
function measureHeap({ rig, report }: Run): number {
  for (const { level, text, fields } of rig.log.lines.splice(0)) {
    if (level === "error")
      report.failures.push(`logged: ${text} ${JSON.stringify(fields)} ${String(fields["error"] ?? "")}`);
  }
  rig.house.said.length = 0;
  rig.house.asked.length = 0;
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** A client with manners, all the while. */
async function useIt({ rig, waits, report }: Run, { call, frames }: TestSocket, goesOn: () => boolean): Promise<void> {
  let last = performance.now();
  while (goesOn() && report.failures.length < 20) {
    const began = performance.now();
    const { result } = await call("agents.identity", { agentId: "helper" });
    waits.push(performance.now() - began);
    if (result?.id !== "helper") report.failures.push("a good client was answered wrongly");
    frames.length = 0;
    // The gateway's time goes by as ours does.
    await rig.clock.advance(Math.round(performance.now() - last));
    last = performance.now();
  }
}

async function runLife(run: Run, seed: number): Promise<void> {
  const { report, rig } = run;
  const random = createRandom(seed);
  const failures: string[] = [];
  // The one before may have deleted it.
  await rig.house.openGroup("C1");
  const life: Life = {
    random,
    line: await openLine(rig.port),
    texts: createTextMaker(random, run.calls),
    fail: (what) => void failures.push(what),
    count: (frames) => {
      report.frames += frames;
    },
    token: rig.token,
  };
  report.connections++;
  try {
    const wanted = random.chance(0.2) ? await knock(life) : await visit(life, report);
    const code = await life.line.closed;
    report.closes[code] = (report.closes[code] ?? 0) + 1;
    if (wanted !== code) life.fail(`closed with ${code} instead of ${wanted}`);
  } catch (error) {
    life.fail(String(error));
  } finally {
    life.line.destroy();
  }
  report.failures.push(...failures.map((what) => `seed ${seed}: ${what}`));
}

interface Life {
  random: Random;
  line: RawLine;
  texts: TextMaker;
  token: string;
  fail(what: string): void;
  count(frames: number): void;
}

/** Never let in. Gives the code that it must be closed with. */
async function knock(life: Life): Promise<number> {
  const { random, line, texts, token } = life;
  life.count(1);
  const hello = JSON.stringify(buildHello({ token }));
  const kind = random.between(0, 6);
  if (kind === 0) {
    line.send(encodeFrame(hello.padEnd(maxHelloBytes + random.between(1, 1_000))));
    return 1009;
  }
  if (kind === 1) {
    // Never finished; cut off before it is put together.
    line.send(encodeFrame("x".repeat(2 * maxHelloBytes + 2_000), { length: maxFrameBytes - 1 }));
    return 1009;
  }
  if (kind === 2) {
    line.send(encodeFrame(JSON.stringify(buildHello(undefined))));
    return expectRefusal(life, "NOT_PAIRED", 4001);
  }
  if (kind === 3) {
    line.send(encodeFrame(hello, { opcode: opcodes.binary }));
    return expectRefusal(life, "INVALID_REQUEST", 4000);
  }
  if (kind === 4) {
    line.send(encodeFrame(JSON.stringify(buildHello({ device: { id: "x" } }))));
    await line.until(() => line.frames.length > 0);
    if (line.frames.shift()?.type !== "challenge") life.fail("no challenge came");
  }
  const text = kind === 5 ? spoil(random, hello) : texts.bad("k");
  if (Buffer.byteLength(text) > maxHelloBytes) {
    line.send(encodeFrame(text));
    return 1009;
  }
  line.send(encodeFrame(text));
  return expectRefusal(life, "INVALID_REQUEST", 4000);
}

async function expectRefusal({ line, fail }: Life, code: string, closedWith: number): Promise<number> {
  await line.until(() => line.frames.length > 0);
  const [frame] = line.frames;
  if (frame?.type !== "hello-error" || frame.error.code !== code) fail(`${JSON.stringify(frame)} instead of ${code}`);
  return closedWith;
}

/** A hello that is none. Never one with a wrong secret: those are counted, and then nobody is let in. */
function spoil(random: Random, hello: string): string {
  for (;;) {
    const at = random.between(0, hello.length - 1);
    const text =
      hello.slice(0, at) +
      pick(random, ["", "{", '"', "x", ",", "9", "[", "null"]) +
      hello.slice(at + random.between(0, 5));
    if (!isHello(text)) return text;
  }
}

function isHello(text: string): boolean {
  try {
    return fits(helloSchema, JSON.parse(text));
  } catch {
    return false;
  }
}

/** Let in. Gives the code that it must be closed with. */
async function visit(life: Life, report: FuzzReport): Promise<number> {
  const { random, line, texts, token } = life;
  line.send(encodeFrame(JSON.stringify(buildHello({ token }))));
  await line.until(() => line.frames.length > 0);
  if (line.frames.shift()?.type !== "hello-ok") life.fail("not let in");
  const wanted: Verdict[] = [];
  const say = (text: string, bytes = encodeFrame(text)) => {
    life.count(1);
    wanted.push(judgeText(text));
    line.send(bytes);
  };
  const isFull = () => wanted.filter(({ isBadFrame }) => isBadFrame).length >= mostBad;
  for (let n = random.between(10, 40); n > 0 && !isFull(); n--) {
    // Ids come twice now and then.
    const id = `f${random.between(0, 30)}`;
    if (random.chance(0.2)) sayGood(say, random, texts, id);
    else if (random.chance(0.05)) {
      life.count(1);
      wanted.push(judgeText(""));
      line.send(encodeFrame(texts.good(id).text, { opcode: opcodes.binary }));
    } else say(texts.bad(id));
  }
  await hear(life, wanted, report);
  return leave(life, wanted, report);
}

function sayGood(say: (text: string, bytes?: Buffer) => void, random: Random, texts: TextMaker, id: string): void {
  const { text } = texts.good(id);
  if (random.chance(0.7)) say(text);
  else say(text, encodeFragments(text, random.between(2, 60)));
}

/** Each is answered once, by an answer that fits. Those of the same id may come in any order. */
async function hear({ line, fail }: Life, wanted: Verdict[], report: FuzzReport): Promise<void> {
  const responses = () => line.frames.filter(({ type }) => type === "response");
  await line
    .until(() => responses().length >= wanted.length)
    .catch(() => fail(`${responses().length} answers to ${wanted.length} frames`));
  const byId = Map.groupBy(responses(), ({ id }) => id as string);
  for (const [id, answers] of byId) {
    for (const { error } of answers) {
      const code: string = error?.code ?? "result";
      report.answers[code] = (report.answers[code] ?? 0) + 1;
    }
    const asked = wanted.filter((verdict) => verdict.id === id);
    const fault = findMismatch(answers, asked);
    if (fault !== undefined) fail(fault);
  }
  const unheard = wanted.filter(({ id }) => !byId.has(id)).length;
  if (unheard > 0) fail(`${unheard} frames were not answered`);
  line.frames.length = 0;
}

/** Undefined: each answer can be given to one question of its own. */
function findMismatch(answers: readonly AnyFrame[], asked: readonly Verdict[]): string | undefined {
  const [first] = answers;
  if (answers.length !== asked.length)
    return `${answers.length} answers to ${asked.length} frames: ${JSON.stringify(first).slice(0, 200)}`;
  const taken = new Map<Verdict, AnyFrame>();
  const place = (answer: AnyFrame, tried: Set<Verdict>): boolean =>
    asked.some((verdict) => {
      if (tried.has(verdict) || verdict.findFault(answer) !== undefined) return false;
      tried.add(verdict);
      const other = taken.get(verdict);
      if (other !== undefined && !place(other, tried)) return false;
      taken.set(verdict, answer);
      return true;
    });
  const lost = answers.find((answer) => !place(answer, new Set()));
  return lost && asked.flatMap((verdict) => verdict.findFault(lost) ?? [])[0];
}

const badText = () => Buffer.from([0x7b, 0xff, 0xfe, 0x80, 0x7d]);

/** The end of a visit. */
async function leave(life: Life, wanted: Verdict[], report: FuzzReport): Promise<number> {
  const { random, line, texts } = life;
  const send = (bytes: Buffer, code: number) => {
    life.count(1);
    line.send(bytes);
    return code;
  };
  const some = texts.good("end").text;
  switch (random.between(0, 11)) {
    case 0:
      return send(encodeFrame(badText()), 1007);
    case 1:
      return send(encodeFrame(Buffer.alloc(maxFrameBytes + 1, 0x20)), 1009);
    case 2:
      // Says how much will come, and nobody waits for it.
      return send(encodeFrame("", { length: 2 ** 40 }), 1009);
    case 3:
      return send(encodeFrame(some, { isMasked: false }), 1002);
    case 4:
      return send(encodeFrame(some, { reserved: random.between(1, 7) }), 1002);
    case 5:
      return send(encodeFrame(some, { opcode: pick(random, [3, 4, 5, 6, 7, 11, 15]) }), 1002);
    case 6:
      return send(encodeFrame(some, { opcode: opcodes.more }), 1002);
    case 7:
      return send(encodeFragments("x".repeat(2_000), 500), 1008);
    case 8:
      return send(encodeFrame(Buffer.from([0x00, 0x01]), { opcode: opcodes.close }), 1002);
    case 9:
      return send(encodeFrame(Buffer.from([0x03, 0xe8]), { opcode: opcodes.close }), 1000);
    case 10: {
      // In the middle of a frame.
      send(encodeFrame(some).subarray(0, 9), 1006);
      line.destroy();
      return 1006;
    }
    default:
      return wearOut(life, wanted, report);
  }
}

/** As many bad frames as it takes. */
async function wearOut(life: Life, wanted: Verdict[], report: FuzzReport): Promise<number> {
  const left = mostBad + 1 - wanted.filter(({ isBadFrame }) => isBadFrame).length;
  for (let n = 0; n < left; n++) {
    life.count(1);
    life.line.send(encodeFrame("{"));
  }
  const told = Array.from({ length: left }, () => judgeText("{"));
  await hear(life, told, report);
  return 4400;
}
