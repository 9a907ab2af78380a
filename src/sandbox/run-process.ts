/** Runs one program to its end, keeping the last of its output. Called by `local-executor.ts`. */
import type { Clock } from "../contracts/clock.ts";
import type { ExecResult } from "../contracts/sandbox.ts";
import { createOutputTail } from "./output-tail.ts";
import { type ProcessStart, startProcess } from "./start-process.ts";

export interface ProcessRun extends Omit<ProcessStart, "onOutput" | "keepInput"> {
  /** What it throws comes out of the run, once the program has ended. */
  onOutput: ProcessStart["onOutput"] | undefined;
  maxOutputBytes: number;
}

export async function runProcess(run: ProcessRun, clock: Clock): Promise<ExecResult> {
  const tails = { stdout: createOutputTail(run.maxOutputBytes), stderr: createOutputTail(run.maxOutputBytes) };
  const { hear, failure } = createSafeListener(run.onOutput);
  const program = await startProcess(
    {
      ...run,
      onOutput(chunk, stream) {
        tails[stream].push(chunk);
        hear(chunk, stream);
      },
    },
    clock,
  );
  const result = await program.ended;
  const failed = failure();
  if (failed !== undefined) throw failed.error;
  return { ...result, stdout: tails.stdout.text(), stderr: tails.stderr.text() };
}

/** Keeps what a listener throws out of the streams' events; after that it hears nothing more. */
export function createSafeListener(onOutput: ProcessRun["onOutput"]) {
  let failed: { error: unknown } | undefined;
  return {
    hear(chunk: Uint8Array, stream: "stdout" | "stderr") {
      if (failed !== undefined) return;
      try {
        onOutput?.(chunk, stream);
      } catch (error) {
        failed = { error };
      }
    },
    failure: () => failed,
  };
}
