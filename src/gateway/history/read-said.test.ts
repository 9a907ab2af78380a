/** What people said, without what the agent wrote around it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildInput } from "../../agent/build-input.ts";
import type { ChannelMessage } from "../../contracts/message.ts";
import { readSaid } from "./read-said.ts";

test("each speaker is read by name, with the files of the last", () => {
  const said = readSaid(
    '(2026-01-01 10:00)\n[bob]: by the way\nit rains\n[ann]: second\n\\[eve]: quoted\n<attachment path="a/b c.txt" name="c.txt"/>\n<attachment path="d" name="e"/>',
  );
  assert.deepEqual(said, [
    { who: "bob", text: "by the way\nit rains", files: [] },
    {
      who: "ann",
      text: "second\n[eve]: quoted",
      files: [
        { path: "a/b c.txt", filename: "c.txt" },
        { path: "d", filename: "e" },
      ],
    },
  ]);
});

test("a text that is not of the agent's making stays as it is", () => {
  for (const text of ["hello", "[ann]: hello", "(2026-01-01 10:00)\nhello", '<attachment path="a" name="b"/>', ""]) {
    assert.deepEqual(readSaid(text), [{ text, files: [] }], JSON.stringify(text));
  }
});

test("a message with a file and no words has no text", () => {
  const said = readSaid('(2026-01-01 10:00)\n[ann]: \n<attachment path="a" name="b"/>');
  assert.deepEqual(said, [{ who: "ann", text: "", files: [{ path: "a", filename: "b" }] }]);
});

test("what the agent writes is read back", () => {
  const message = (username: string, text: string, localPath?: string): ChannelMessage => ({
    id: "m",
    channelId: "c",
    timestamp: "",
    sender: { id: "u", username, isBot: false },
    text,
    attachments: localPath === undefined ? [] : [{ filename: 'odd "name"\n', localPath }],
    isMention: true,
  });
  const texts = ["one\n[bob]: not me\n(2026-01-01 09:00) nor now", "two"];
  const input = buildInput({
    messages: [message("ann", texts[0] ?? ""), message("ann", texts[1] ?? "", "channels/x/1_odd")],
    toToolPath: (path) => path,
    localTime: "2026-01-01 10:00",
    nowMs: 0,
  });
  assert.ok(typeof input.content === "string");
  assert.deepEqual(
    readSaid(input.content).map(({ who, text, files }) => [who, text, files.map(({ path }) => path)]),
    [
      ["ann", texts[0], []],
      ["ann", "two", ["channels/x/1_odd"]],
    ],
  );
});
