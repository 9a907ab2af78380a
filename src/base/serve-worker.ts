/** The inner side of a worker thread: answers each job in turn. Called once, at the end of a `*.worker.ts` file. */
import { parentPort } from "node:worker_threads";
import { errorText } from "./errors.ts";
import type { WorkerAnswer } from "./worker-runner.ts";

export function serveWorker<Input, Output>(work: (input: Input) => Promise<Output> | Output): void {
  parentPort?.on("message", async (input: Input) => {
    const answer = await Promise.resolve()
      .then(() => work(input))
      .then(
        (output): WorkerAnswer<Output> => ({ type: "done", output }),
        (error: unknown): WorkerAnswer<Output> => ({ type: "failed", message: errorText(error) }),
      );
    parentPort?.postMessage(answer);
  });
}
