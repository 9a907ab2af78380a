import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyParser } from "./keys.ts";

const names = (input: string) => {
  const parser = createKeyParser(1_000);
  return [...parser.push(Buffer.from(input)), ...parser.flush()].map((key) => key.text ?? key.name);
};

test("text, control keys and the keys around them", () => {
  assert.deepEqual(names("hé你\r\x7f\x01\x17\t"), ["hé你", "enter", "backspace", "ctrl+a", "ctrl+w", "tab"]);
  assert.deepEqual(names("\x1b[A\x1b[B\x1b[C\x1b[D\x1bOH\x1b[F"), ["up", "down", "right", "left", "home", "end"]);
  assert.deepEqual(names("\x1b[1~\x1b[4~\x1b[3~"), ["home", "end", "delete"]);
});

test("modifiers", () => {
  assert.deepEqual(names("\x1b[1;5C\x1b[1;3D\x1b\r\x1bb\x1b\x7f\x1b[13;2u"), [
    "ctrl+right",
    "alt+left",
    "alt+enter",
    "alt+b",
    "alt+backspace",
    "shift+enter",
  ]);
  assert.deepEqual(names("\x1bxyz"), ["alt+x", "yz"]);
});

test("a sequence that comes in pieces is one key; a lone escape is one after a while", () => {
  const parser = createKeyParser(1_000);
  assert.deepEqual(parser.push("\x1b"), []);
  assert.equal(parser.isWaiting, true);
  assert.deepEqual(parser.push("[1;"), []);
  assert.deepEqual(parser.push("5D"), [{ name: "ctrl+left" }]);
  parser.push("\x1b");
  assert.deepEqual(parser.flush(), [{ name: "escape" }]);
  assert.equal(parser.isWaiting, false);
});

test("unknown sequences are swallowed", () => assert.deepEqual(names("\x1b[99~a\x1bOZb"), ["a", "b"]));

test("a paste is one key with its control characters, wherever it is cut", () => {
  const input = "\x1b[200~one\r\ntwo\x1b[31m\rthree\x1b[201~x";
  for (let cut = 0; cut <= input.length; cut++) {
    const parser = createKeyParser(1_000);
    const keys = [...parser.push(input.slice(0, cut)), ...parser.push(input.slice(cut))];
    assert.deepEqual(
      keys,
      [
        { name: "paste", text: "one\ntwo\x1b[31m\nthree" },
        { name: "text", text: "x" },
      ],
      `cut ${cut}`,
    );
  }
});

test("an endless paste does not fill the memory", () => {
  const parser = createKeyParser(100);
  parser.push("\x1b[200~");
  for (let n = 0; n < 100; n++) parser.push("x".repeat(1_000));
  assert.deepEqual(parser.push("\x1b[201~"), [{ name: "paste", text: "x".repeat(101) }]);
});
