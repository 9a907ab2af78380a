import assert from "node:assert/strict";
import { it } from "node:test";
import { splitGreeting } from "./greeting.ts";

const text = "warning: something\nhello:42 0\nöwn output\nhello:not again\n";

it("finds the line wherever the chunks are cut, and passes on exactly what follows", async () => {
  const bytes = Buffer.from(text);
  for (let size = 1; size <= bytes.length; size++) {
    const heard: string[] = [];
    const split = splitGreeting({
      prefix: "hello:",
      hear: (rest) => void heard.push(rest),
      toError: (noise) => new Error(noise),
    });
    const passed: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) passed.push(split.take(bytes.subarray(at, at + size)));
    split.giveUp();
    await split.heard;
    assert.deepEqual(heard, ["42 0"]);
    assert.equal(Buffer.concat(passed).toString(), "öwn output\nhello:not again\n");
  }
});

it("fails with what came instead, and keeps only the end of very much", async () => {
  const split = splitGreeting({ prefix: "hello:", hear: () => undefined, toError: (noise) => new Error(noise) });
  for (let i = 0; i < 100; i++) assert.equal(split.take(Buffer.from(`${"x".repeat(9_999)}\n`)).length, 0);
  split.take(Buffer.from("the end\n"));
  split.giveUp();
  await assert.rejects(
    split.heard,
    (error: Error) => error.message.endsWith("the end") && error.message.length < 70_000,
  );
});
