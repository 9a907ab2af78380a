/** The log from its callers to its sinks: levels, fields, errors, bounds, and that no line can forge another. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { StoreError } from "../base/errors.ts";
import type { LogLevel } from "../contracts/log.ts";
import { createLogger } from "./logger.ts";
import { createRedactor } from "./redactor.ts";
import { createStreamSink, type StreamSinkOptions } from "./stream-sink.ts";

function openLog(options: Partial<StreamSinkOptions> & { level?: LogLevel } = {}) {
  const stream = new PassThrough();
  const sink = createStreamSink(stream, { format: "json", colors: false, stacks: false, ...options });
  const log = createLogger(
    { clock: createFakeClock(), redactor: createRedactor(), sinks: [sink] },
    { level: options.level ?? "debug" },
  );
  const text = () => String(stream.read() ?? "");
  const json = (): Record<string, unknown>[] =>
    text()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { log, text, json, stream };
}

/** The only line that `write` makes, as it stands in a JSON log. */
function lineOf(fields: Record<string, unknown>): Record<string, unknown> {
  const { log, json } = openLog();
  log.info("x", fields);
  const lines = json();
  assert.equal(lines.length, 1);
  return lines[0] ?? {};
}

test("a JSON line has time, level, text and the fields of the log and the call", () => {
  const { log, json } = openLog();
  log.with({ adapter: "cli" }).with({ channel: "c1" }).info("received", { seq: 4, missing: undefined });
  assert.deepEqual(json(), [
    { time: "2026-01-01T00:00:00.000Z", level: "info", text: "received", adapter: "cli", channel: "c1", seq: 4 },
  ]);
});

test("lines below the level are not written, and the level can change", () => {
  const { log, json } = openLog({ level: "warn" });
  const child = log.with({ a: 1 });
  child.info("no");
  child.warn("yes");
  log.setLevel("debug");
  child.debug("now");
  assert.deepEqual(
    json().map((line) => line["text"]),
    ["yes", "now"],
  );
});

test("a person reads time, level, text and key=value, quoted where needed", () => {
  const { log, text } = openLog({ format: "human" });
  log.warn("slow", { ms: 12, id: "C1", name: "two words", fake: 'x" level=error', empty: "" });
  assert.match(text(), /^\d\d:00:00 WARN {2}slow {2}ms=12 id=C1 name="two words" fake="x\\" level=error" empty=""\n$/);
});

test("colours only when asked for", () => {
  const { log, text } = openLog({ format: "human", colors: true });
  log.error("red");
  assert.match(text(), /\u001b\[31mERROR\u001b\[0m red/);
});

for (const format of ["human", "json"] as const) {
  test(`nothing in a ${format} line can forge another or play with the terminal`, () => {
    const { log, text } = openLog({ format });
    const hostile = "a\n12:00:00 ERROR forged\r\u001b[2J\u0007\u202e\u2028\u009b";
    log.info(hostile, { [hostile]: hostile, nested: { [hostile]: [hostile] }, error: new Error(hostile) });
    const written = text();
    assert.equal(written.indexOf("\n"), written.length - 1);
    assert.doesNotMatch(written.slice(0, -1), /[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
  });
}

describe("errors", () => {
  const error = new StoreError("DISK_FULL", "No room in /data.", {
    hint: "Free some space.",
    cause: new Error("write failed", { cause: Object.assign(new Error("no space"), { code: "ENOSPC" }) }),
  });

  test("are written with code, hint and causes, without a stack", () => {
    assert.deepEqual(lineOf({ error })["error"], {
      message: "No room in /data.",
      name: "StoreError",
      code: "DISK_FULL",
      hint: "Free some space.",
      causes: ["write failed", "no space [ENOSPC]"],
    });
  });

  test("on a terminal too", () => {
    const { log, text } = openLog({ format: "human" });
    log.error("cannot write", { error });
    assert.match(
      text(),
      /cannot write {2}error="No room in \/data\." error\.code=DISK_FULL error\.hint="Free some space\." error\.cause="write failed < no space \[ENOSPC\]"\n$/,
    );
  });

  test("with their frames where the sink shows stacks", () => {
    const human = openLog({ format: "human", stacks: true });
    human.log.error("x", { error });
    assert.match(human.text(), /\n {4}at .*logger\.test\.ts/);
    const json = openLog({ stacks: true });
    json.log.error("x", { error });
    assert.match(json.text(), /"stack":\["at .*logger\.test\.ts/);
  });

  test("with a cause that is its own ancestor", () => {
    const loop: Error = new Error("outer");
    loop.cause = new Error("inner", { cause: loop });
    assert.deepEqual((lineOf({ loop })["loop"] as { causes: unknown }).causes, ["inner"]);
  });

  test("with several causes at once", () => {
    const several = new AggregateError([Object.assign(new Error(""), { code: "ECONNREFUSED" })], "all failed");
    assert.deepEqual((lineOf({ several })["several"] as { causes: unknown }).causes, ["Error [ECONNREFUSED]"]);
  });
});

describe("fields of any kind", () => {
  test("plain kinds", () => {
    const fields = {
      none: null,
      yes: true,
      not: Number.NaN,
      big: 10n,
      when: new Date(0),
      bytes: Buffer.from("abc"),
      map: new Map([["k", 1]]),
      set: new Set([1]),
      url: new URL("http://u:hidden@h/"),
      run: lineOf,
    };
    assert.deepEqual(lineOf(fields), {
      ...{ time: "2026-01-01T00:00:00.000Z", level: "info", text: "x" },
      ...{ none: null, yes: true, not: "NaN", big: "10", when: "1970-01-01T00:00:00.000Z", bytes: "[3 bytes]" },
      ...{ map: { k: 1 }, set: [1], url: "http://u:[redacted]@h/", run: "[function lineOf]" },
    });
  });

  test("circular and deep", () => {
    const loop: Record<string, unknown> = { a: 1 };
    loop["self"] = loop;
    assert.deepEqual(lineOf({ loop })["loop"], { a: 1, self: "[circular]" });
    let deep: unknown = "bottom";
    for (let i = 0; i < 100_000; i++) deep = [deep];
    assert.deepEqual(lineOf({ deep })["deep"], [[[[[["[array]"]]]]]]);
  });

  test("huge", () => {
    const text = JSON.stringify(
      lineOf({
        long: "x".repeat(10_000_000),
        wide: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i])),
        list: Array.from({ length: 100_000 }, () => "item"),
        many: Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => "y".repeat(1_000))),
      }),
    );
    assert.ok(text.length < 100_000, `${text.length}`);
    assert.match(text, /10000000 characters/);
    assert.match(text, /99950 more/);
  });

  test("hostile", () => {
    const throwing = {
      get bad() {
        throw new Error("no");
      },
    };
    const proxy = new Proxy({}, { ownKeys: () => assert.fail("asked a proxy") });
    const line = lineOf({ throwing, proxy, time: "now", ["__proto__"]: 1 });
    assert.equal(line["throwing"], "[unreadable]");
    assert.equal(line["proxy"], "[proxy]");
    assert.equal(line["time_"], "now");
  });

  test("secrets, by name, by value and as a number", () => {
    const { log, text } = openLog();
    log.addSecrets(["hunter2hunter2", "12345678"]);
    log.info("login hunter2hunter2", {
      apiKey: "short",
      pin: 12345678,
      deep: [{ k: "hunter2hunter2" }],
      hunter2hunter2: 1,
    });
    const written = text();
    assert.doesNotMatch(written, /hunter2|short|12345678/);
    assert.doesNotThrow(() => JSON.parse(written));
  });
});

describe("the stream", () => {
  test("a slow reader loses lines, and is told how many", () => {
    const { log, json, stream } = openLog({ maxWaiting: 2_000 });
    stream.cork();
    for (let i = 0; i < 100; i++) log.info(`line ${i}`, { filler: "z".repeat(100) });
    stream.uncork();
    const before = json();
    log.info("after");
    const [note, last] = json();
    assert.equal(note?.["text"], "log lines were dropped");
    assert.equal(Number(note?.["dropped"]) + before.length, 100);
    assert.equal(last?.["text"], "after");
  });

  test("a reader that is gone is no failure", async () => {
    const { log, stream } = openLog();
    stream.destroy(Object.assign(new Error("broken"), { code: "EPIPE" }));
    await new Promise((resolve) => stream.once("close", resolve));
    log.info("into the void");
    await log.flush();
    await log.close();
    await log.close();
  });
});
