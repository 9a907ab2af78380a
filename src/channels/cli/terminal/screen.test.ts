import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../../test/fakes/clock.ts";
import { createFakeTerminal } from "../../../../test/fakes/terminal.ts";
import { createWriter } from "../writer.ts";
import { createScreen } from "./screen.ts";

function setUp(columns = 20, rows = 6) {
  const clock = createFakeClock();
  const terminal = createFakeTerminal({ isInteractive: true, columns, rows });
  const live = { lines: ["> "], cursorRow: 0, cursorColumn: 2 };
  const screen = createScreen({
    clock,
    writer: createWriter(terminal.output, () => undefined),
    getSize: () => ({ columns: terminal.output.columns ?? 0, rows: terminal.output.rows ?? 0 }),
    buildFrame: () => ({ ...live }),
  });
  return { clock, terminal, live, screen };
}

test("scrollback grows above a live region that is drawn over", async () => {
  const { terminal, live, screen } = setUp();
  await screen.draw();
  screen.append(["one", "two"]);
  live.lines = ["working", "> hi"];
  live.cursorRow = 1;
  live.cursorColumn = 4;
  await screen.draw();
  assert.deepEqual(terminal.lines(), ["one", "two", "working", "> hi"]);
  live.lines = ["> "];
  live.cursorRow = 0;
  live.cursorColumn = 2;
  screen.append(["three"]);
  await screen.draw();
  assert.deepEqual(terminal.lines(), ["one", "two", "three", ">"]);
  assert.deepEqual(terminal.cursor(), { row: 3, column: 2 });
});

test("scrolls when the screen is full, also with lines that wrap", async () => {
  const { terminal, screen } = setUp(10, 4);
  for (let n = 0; n < 10; n++) {
    screen.append([`line ${n}${n === 5 ? " is too long for it" : ""}`]);
    await screen.draw();
  }
  assert.deepEqual(terminal.lines().slice(-3), ["line 8", "line 9", ">"]);
  assert.deepEqual(terminal.lines().slice(5, 8), ["line 5 is", "too long f", "or it"]);
});

test("at most thirty frames a second, each one write with the cursor hidden", async () => {
  const { clock, terminal, screen } = setUp();
  for (let n = 0; n < 200; n++) {
    screen.requestFrame();
    await clock.advance(5);
  }
  assert.ok(terminal.writes.length <= 31 && terminal.writes.length >= 25, String(terminal.writes.length));
  for (const write of terminal.writes) assert.match(write, /^\x1b\[\?2026h\x1b\[\?25l.*\x1b\[\?25h\x1b\[\?2026l$/s);
});

test("no frame, no timer", async () => {
  const { clock, screen } = setUp();
  await screen.draw();
  await clock.advance(1_000);
  assert.equal(clock.pending, 0);
});

test("takes the live region away at the end and draws nothing after", async () => {
  const { terminal, screen } = setUp();
  screen.append(["one"]);
  await screen.draw();
  screen.append(["two"]);
  screen.close();
  assert.equal(await screen.draw(), false);
  assert.deepEqual(terminal.lines(), ["one", "two"]);
  assert.ok(terminal.written.endsWith("\x1b[?25h"));
});
