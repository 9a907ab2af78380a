/**
 * The terminal without a person: one message per input line, each answered before the next is read. Replies go to the
 * output as plain text, everything else to the error stream.
 */
import type { AgentSessionEvent } from "../../contracts/agent.ts";
import type { Log } from "../../contracts/log.ts";
import { formatDuration } from "../kit/format-duration.ts";
import { neutralise, neutraliseLine } from "../kit/neutralise.ts";
import type { Terminal } from "../terminal.ts";
import type { CliConfig } from "./config.ts";
import { formatFile, formatPlain, repeatedNote } from "./format.ts";
import { type Inbound, maxMessageBytes } from "./inbound.ts";
import { type AssembledLine, createLineAssembler } from "./line-assembler.ts";
import type { Surface } from "./surface.ts";
import { createWriter } from "./writer.ts";

export interface PipedDeps {
  terminal: Terminal;
  log: Log;
  inbound: Inbound;
}

export function createPipedSurface({ terminal, log, inbound }: PipedDeps, config: CliConfig): Surface {
  const { input } = terminal;
  const done = Promise.withResolvers<void>();
  const output = createWriter(terminal.output, () => {
    done.resolve();
    terminal.onQuit();
  });
  const errors = createWriter(terminal.errors, () => undefined);
  const assembler = createLineAssembler(maxMessageBytes);
  let isReading = false;
  const note = (text: string) => void errors.write(`${neutralise(text)}\n`);

  async function answer(line: AssembledLine): Promise<void> {
    if (line.type === "too-long")
      return note(`A message may have at most ${maxMessageBytes} bytes; this one was skipped.`);
    const message = await inbound.offer(line.text);
    if (message) await terminal.settled(message.id);
  }
  /** In order: the end of the input may be reported while its last lines are still being answered. */
  let answered = Promise.resolve();
  function answerAll(lines: AssembledLine[]): Promise<void> {
    for (const line of lines) {
      answered = answered
        .then(() => answer(line))
        .catch((error: unknown) => log.error("A piped message could not be followed to its end", { error }));
    }
    return answered;
  }
  // Reading stops while a message is being answered, so that a large input waits in its pipe and not in memory.
  const onData = (chunk: Uint8Array | string) => {
    input.pause();
    void answerAll(assembler.push(chunk)).then(() => isReading && input.resume());
  };
  let hasEnded = false;
  const onEnd = () => {
    if (hasEnded) return;
    hasEnded = true;
    void answerAll(assembler.end()).then(() => done.resolve());
  };
  const onError = (error: Error) => {
    log.warn("Reading the input failed; taking it as its end", { error });
    onEnd();
  };

  return {
    async start() {
      isReading = true;
      input.on("error", onError);
      input.on("end", onEnd);
      input.on("close", onEnd);
      input.on("data", onData);
      if (input.readableEnded || input.destroyed) onEnd();
    },
    stop() {
      if (isReading) input.pause();
      isReading = false;
      input.off("data", onData);
      input.off("end", onEnd);
      input.off("close", onEnd);
      done.resolve();
    },
    showReply({ text, repeated }) {
      if (repeated) note(repeatedNote);
      return output.write(`${formatPlain(text)}\n`);
    },
    showFile(file) {
      if (file.repeated) note(repeatedNote);
      return output.write(`${formatFile(file)}\n`);
    },
    showEvent(_turnId, event) {
      const line = config.toolOutput === "full" ? formatToolEvent(event) : undefined;
      if (line) note(line);
    },
    writeAbove: note,
    whenDone: () => done.promise,
  };
}

function formatToolEvent(event: AgentSessionEvent): string | undefined {
  if (event.type === "tool_execution_start") return `→ ${neutraliseLine(event.label)}`;
  if (event.type !== "tool_execution_end") return undefined;
  return `${event.isError ? "✗" : "✓"} ${neutraliseLine(event.label)} (${formatDuration(event.durationMs)})`;
}
