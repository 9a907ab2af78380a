import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { applyKey, createEditorState, type EditorState } from "./editor.ts";
import { layOutEditor } from "./editor-layout.ts";
import { createHistory } from "./history.ts";
import { createKeyParser } from "./keys.ts";

/** Types the input and gives the text with the cursor as `|`, and what was entered. */
function press(input: string, history: string[] = [], maxBytes = 1_000) {
  const parser = createKeyParser(10_000);
  let state: EditorState = createEditorState(createHistory(history));
  const submitted: string[] = [];
  let isTooLong = false;
  for (const key of [...parser.push(input), ...parser.flush()]) {
    const step = applyKey(state, key, maxBytes);
    state = step.state;
    isTooLong = step.isTooLong === true;
    if (step.submitted !== undefined) submitted.push(step.submitted);
  }
  return {
    shown: `${state.text.slice(0, state.cursor)}|${state.text.slice(state.cursor)}`,
    submitted,
    state,
    isTooLong,
  };
}
const left = "\x1b[D";
const up = "\x1b[A";
const down = "\x1b[B";

describe("editing", () => {
  const cases: [string, string, string][] = [
    ["inserts at the cursor", `ac${left}b`, "ab|c"],
    ["moves over whole characters", `a👩‍👩‍👧‍👦e\u0301${left}${left}`, "a|👩‍👩‍👧‍👦e\u0301"],
    ["deletes whole characters", "a👩‍👩‍👧‍👦\x7f", "a|"],
    ["deletes forward", `ab${left}${left}\x1b[3~`, "|b"],
    ["goes to the ends of the line", "one\x1b\rtwo\x01x", "one\nx|two"],
    ["goes by words", "one two\x1b[1;5Dx", "one x|two"],
    ["goes by words forward", "one two\x1b[1;5D\x1b[1;5D\x1b[1;5Cx", "onex| two"],
    ["deletes a word", "one two \x17", "one |"],
    ["deletes to the start of the line", "one\x1b\rtwo\x15", "one\n|"],
    ["deletes to the end of the line", "one two\x01\x0b", "|"],
    ["continues after a backslash", "one\\\rtwo", "one\ntwo|"],
    ["takes a paste as it is", "\x1b[200~a\nb\x1b[201~", "a\nb|"],
    ["moves between lines", `one\x1b\rtwo${up}x${down}y`, "onex\ntwoy|"],
    ["keeps the column where it can", `longer\x1b\rab${up}x`, "lox|nger\nab"],
    ["does nothing on unknown keys", "a\t\x1b[99~\x1bq", "a|"],
  ];
  for (const [name, input, expected] of cases) test(name, () => assert.equal(press(input).shown, expected));

  test("enters what was written, and nothing blank", () => {
    const { submitted, shown } = press("hello\r  \r\\x\r");
    assert.deepEqual(submitted, ["hello", "\\x"]);
    assert.equal(shown, "|");
  });
  test("refuses what is too long and keeps the rest", () => {
    const { shown, isTooLong } = press("ab\x1b[200~cdef\x1b[201~", [], 4);
    assert.equal(shown, "ab|");
    assert.equal(isTooLong, true);
  });
});

describe("history", () => {
  test("goes back and comes forward to the draft", () => {
    assert.equal(press(`dra${up}${up}`, ["one", "two"]).shown, "one|");
    assert.equal(press(`dra${up}${up}${up}${down}`, ["one", "two"]).shown, "two|");
    assert.equal(press(`dra${up}${up}${down}${down}${down}`, ["one", "two"]).shown, "dra|");
  });
  test("remembers what was entered, not twice in a row", () => {
    assert.deepEqual(press("a\ra\rb\r", ["x"]).state.history.entries, ["x", "a", "b"]);
  });
  test("has a limit", () => {
    const entries = Array.from({ length: 600 }, (_, n) => `entry ${n}`);
    assert.equal(press("new\r", entries).state.history.entries.length, 500);
    assert.equal(press("new\r", entries).state.history.entries.at(-1), "new");
  });
});

describe("layOutEditor", () => {
  test("wraps, counts wide characters, finds the cursor", () => {
    assert.deepEqual(layOutEditor("abcdef", 4, 4, 10), { rows: ["abcd", "ef"], cursorRow: 1, cursorColumn: 0 });
    assert.deepEqual(layOutEditor("你好世", 2, 5, 10), { rows: ["你好", "世"], cursorRow: 1, cursorColumn: 0 });
    assert.deepEqual(layOutEditor("a\n\nb", 2, 5, 10), { rows: ["a", "", "b"], cursorRow: 1, cursorColumn: 0 });
  });
  test("shows the rows around the cursor", () => {
    const text = Array.from({ length: 50 }, (_, n) => `row ${n}`).join("\n");
    const { rows, cursorRow } = layOutEditor(text, text.length, 20, 5);
    assert.deepEqual(rows, ["row 45", "row 46", "row 47", "row 48", "row 49"]);
    assert.equal(cursorRow, 4);
    assert.equal(layOutEditor(text, 0, 20, 5).rows[0], "row 0");
  });
  test("shows control characters instead of obeying them", () => {
    assert.deepEqual(layOutEditor("a\x1b[2J\u202eb", 0, 20, 5).rows, ["a␛[2J�b"]);
  });
  test("looks only at what is near in a very long text", () => {
    const { rows } = layOutEditor("x".repeat(1_000_000), 500_000, 80, 10);
    assert.equal(rows.length, 10);
  });
});
