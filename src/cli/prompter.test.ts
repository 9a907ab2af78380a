/** Questions at a terminal: what is echoed, what is not, and how they end. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { CliIo } from "./io.ts";
import { createPrompter } from "./prompter.ts";

/** A terminal as far as readline looks at it: keys come in one by one, and it is put into raw mode. */
function createTerminal(isTTY: boolean) {
  const stdin = Object.assign(new PassThrough(), { isTTY, isRaw: false, setRawMode: () => stdin });
  const stderr = new PassThrough();
  const io = { stdin, stderr } as unknown as Pick<CliIo, "stdin" | "stderr">;
  return {
    prompter: createPrompter(io),
    type: (keys: string) => stdin.write(keys),
    end: () => stdin.end(),
    shown: () => String(stderr.read() ?? ""),
  };
}

test("a secret is not shown while it is typed, mistakes corrected and all", async () => {
  const { prompter, type, shown } = createTerminal(true);
  const answer = prompter.ask("Key:", { isSecret: true });
  type("sk-hide\x7fden-\x1b[Dx\r");
  assert.equal(await answer, "sk-hiddenx-");
  prompter.close();
  assert.equal(shown(), "Key: \n");
});

test("a plain answer is shown, also after a secret", async () => {
  const { prompter, type, shown } = createTerminal(true);
  const secret = prompter.ask("Key:", { isSecret: true });
  type("hidden\r");
  await secret;
  const answer = prompter.ask("Name:");
  type("ann\r");
  assert.equal(await answer, "ann");
  prompter.close();
  const text = shown();
  assert.match(text, /Name: [\s\S]*a[\s\S]*n[\s\S]*n/);
  assert.doesNotMatch(text, /hidden/);
});

test("Ctrl-C and the end of input cancel", async () => {
  for (const stop of [
    (terminal: ReturnType<typeof createTerminal>) => void terminal.type("\x03"),
    (terminal: ReturnType<typeof createTerminal>) => void terminal.end(),
  ]) {
    const terminal = createTerminal(true);
    const answer = terminal.prompter.ask("Key:", { isSecret: true });
    stop(terminal);
    await assert.rejects(answer, { code: "PROMPT_CANCELLED" });
    await assert.rejects(terminal.prompter.ask("Again:"), { code: "PROMPT_CANCELLED" });
  }
});

test("lines that were piped in answer one question each", async () => {
  const { prompter, type, end } = createTerminal(false);
  type("one\ntwo\n");
  end();
  assert.deepEqual([await prompter.ask("1:"), await prompter.ask("2:")], ["one", "two"]);
  await assert.rejects(prompter.ask("3:"), { code: "PROMPT_CANCELLED" });
});

test("a question that is no longer needed ends with its signal, and the next one is answered", async () => {
  const { prompter, type } = createTerminal(true);
  const stop = new AbortController();
  const first = prompter.ask("Code:", { signal: stop.signal });
  stop.abort(new Error("came another way"));
  await assert.rejects(first, /came another way/);
  const second = prompter.ask("Name:");
  type("ann\r");
  assert.equal(await second, "ann");
  prompter.close();
});
