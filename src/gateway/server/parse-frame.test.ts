/** What a frame may look like before anybody looks at what it says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHello, parseRequest } from "./parse-frame.ts";

const toData = (value: unknown) => Buffer.from(JSON.stringify(value));
const request = (params: object) => ({ id: "r1", type: "request", method: "x", params });

test("a frame has at most 20,000 members and items, at whatever depth", () => {
  // Four members of the frame, one of the parameters.
  const most = 20_000 - 5;
  const fill = (count: number) => [
    request({ list: Array(count).fill(0) }),
    request({ list: Array.from({ length: count / 5 }, () => [1, 2, 3, 4]) }),
    request({ map: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n])) }),
  ];
  for (const frame of fill(most)) assert.equal(parseRequest(toData(frame), false).type, "frame");
  for (const frame of fill(most + 5)) {
    const problems = ["it has more than 20000 values"];
    assert.deepEqual(parseRequest(toData(frame), false), { type: "bad", id: "r1", problems });
    assert.deepEqual(parseHello(toData(frame), false), { type: "bad", id: "r1", problems });
  }
});

test("a frame is a hundred deep at most", () => {
  const nest = (depth: number): object => (depth === 0 ? {} : { in: nest(depth - 1) });
  assert.equal(parseRequest(toData(request(nest(98))), false).type, "frame");
  const parsed = parseRequest(toData(request(nest(99))), false);
  assert.deepEqual(parsed, { type: "bad", id: "r1", problems: ["it is nested too deep"] });
});
